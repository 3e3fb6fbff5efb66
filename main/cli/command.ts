import {type Arguments, type Options, parseOptions} from './options/option.ts';

/**
 * Everything about one command of the command line. `commands/list.ts` lists these records; help, parsing and dispatch
 * follow from the list alone.
 */
export interface Command<O extends Options = Options, S = unknown> {
  readonly name: string;
  readonly group: Group;
  /** What the command does, in one sentence without full stop. This is the command's line in `interleave --help`. */
  readonly summary: string;
  /** The forms in which the command can be used, without its name: `FILE --out DIR [options]`. */
  readonly usage: readonly string[];
  /** Whether the command accepts arguments that are not options. */
  readonly hasOperands?: boolean;
  readonly options: O;
  /**
   * What help prints below the options. A blank line separates paragraphs. A paragraph whose lines begin with two
   * spaces is printed as it is.
   */
  readonly details: string;
  readonly examples: readonly Example[];
  // Both are methods, so that one list can contain commands with different settings.
  /** Converts the arguments to the command's settings. @throws UsageError */
  read(given: Arguments<O>): S;
  /** @returns the exit code. */
  run(settings: S, around: Surroundings): Promise<number>;
}

/** Headings of the list of commands in help, in their order. */
export const GROUPS = [
  'Load a page and compare',
  'Save a load for other programs',
  'Make pictures and movies',
  'Run many loads as a study',
  'Use real pages and real networks',
  'List what comes with Interleave',
] as const;
export type Group = (typeof GROUPS)[number];

export interface Example {
  /** What the example does, in one sentence without full stop. */
  readonly does: string;
  /** The command line of the example. If it is long, it continues after a backslash. */
  readonly line: string;
}

/** What every command can use besides its settings. */
export interface Surroundings {
  /** The repository. */
  readonly root: string;
  /** The folder of the pages that come with the program. */
  readonly fixtures: string;
  /** Builds the renderer, of whose pages pictures are taken, if it is out of date. */
  readonly buildRenderer: () => Promise<void>;
  /** Writes to standard output. */
  readonly write: (bytes: string | Uint8Array) => Promise<void>;
}

/** Returns the record itself. Calling this lets TypeScript infer the types of its options and settings. */
export function command<const O extends Options, S>(record: Command<O, S>): Command<O, S> {
  return record;
}

/** The settings that the arguments after the command's name ask for. @throws UsageError */
export function readArguments<O extends Options, S>(command: Command<O, S>, args: readonly string[]): S {
  const {options, hasOperands = false} = command;
  return command.read(parseOptions(args, options, hasOperands));
}
