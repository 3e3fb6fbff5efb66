import {createHash} from 'node:crypto';
import {readdirSync, readFileSync, statSync} from 'node:fs';
import {join} from 'node:path';
import {root} from './command.mjs';

/**
 * SHA-256 of files and of everything in folders, by name and content. Times would be useless after a copy, a checkout or
 * a removal.
 *
 * @param {readonly string[]} paths from the repository's root
 * @param {(path: string) => boolean} [counts] which files of the folders count
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
 * @returns {string[]} in an order that is the same everywhere
 */
function filesIn(path) {
  const stat = statSync(join(root, path), {throwIfNoEntry: false});
  if (stat === undefined) return [];
  if (!stat.isDirectory()) return [path];
  return readdirSync(join(root, path))
    .sort()
    .flatMap(name => filesIn(`${path}/${name}`));
}

/** The text of a file. Undefined if it does not exist. */
export function readIfThere(/** @type {string} */ path) {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
}
