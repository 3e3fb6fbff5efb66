import {mkdirSync, statSync} from 'node:fs';
import {dirname} from 'node:path';
import {FileError} from './fileError.ts';

/** With those that it lies in, where they are missing. @throws FileError */
export function makeFolder(path: string): void {
  try {
    makeFolders(path);
  } catch (error) {
    throw new FileError(path, error);
  }
}

/**
 * The same, but throws the system's own error. Does not use mkdir's `recursive`: on a read-only file system that reports
 * ENOENT, and below /proc it never returns (Node 20).
 */
export function makeFolders(path: string, mode = 0o777): void {
  try {
    mkdirSync(path, mode);
  } catch (error) {
    const {code} = error as NodeJS.ErrnoException;
    if (isFolder(path)) return;
    if (code !== 'ENOENT' || dirname(path) === path) throw error;
    makeFolders(dirname(path), mode);
    // another program may have been quicker
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
