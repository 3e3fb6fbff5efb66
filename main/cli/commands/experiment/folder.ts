import type {Option} from '../../options/option.ts';

// The options of a folder that a long study fills.

export const STUDY_FOLDER = {
  type: 'string',
  short: 'o',
  value: 'DIR',
  help: 'The folder to write: a new one or, with --resume, one that was begun before.',
} as const satisfies Option;

export const RESUME = {
  type: 'boolean',
  help: 'Continues with what is in DIR. If there is nothing, it begins.',
} as const satisfies Option;
