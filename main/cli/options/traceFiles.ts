import {basename} from 'node:path';
import {showName} from '../../../app/base/text.ts';
import {type FilePane, firstChoice, namedRun, panesOfFiles} from '../../../app/run/trace/joinRuns.ts';
import type {Run} from '../../../app/run/trace/runFile.ts';
import {bytesOf} from './namedFile.ts';
import type {Option} from './option.ts';
import {UsageError} from './usageError.ts';

/** The option for trace files instead of a scenario. Their runs are shown without loading anything again. */
export const TRACE = {
  type: 'string',
  multiple: true,
  value: 'FILE',
  help:
    'A trace file, computed or live, in place of a scenario: it is shown as it happened. With several --trace the ' +
    'panes of the files stand beside each other: all of them if there are at most 6, otherwise the first of each file.',
} as const satisfies Option;

interface Given {
  readonly trace?: readonly string[] | undefined;
  readonly [option: string]: unknown;
}

/**
 * The trace files that the user named. Empty if there are none and a scenario is meant.
 * @throws UsageError for an option that cannot be combined with `--trace`
 */
export function tracesOf(values: Given): readonly string[] {
  const traces = values.trace ?? [];
  if (traces.length === 0) return traces;
  for (const [why, options] of EXCLUDED) {
    const needless = options.find(option => values[option] !== undefined);
    if (needless !== undefined) throw new UsageError(`--trace and --${needless}: ${why}`);
  }
  return traces;
}

/** The options that cannot be combined with `--trace`, and why. */
const EXCLUDED = [
  ['a trace file has its own', ['scenario', 'page', 'set', 'story']],
  ['nothing is loaded again', ['seeds', 'token']],
  ['trace files have no --visual yet', ['visual']],
] as const;

/**
 * The run with those panes of the files that the window shows first. @throws UsageError naming the file that is wrong
 */
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
