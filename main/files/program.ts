import {existsSync, readFileSync, statSync} from 'node:fs';
import {join, resolve} from 'node:path';
import {fileURLToPath} from 'node:url';

/** This program's name and version, as its outputs contain it: `interleave 0.1.0 (abc1234)`. */
export function program(): string {
  return `interleave ${programVersion()}`;
}

/** Version and commit: `0.1.0 (abc1234)`, or the version alone if the commit is not known. */
export function programVersion(): string {
  own ??= versionAt(ROOT);
  return own;
}

/**
 * Version of the program in that folder. A clone's .git folder is read first, as it is always up to date; git itself is
 * not needed. A package or archive has its commit in a file, which `git archive` (.gitattributes) or `npm pack` fills in.
 */
export function versionAt(root: string): string {
  const {version} = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {version: string};
  const commit = commitOfClone(join(root, '.git')) ?? hashIn(textOf(join(root, COMMIT_FILE)));
  return commit === undefined ? version : `${version} (${commit.slice(0, SHORT_HASH)})`;
}

/** Reads the commit of a clone: see gitrepository-layout(5). */
function commitOfClone(git: string): string | undefined {
  if (!existsSync(git)) return undefined;
  // in a worktree .git is a file that names the folder
  const [, linked] = statSync(git).isFile() ? (/^gitdir: (.+)$/m.exec(textOf(git)) ?? []) : [];
  const folder = linked === undefined ? git : resolve(git, '..', linked);
  const head = textOf(join(folder, 'HEAD'));
  const [, ref] = /^ref: (refs\/.+)$/m.exec(head) ?? [];
  if (ref === undefined) return hashIn(head);
  const common = resolve(folder, textOf(join(folder, 'commondir')).trim());
  const packed = textOf(join(common, 'packed-refs')).split('\n');
  return hashIn(textOf(join(common, ref))) ?? hashIn(packed.find(line => line.endsWith(` ${ref}`)) ?? '');
}

/** The hash that the text begins with. */
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

/** The bundles lie as deep below it as this file. */
const ROOT = fileURLToPath(new URL('../..', import.meta.url));
export const COMMIT_FILE = 'main/files/commit.txt';
/** As git abbreviates hashes. */
const SHORT_HASH = 7;
let own: string | undefined;
