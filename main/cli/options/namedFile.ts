import {basename} from 'node:path';
import {showName} from '../../../app/base/text.ts';
import {InputError, readInput} from '../../files/inputFile.ts';
import {UsageError} from './usageError.ts';

/**
 * Reads the file that an argument names.
 * @param problem returns the error message if the file cannot be read. Its argument is ` (CODE)` with the code of the
 * error, or an empty text if the file does not exist or the error has no code.
 * @throws UsageError
 */
export function bytesOf(path: string, problem: (why: string) => string): Uint8Array {
  try {
    return readInput(path);
  } catch (error) {
    if (error instanceof InputError) throw new UsageError(error.message);
    const {code} = error as NodeJS.ErrnoException;
    throw new UsageError(problem(code === undefined || code === 'ENOENT' ? '' : ` (${code})`));
  }
}

/**
 * Reads a file. The result has its bytes, and the last part of its path as `name`. `called` is the word before the path
 * in the error message.
 * @throws UsageError
 */
export function namedFile(path: string, called: string): {readonly name: string; readonly bytes: Uint8Array} {
  const problem = (why: string): string => `${called} ${showName(path, 200)}: no file that can be read${why}`;
  return {name: basename(path), bytes: bytesOf(path, problem)};
}
