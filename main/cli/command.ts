import {type Arguments, type Options, parseOptions} from './options/option.ts';

/**
 * A command of the command line. `commands/list.ts` lists these records; help, parsing and dispatch are derived from
 * that list alone.
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
   * What help prints below the options. A blank line separates paragraphs. The lines of a paragraph are wrapped anew,
   * unless one of them begins with two spaces.
   */
  readonly details: string;
  readonly examples: readonly Example[];
  // `read` and `run` are methods, because TypeScript then accepts commands with different settings in one list.
  /** Converts the arguments to the command's settings. @throws UsageError */
  read(given: Arguments<O>): S;
  /** @returns the exit code. */
  run(settings: S, context: CommandContext): Promise<number>;
}

/** The headings under which help lists the commands, in the order of help. */
export const GROUPS = [
  'Load a page and compare',
  'Save a load for other programs',
  'Make pictures and movies',
  'Run many loads as a study',
  'Use real pages and real networks',
  'List the built-in presets and pages',
] as const;
export type Group = (typeof GROUPS)[number];

export interface Example {
  /** What the example does, in one sentence without full stop. */
  readonly does: string;
  /** The command line of the example. If it is long, it continues after a backslash. */
  readonly line: string;
}

/** What every command gets besides its settings. */
export interface CommandContext {
  /** The path of the program's folder: the repository, or the installed package. */
  readonly root: string;
  /** The path of the folder with the built-in pages. */
  readonly fixtures: string;
  /** Builds the renderer if it is out of date. Stills and movies are pictures of the renderer's pages. */
  readonly buildRenderer: () => Promise<void>;
  /** Writes to standard output. While nobody reads it, the signal ends the wait. */
  readonly write: (bytes: string | Uint8Array, signal?: AbortSignal) => Promise<void>;
}

/** Returns `record` unchanged. The call lets TypeScript infer the types of the command's options and settings. */
export function command<const O extends Options, S>(record: Command<O, S>): Command<O, S> {
  return record;
}

/** Reads the settings of a command from the arguments that follow its name. @throws UsageError */
export function readArguments<O extends Options, S>(command: Command<O, S>, args: readonly string[]): S {
  const {options, hasOperands = false} = command;
  return command.read(parseOptions(args, options, hasOperands));
}
