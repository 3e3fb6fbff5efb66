import {InputError, readInput} from '../files/inputFile.ts';
import {UsageError} from './usageError.ts';

/**
 * The bytes of a file that an argument names. `problem` is told where there is none that can be read, with ` (CODE)`
 * unless it is just not there.
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
