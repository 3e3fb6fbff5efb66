import {posix} from 'node:path';
import {FetchError} from '../base/pageErrors.ts';

/** Files from which a page is opened: dropped files, or the files of a folder or zip. */
export interface FileSet {
  /**
   * The paths of the files, in which `/` separates folders. A set that reads a folder on demand may also find files
   * that are not listed here.
   */
  readonly paths: readonly string[];
  /**
   * Reads a file. Returns undefined if there is no file at that path.
   * @throws FetchError if the file has more than `mostBytes` or cannot be read
   */
  read(path: string, mostBytes: number): Promise<Uint8Array | undefined>;
}

/** A file whose bytes may have to be unpacked first. */
export interface SetFile {
  readonly path: string;
  readonly bytes: number;
  read(): Promise<Uint8Array>;
}

/**
 * Makes a set of these files. If a folder contains all files that are not hidden, it is removed from the paths. Hidden
 * files outside this folder, which archivers add, are left out. If a path occurs twice, the first file counts.
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

/** @throws FetchError if there are more bytes than `most` */
export function checkBytes(bytes: number, most: number): void {
  if (bytes > most) throw new FetchError(`it has more than ${most} bytes`);
}

/**
 * Whether the name of the file, or of a folder that contains it, begins with a dot or is `__MACOSX`. macOS adds a
 * folder of this name to zips.
 */
export function isHidden(path: string): boolean {
  return path.split('/').some(name => name.startsWith('.') || name === '__MACOSX');
}

/** The deepest folder that contains all paths that are not hidden, for example `a/b/`. Empty if there is none. */
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
