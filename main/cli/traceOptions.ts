import {basename} from 'node:path';
import type {ParseArgsConfig} from 'node:util';
import {showName} from '../../app/base/text.ts';
import {type FilePane, firstChoice, namedRun, panesOfFiles} from '../../app/run/trace/joinRuns.ts';
import type {Run} from '../../app/run/trace/runFile.ts';
import {bytesOf} from './namedFile.ts';
import {UsageError} from './usageError.ts';

/** In a scenario's place: trace files, whose panes stand beside each other as they happened. */
export const TRACE_OPTION = {
  trace: {type: 'string', multiple: true},
} as const satisfies ParseArgsConfig['options'];

interface Values {
  readonly trace?: readonly string[] | undefined;
  readonly [option: string]: unknown;
}

/** The files; none: a scenario is meant. @throws UsageError where both are named */
export function tracesOf(values: Values): readonly string[] {
  const traces = values.trace ?? [];
  if (traces.length === 0) return traces;
  for (const [why, options] of AGAINST) {
    const needless = options.find(option => values[option] !== undefined);
    if (needless !== undefined) throw new UsageError(`--trace and --${needless}: ${why}`);
  }
  return traces;
}

/** What does not stand beside trace files, and why. */
const AGAINST = [
  ['what happened has its own', ['scenario', 'page', 'set', 'story']],
  ['nothing is loaded again', ['seeds', 'token']],
  ['not of trace files yet', ['visual']],
] as const;

/** The run of the files' panes, as the window first shows them. @throws UsageError naming the file that is wrong */
export function chosenRun(paths: readonly string[]): Run {
  const run = namedRun(firstChoice(panesOfTraces(paths)));
  if (run === undefined) throw new UsageError('the trace files have no panes');
  return run;
}

/** All panes of the files. @throws UsageError naming the file that is wrong */
export function panesOfTraces(paths: readonly string[]): readonly FilePane[] {
  const files = paths.map(path => ({
    name: basename(path),
    bytes: bytesOf(path, why => `--trace ${showName(path, 200)}: no file that can be read${why}`),
  }));
  const read = panesOfFiles(files);
  if (!read.ok) throw new UsageError(read.message);
  return read.panes;
}
