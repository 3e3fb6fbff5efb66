import {promises} from 'node:fs';

// Only for the smoke build, which runs in Electron 9 (build.ts). Its Node 12.14 has no module node:fs/promises.

export const {access, link, mkdir, open, readdir, readFile, realpath, rename, rmdir, stat} = promises;
export const {unlink, utimes, writeFile} = promises;
export {constants} from 'node:fs';

/** The part of Node's `rm` that the product uses. It ignores all errors. With `recursive` it removes whole folders. */
export const rm = (path: string, {recursive = false} = {}): Promise<void> =>
  (recursive ? promises.rmdir(path, {recursive}) : promises.unlink(path)).catch(() => undefined);
