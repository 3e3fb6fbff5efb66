import {basename} from 'node:path';
import type {ParseArgsConfig} from 'node:util';
import {showName} from '../../app/scenario/show.ts';
import {firstChoice, namedRun, panesOfFiles} from '../../app/trace/joinRuns.ts';
import type {Run} from '../../app/trace/runFile.ts';
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
  const own = ['scenario', 'page', 'set', 'story'].find(option => values[option] !== undefined);
  if (traces.length > 0 && own !== undefined)
    throw new UsageError(`--trace and --${own}: what happened has its own`);
  return traces;
}

/** The run of the files' panes, as the window first shows them. @throws UsageError naming the file that is wrong */
export function chosenRun(paths: readonly string[]): Run {
  const files = paths.map(path => ({
    name: basename(path),
    bytes: bytesOf(path, why => `--trace ${showName(path, 200)}: no file that can be read${why}`),
  }));
  const read = panesOfFiles(files);
  const run = read.ok ? namedRun(firstChoice(read.panes)) : undefined;
  if (run === undefined) throw new UsageError(read.ok ? 'the trace files have no panes' : read.message);
  return run;
}
