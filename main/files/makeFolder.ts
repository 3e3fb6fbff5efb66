import {mkdirSync} from 'node:fs';
import {FileError} from './fileError.ts';

/** With those that it lies in, where they are missing. @throws FileError */
export function makeFolder(path: string): void {
  try {
    mkdirSync(path, {recursive: true});
  } catch (error) {
    throw new FileError(path, error);
  }
}
