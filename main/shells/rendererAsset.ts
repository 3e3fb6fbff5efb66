import {readFileSync, realpathSync} from 'node:fs';
import {extname, join, sep} from 'node:path';

export interface Asset {
  readonly bytes: Uint8Array;
  readonly contentType: string;
}

/**
 * Reads a file of the built renderer, by the path of its URL. Returns undefined if the file does not exist, cannot be
 * read, is outside the folder, or has an extension for which there is no content type here.
 */
export function readAsset(folder: string, path: string): Asset | undefined {
  try {
    const root = realpathSync(folder);
    const file = realpathSync(join(root, path === '/' ? 'index.html' : decodeURIComponent(path)));
    const contentType = CONTENT_TYPES[extname(file)];
    if (!file.startsWith(root + sep) || contentType === undefined) return undefined;
    return {bytes: readFileSync(file), contentType};
  } catch {
    return undefined;
  }
}

const CONTENT_TYPES: {readonly [extension: string]: string} = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.woff2': 'font/woff2',
};
