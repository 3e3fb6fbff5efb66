import {readFileSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';

/**
 * Applies a unified diff to the files of a folder. Every hunk must be at its exact line, and every line of context must
 * be equal (except empty lines at the end of a hunk), so a patch for another version is refused. A file is changed by
 * all of its hunks or by none. The program `patch` is not used, because it would search for another place. `git apply`
 * is not used, because it silently leaves out files that the repository around them ignores.
 *
 * @param {string} patch the text before the first `---` is only an explanation
 * @param {string} folder the base of the patch's paths, which are used without their prefixes `a/` and `b/`
 * @throws {Error} if the patch does not fit (the error names the file and the line), if it names no file, or if a file
 * cannot be read or written; files that were already written stay changed
 */
export function applyPatch(patch, folder) {
  const [, ...files] = patch.split(/^--- a\//m);
  if (files.length === 0) throw new Error('the patch names no file');
  for (const file of files) {
    const [, name = '', ...hunks] = file.split(/^\+\+\+ b\/(.*)\n|^(?=@@ )/m).filter(part => part !== undefined);
    const path = join(folder, name);
    writeFileSync(path, applyHunks(readFileSync(path, 'utf8'), hunks.filter(Boolean), name));
  }
}

/**
 * @param {string} text
 * @param {string[]} hunks
 * @param {string} name
 */
function applyHunks(text, hunks, name) {
  const lines = text.split('\n');
  let shift = 0;
  for (const hunk of hunks) {
    const [head = '', ...marked] = hunk.trimEnd().split('\n');
    const first = Number(/^@@ -(\d+)/.exec(head)?.[1]) - 1 + shift;
    const before = marked.filter(line => !line.startsWith('+')).map(line => line.slice(1));
    const after = marked.filter(line => !line.startsWith('-')).map(line => line.slice(1));
    const firstDifference = (/** @type {string[]} */ wanted) =>
      wanted.findIndex((line, at) => lines[first + at] !== line);
    if (firstDifference(after) < 0)
      throw new Error(`${name}:${first + 1} already contains the change of the patch: delete the patch`);
    const wrong = firstDifference(before);
    if (wrong >= 0) throw new Error(`the patch does not fit ${name}:${first + wrong + 1}`);
    lines.splice(first, before.length, ...after);
    shift += after.length - before.length;
  }
  return lines.join('\n');
}
