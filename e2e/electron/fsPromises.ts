import {promises} from 'node:fs';

// For the smoke build only: Node 12.14 has no module node:fs/promises.

export const {access, link, mkdir, open, readdir, readFile, realpath, rename, rmdir, stat} = promises;
export const {unlink, utimes, writeFile} = promises;
export {constants} from 'node:fs';

/** Of Node's rm, what the product uses: what may be gone, and a folder with all that is in it. */
export const rm = (path: string, {recursive = false} = {}): Promise<void> =>
  (recursive ? promises.rmdir(path, {recursive}) : promises.unlink(path)).catch(() => undefined);
