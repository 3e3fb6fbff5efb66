import type {Option} from './option.ts';
import {UsageError} from './usageError.ts';

/** The option `--json`, for commands that otherwise print a table. */
export const JSON_OUTPUT = {type: 'boolean', help: 'Prints the result as JSON, for scripts.'} as const satisfies Option;

/** What a command prints: JSON with `--json`, otherwise a table for people. */
export type Format = 'json' | 'table';

export function formatOf({json}: {readonly json?: boolean | undefined}): Format {
  return json ? 'json' : 'table';
}

/** The option `--out` of commands that write one file from start to end. They can therefore write to a pipe. */
export const OUT_FILE = {
  type: 'string',
  short: 'o',
  value: 'FILE',
  help: 'The file to write; - is standard output.',
} as const satisfies Option;

/** The option `--out` like {@link OUT_FILE}, for formats that are worth compressing. */
export const OUT_COMPRESSED = {
  type: 'string',
  short: 'o',
  value: 'FILE',
  help: 'The file to write. It is compressed if its name ends in .gz; - is standard output.',
} as const satisfies Option;

/** The option `--out` of long studies, which write many files into a folder. */
export const STUDY_FOLDER = {
  type: 'string',
  short: 'o',
  value: 'DIR',
  help:
    'The folder to write. It must be new or empty. With --resume, it may also be the folder of a study that was ' +
    'interrupted.',
} as const satisfies Option;

/** The option `--resume` of long studies, which may be interrupted. */
export const RESUME = {
  type: 'boolean',
  help: 'Continues the study in DIR. If DIR is empty or does not exist, the study begins.',
} as const satisfies Option;

interface Given {
  readonly out?: string | undefined;
}

/** Returns the name of the output file, or `-`. @throws UsageError */
export function outOf({out}: Given): string {
  if (!out) throw new UsageError('--out FILE is missing (- writes to standard output)');
  return out;
}

/**
 * Returns the name of the output file. `-` (standard output) is an error, because the commands that call this print
 * another result there.
 * @throws UsageError
 */
export function fileOf(given: Given): string {
  const out = outOf(given);
  if (out === '-') throw new UsageError('--out is - (standard output): must be a file');
  return out;
}

/**
 * Returns the name of the output folder.
 * @param placeholder the word for the folder in the command's help
 * @throws UsageError
 */
export function folderOf({out}: Given, placeholder = 'DIR'): string {
  if (!out) throw new UsageError(`--out ${placeholder} is missing`);
  return out;
}
