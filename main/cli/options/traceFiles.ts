import {MOST_PANES} from '../../../app/run/scenario/scenario.ts';
import {type FilePane, type FilePanes, firstChoice, namedRun, panesOfFiles} from '../../../app/run/trace/joinRuns.ts';
import type {Run} from '../../../app/run/trace/runFile.ts';
import {namedFile} from './namedFile.ts';
import type {Option} from './option.ts';
import {UsageError} from './usageError.ts';

/** The option that names trace files instead of a scenario. Their runs are shown, and nothing is loaded again. */
export const TRACE = {
  type: 'string',
  multiple: true,
  value: 'FILE',
  help:
    'Shows the load of a trace file (computed, live or captured) instead of loading a scenario. It may be given ' +
    `several times. All panes of the files are then shown side by side; if there are more than ${MOST_PANES}, only the ` +
    'first pane of each file is shown.',
} as const satisfies Option;

interface Given {
  readonly trace?: readonly string[] | undefined;
  readonly [option: string]: unknown;
}

/**
 * Returns the trace files that the user named. The list is empty if there are none; a scenario is loaded then.
 * @throws UsageError for an option that cannot be combined with `--trace`
 */
export function tracesOf(values: Given): readonly string[] {
  const traces = values.trace ?? [];
  if (traces.length === 0) return traces;
  for (const [why, options] of EXCLUDED) {
    const needless = options.find(option => values[option] !== undefined);
    if (needless !== undefined) throw new UsageError(`--trace and --${needless} exclude each other: ${why}`);
  }
  return traces;
}

/** The options that cannot be combined with `--trace`, and why. */
const EXCLUDED = [
  ['the trace file decides what is shown', ['scenario', 'page', 'set', 'story']],
  ['nothing is loaded again', ['seeds', 'token', 'repeat']],
  ['trace files have no visual metrics yet', ['visual']],
  ['the command for the causes of trace files is: interleave why', ['causes']],
] as const;

/**
 * Returns a run with those panes of the files that the window shows at first.
 * @throws UsageError naming the file that is wrong
 */
export function chosenRun(paths: readonly string[]): Run {
  const run = namedRun(firstChoice(panesOfTraces(paths)));
  if (run === undefined) throw new UsageError('the trace files have no panes');
  return run;
}

/** Returns all panes of the files that the user named. @throws UsageError naming the file that is wrong */
export function panesOfTraces(paths: readonly string[]): readonly FilePane[] {
  return panesOf(panesOfFiles(paths.map(path => namedFile(path, '--trace'))));
}

/** Returns the panes that were read. @throws UsageError naming the file that is wrong */
export function panesOf(read: FilePanes): readonly FilePane[] {
  if (!read.ok) throw new UsageError(read.message);
  return read.panes;
}
