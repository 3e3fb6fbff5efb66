import {promises} from 'node:fs';

// For the smoke build only: Node 12.14 has no module node:fs/promises.

export const {access, link, mkdir, open, readFile, realpath, rename, stat} = promises;
export {constants} from 'node:fs';

/** Of Node's rm, what the product uses: a file that may be gone. */
export const rm = (path: string): Promise<void> => promises.unlink(path).catch(() => undefined);
