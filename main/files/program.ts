import {existsSync, readFileSync, statSync} from 'node:fs';
import {join, resolve} from 'node:path';
import {fileURLToPath} from 'node:url';

/** The program's name and version as written to its output files, for example `interleave 0.1.0 (abc1234)`. */
export function program(): string {
  return `interleave ${programVersion()}`;
}

/** The version and commit, for example `0.1.0 (abc1234)`. Only the version if the commit is unknown. */
export function programVersion(): string {
  own ??= versionAt(ROOT);
  return own;
}

/**
 * The version and commit of the program in a folder. In a clone, the commit is read from the folder .git, without git.
 * In a package or archive, it is read from {@link COMMIT_FILE}, which `npm pack` or `git archive` (.gitattributes)
 * fills in.
 */
export function versionAt(root: string): string {
  const {version} = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {version: string};
  const commit = commitOfClone(join(root, '.git')) ?? hashIn(textOf(join(root, COMMIT_FILE)));
  return commit === undefined ? version : `${version} (${commit.slice(0, SHORT_HASH)})`;
}

/** Reads the commit of a clone, as described in gitrepository-layout(5). Undefined if there is none. */
function commitOfClone(git: string): string | undefined {
  if (!existsSync(git)) return undefined;
  // In a worktree, .git is a file that contains the path of the folder that has HEAD.
  const [, linked] = statSync(git).isFile() ? (/^gitdir: (.+)$/m.exec(textOf(git)) ?? []) : [];
  const folder = linked === undefined ? git : resolve(git, '..', linked);
  const head = textOf(join(folder, 'HEAD'));
  const [, ref] = /^ref: (refs\/.+)$/m.exec(head) ?? [];
  if (ref === undefined) return hashIn(head);
  const common = resolve(folder, textOf(join(folder, 'commondir')).trim());
  const packed = textOf(join(common, 'packed-refs')).split('\n');
  return hashIn(textOf(join(common, ref))) ?? hashIn(packed.find(line => line.endsWith(` ${ref}`)) ?? '');
}

/** The hash at the beginning of the text. Undefined if there is none. */
function hashIn(text: string): string | undefined {
  return /^[0-9a-f]{7,64}(?=\s|$)/.exec(text)?.[0];
}

/** The file's text. Empty if it does not exist or cannot be read. */
function textOf(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}

/** The program's folder. This path is also right in bundles, because they are in a folder at the same depth. */
const ROOT = fileURLToPath(new URL('../..', import.meta.url));
export const COMMIT_FILE = 'main/files/commit.txt';
/** Length of an abbreviated hash, as in git. */
const SHORT_HASH = 7;
let own: string | undefined;
