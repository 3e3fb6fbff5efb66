import {mkdirSync, statSync} from 'node:fs';
import {dirname} from 'node:path';
import {FileError} from './fileError.ts';

/** Creates a folder, and all missing folders above it. @throws FileError if one cannot be created */
export function makeFolder(path: string): void {
  try {
    makeFolders(path);
  } catch (error) {
    throw new FileError(path, error);
  }
}

/**
 * Like {@link makeFolder}, but throws the system's own error. It does not use mkdir's `recursive`, which reports ENOENT
 * on a read-only file system and never returns below /proc (Node 20).
 */
export function makeFolders(path: string, mode = 0o777): void {
  try {
    mkdirSync(path, mode);
  } catch (error) {
    const {code} = error as NodeJS.ErrnoException;
    if (isFolder(path)) return;
    if (code !== 'ENOENT' || dirname(path) === path) throw error;
    makeFolders(dirname(path), mode);
    // Another program may have created the folder in the meantime.
    if (!isFolder(path)) mkdirSync(path, mode);
  }
}

function isFolder(path: string): boolean {
  try {
    return statSync(path).isDirectory();
  } catch {
    return false;
  }
}
