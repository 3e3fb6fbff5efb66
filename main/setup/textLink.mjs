import {linkSync, readFileSync, readlinkSync, rmSync, symlinkSync, writeFileSync} from 'node:fs';

/**
 * Creates an entry in a folder together with its text in one step, so that nobody sees the entry without its text.
 *
 * A symbolic link has a text as its target. Windows lets only some users create symbolic links. There a complete file
 * gets `path` as a second name (a hard link).
 *
 * @param {string} text
 * @param {string} path
 * @throws {Error} with the code `EEXIST` if there is already something at `path`
 */
export function makeTextLink(text, path, platform = process.platform) {
  if (platform !== 'win32') {
    symlinkSync(text, path);
    return;
  }
  const file = `${path}.${process.pid}`;
  writeFileSync(file, text);
  try {
    linkSync(file, path);
  } finally {
    rmSync(file, {force: true});
  }
}

/**
 * Reads the text of an entry that {@link makeTextLink} has created.
 * @param {string} path
 * @throws {Error} with the code `ENOENT` if there is none
 */
export function readTextLink(path, platform = process.platform) {
  return platform === 'win32' ? readFileSync(path, 'utf8') : readlinkSync(path);
}
