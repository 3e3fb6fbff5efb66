import {posix} from 'node:path';
import {findFile, readFound} from '../files/folderFile.ts';
import type {BundleFile} from './store/bundle.ts';

/** The files that a page is read from. */
export interface PageFiles {
  /** Finds a file by its path in the page's folder. Undefined if there is none. @throws UnreadableError */
  find(path: string): Promise<PageFile | undefined>;
}

export interface PageFile {
  readonly bytes: number;
  /**
   * Reads at most so many of the first bytes, into memory that threads share or that nobody else has. @throws
   * UnreadableError
   */
  read(most: number): Promise<Uint8Array>;
}

/** Files on disk, as they are now. */
export function folderFiles(folder: string): PageFiles {
  return {
    find: async path => {
      const found = await findFile(folder, path);
      return found && {bytes: found.bytes, read: most => readFound(found, most)};
    },
  };
}

/** Files of a bundle. */
export function bundleFiles(files: readonly BundleFile[]): PageFiles {
  const known = new Map(files.map(({path, bytes}) => [`/${path}`, bytes]));
  return {
    find: async path => {
      const bytes = known.get(posix.join('/', path));
      return bytes && {bytes: bytes.length, read: async most => bytes.subarray(0, most)};
    },
  };
}
