import {createHash} from 'node:crypto';
import {readdirSync, readFileSync, statSync} from 'node:fs';
import {join} from 'node:path';
import {root} from './command.mjs';

/**
 * Computes the SHA-256 of the names and the contents of files, including all files in folders. Modification times are
 * not used, because they do not show changes after a copy, a checkout or a removal.
 *
 * @param {readonly string[]} paths paths from the repository's root
 * @param {(path: string) => boolean} [counts] whether a file is included
 */
export function fingerprint(paths, counts = () => true) {
  const hash = createHash('sha256');
  for (const path of paths.flatMap(path => filesIn(path)).filter(counts)) {
    const bytes = readFileSync(join(root, path));
    hash.update(`${path}\0${bytes.length}\0`).update(bytes);
  }
  return hash.digest('hex');
}

/**
 * @param {string} path
 * @returns {string[]} the path of the file, or of all files in the folder in the same order on every machine; no paths
 *   if there is nothing at `path`
 */
function filesIn(path) {
  const stat = statSync(join(root, path), {throwIfNoEntry: false});
  if (stat === undefined) return [];
  if (!stat.isDirectory()) return [path];
  return readdirSync(join(root, path))
    .sort()
    .flatMap(name => filesIn(`${path}/${name}`));
}

/** Reads a text file. Returns undefined if the file does not exist or cannot be read. */
export function readIfThere(/** @type {string} */ path) {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
}
