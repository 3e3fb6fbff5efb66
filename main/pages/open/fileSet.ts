import {posix} from 'node:path';
import {FetchError} from '../base/fetchError.ts';

/** Files that somebody opens a page of: dropped ones, a folder's, a zip's. */
export interface FileSet {
  /** With `/`; in a lazily read folder those that are looked for may be more. */
  readonly paths: readonly string[];
  /**
   * Undefined if there is none of that path.
   * @throws FetchError if it has more than `mostBytes`, or cannot be read.
   */
  read(path: string, mostBytes: number): Promise<Uint8Array | undefined>;
}

/** A file and its bytes, which may have to be made first. */
export interface SetFile {
  readonly path: string;
  readonly bytes: number;
  read(): Promise<Uint8Array>;
}

/**
 * The set of these files, without the folders that all of them lie in: what an archiver hides beside those is none of
 * the page's. Of one path the first counts.
 */
export function fileSet(files: readonly SetFile[]): FileSet {
  const common = commonFolder(files.map(({path}) => path));
  const known = new Map<string, SetFile>();
  for (const file of files) {
    if (!file.path.startsWith(common)) continue;
    const path = file.path.slice(common.length);
    if (!known.has(path)) known.set(path, file);
  }
  return {
    paths: [...known.keys()],
    read: async (path, mostBytes) => {
      const file = known.get(path);
      checkBytes(file?.bytes ?? 0, mostBytes);
      return file?.read();
    },
  };
}

/** @throws FetchError */
export function checkBytes(bytes: number, most: number): void {
  if (bytes > most) throw new FetchError(`it has more than ${most} bytes`);
}

/** Whether it is what file systems and archivers keep for themselves. */
export function isHidden(path: string): boolean {
  return path.split('/').some(name => name.startsWith('.') || name === '__MACOSX');
}

/** `a/b/`; empty if there is none. */
function commonFolder(paths: readonly string[]): string {
  const [first = '', ...others] = paths.filter(path => !isHidden(path)).map(path => posix.dirname(path));
  const names = first === '.' ? [] : first.split('/');
  for (const other of others) {
    const theirs = other.split('/');
    const differs = names.findIndex((name, i) => theirs[i] !== name);
    if (differs >= 0) names.length = differs;
  }
  return names.map(name => `${name}/`).join('');
}
