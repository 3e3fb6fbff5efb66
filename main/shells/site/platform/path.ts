import path from 'path-browserify';

/** Replaces `node:path` in the web edition. */
export const posix = path;
export const {basename, join} = path;
