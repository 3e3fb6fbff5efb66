import {type Arguments, type Options, parseOptions} from './options/option.ts';

/**
 * Everything about one command of the command line. `commands/list.ts` lists these records; help, parsing and dispatch
 * follow from the list alone.
 */
export interface Command<O extends Options = Options, S = unknown> {
  readonly name: string;
  readonly group: Group;
  /** One sentence without its full stop. It is the command's line in `interleave --help`. */
  readonly summary: string;
  /** What follows the command's name, one form each: `FILE --out DIR [options]`. */
  readonly usage: readonly string[];
  /** Whether it takes arguments that are not options. */
  readonly hasOperands?: boolean;
  readonly options: O;
  /**
   * What help says below the options. A blank line separates paragraphs; a paragraph whose lines begin with two spaces
   * is printed as it is.
   */
  readonly details: string;
  readonly examples: readonly Example[];
  // Both are methods, so that commands with different settings can stand in one list.
  /** What the arguments ask for. @throws UsageError */
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
  /** One sentence without its full stop. */
  readonly does: string;
  /** A line for the shell; a long one continues after a backslash. */
  readonly line: string;
}

/** What every command runs in. */
export interface Surroundings {
  /** The repository. */
  readonly root: string;
  /** The folder of the pages that come with the program. */
  readonly fixtures: string;
  /** Builds the window's page, of which pictures are taken, if it is out of date. */
  readonly buildRenderer: () => Promise<void>;
  /** Writes to standard output. */
  readonly write: (bytes: string | Uint8Array) => Promise<void>;
}

/** The record itself; the types of its options and settings are inferred. */
export function command<const O extends Options, S>(record: Command<O, S>): Command<O, S> {
  return record;
}

/** The settings that the arguments after the command's name ask for. @throws UsageError */
export function readArguments<O extends Options, S>(command: Command<O, S>, args: readonly string[]): S {
  const {options, hasOperands = false} = command;
  return command.read(parseOptions(args, options, hasOperands));
}
