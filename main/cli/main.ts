import {join} from 'node:path';
import {nearest} from '../../app/base/text.ts';
import {CaptureError} from '../captures/openCaptures.ts';
import {FileError} from '../files/fileError.ts';
import {program} from '../files/program.ts';
import {writeOut} from '../files/standardOutput.ts';
import {ExperimentError} from '../jobs/experiment/experimentError.ts';
import {LiveError} from '../live/base/liveAddress.ts';
import {MovieError} from '../media/studio/studio.ts';
import {FetchError, PageError} from '../pages/base/pageErrors.ts';
import {type Command, type CommandContext, readArguments} from './command.ts';
import {COMMANDS} from './commands/list.ts';
import {help} from './help.ts';
import {UsageError} from './options/usageError.ts';
import {outLine} from './output.ts';

export interface CommandLine extends Pick<CommandContext, 'root' | 'buildRenderer'> {
  /** Writes the output. If absent, the output goes to standard output. */
  readonly writeOut?: CommandContext['write'];
}

/**
 * Runs one command line. If it fails, one line on standard error says why. Errors that are bugs of the program are
 * thrown.
 * @param commands the commands to choose from
 * @returns the exit code: 0 after success, or if the reader of the output closed the pipe; 1 if a picture or movie
 * could not be made, a page could not be fetched, or a live load failed or is not complete; 2 for bad input, or an
 * output that cannot be written; 128 + the number of the signal that ended the command
 */
export async function main(
  args: readonly string[],
  {root, buildRenderer, writeOut: write = writeOut}: CommandLine,
  commands: readonly Command[] = COMMANDS,
): Promise<number> {
  process.stderr.off('error', ignore).on('error', ignore);
  try {
    return await dispatch(args, {root, fixtures: join(root, 'fixtures/pages'), buildRenderer, write}, commands);
  } catch (error) {
    // the program that reads our output needs no more of it, and has closed the pipe
    if (error instanceof FileError && error.code === 'EPIPE') return 0;
    if (!(error instanceof Error)) throw error;
    const code = exitCode(error);
    if (code === undefined) throw error;
    process.stderr.write(outLine(error.message));
    return code;
  }
}

/** Ignores errors of standard error, because they cannot be reported anywhere. */
function ignore(): void {}

async function dispatch(
  [name, ...rest]: readonly string[],
  context: CommandContext,
  commands: readonly Command[],
): Promise<number> {
  const print = async (text: string): Promise<number> => {
    await context.write(text);
    return 0;
  };
  if (name === undefined || name === '--help' || name === '-h') return print(help(undefined, commands));
  if (name === 'help') return print(help(rest[0], commands));
  if (name === '--version' || name === '-V' || name === 'version') return print(`${program()}\n`);
  const command = commands.find(each => each.name === name);
  if (command === undefined) {
    const near = nearest(
      name,
      commands.map(each => each.name),
    );
    const hint = near === undefined ? 'interleave --help lists all commands' : `did you mean ${near}?`;
    throw new UsageError(`there is no command ${name}; ${hint}`);
  }
  if (rest.includes('--help') || rest.includes('-h')) return print(help(name, commands));
  return command.run(readArguments(command, rest), context);
}

/** Returns the exit code for an error. Undefined if the error is a bug of the program. */
function exitCode(error: Error): number | undefined {
  if ([FileError, UsageError, PageError, ExperimentError, CaptureError].some(kind => error instanceof kind)) return 2;
  if ([MovieError, FetchError, LiveError].some(kind => error instanceof kind)) return 1;
  return undefined;
}
