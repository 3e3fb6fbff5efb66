import {gzipSync} from 'node:zlib';
import {showName} from '../../app/base/text.ts';
import {failureText} from '../../app/page/failure.ts';
import type {PageSnapshot} from '../../app/page/page.ts';
import {paneMetrics} from '../../app/run/metrics/paneMetrics.ts';
import type {SeedRun} from '../../app/run/metrics/summary.ts';
import type {Scenario} from '../../app/run/scenario/scenario.ts';
import type {Run} from '../../app/run/trace/runFile.ts';
import type {TraceData} from '../../app/run/trace/traceData.ts';
import {predictAll} from '../../app/study/model/prediction.ts';
import {writeWhole} from '../files/outputFile.ts';
import {LiveLoad, type LiveLoadOptions} from '../live/client/liveLoad.ts';
import {openPage} from '../pages/openPage.ts';

import type {Command} from './command.ts';
import {liveTokensOf} from './liveOptions.ts';
import {traceFile} from './loadFile.ts';
import {json, outLine, tellLeftOut} from './output.ts';
import {startProgress} from './progress.ts';
import {csv, resultDocument, table} from './result.ts';
import {UsageError} from './usageError.ts';

/**
 * Live loads of each pane, as many as are asked for, one after the other; gives what is printed, and the exit code.
 * @throws UsageError, LiveError; the signal's reason
 */
export async function runLive(
  command: Extract<Command, {name: 'run'}>,
  scenario: Scenario,
  page: PageSnapshot,
  signal: AbortSignal,
): Promise<{readonly printed: string; readonly code: number}> {
  const {seeds, visual, format, repeats = 1} = command;
  if (seeds !== undefined) throw new UsageError('--seeds: a live load has none; --repeat 30 loads it 30 times');
  if (visual !== undefined) throw new UsageError('--visual: not of a live load yet');
  const tokenFor = liveTokensOf(command);
  const {runs, code} = await repeatedLoads(page, scenario, repeats, {signal, tokenFor});
  const result = resultDocument(scenario, page, runs, predictAll(scenario, page));
  if (format === 'json') return {code, printed: json(result)};
  if (format === 'csv') return {code, printed: csv(result, scenario.panes)};
  return {code, printed: `${table(result, scenario)}${outLine(liveNote(scenario, repeats))}`};
}

/**
 * The loads' metrics, numbered from 1 in place of seeds where there are several: the panes of a number were loaded close
 * to each other, so they are compared by pairs. Each pane is the first as often as any other.
 */
async function repeatedLoads(
  page: PageSnapshot,
  scenario: Scenario,
  repeats: number,
  options: Omit<LiveLoadOptions, 'onNote'>,
): Promise<{readonly runs: readonly SeedRun[]; readonly code: number}> {
  const progress = startProgress(process.stderr, 'live loads');
  const runs: SeedRun[] = [];
  let code = 0;
  try {
    for (let number = 0; number < repeats; number++) {
      const firstPane = number % scenario.panes.length;
      const load = number === 0 ? loadTelling : loadLive;
      const {panes} = await load(page, scenario, {...options, firstPane});
      code = Math.max(code, tellUnfinished(panes, repeats === 1 ? '' : `load ${number + 1}, `));
      const metrics = panes.map((data, pane) => paneMetrics({scenario, pane, data}));
      runs.push({seed: repeats === 1 ? scenario.seed : number + 1, panes: metrics});
      if (repeats > 1) progress.show(number + 1, repeats);
    }
  } finally {
    progress.end();
  }
  return {runs, code};
}

export interface SaveOptions {
  readonly fixtures: string;
  readonly signal: AbortSignal;
  /** To standard output. */
  readonly write: (bytes: Uint8Array) => Promise<void>;
}

/**
 * Saves its trace, packed if the file's name says so: when the signal ends it, that of what came until then. Gives the
 * exit code.
 * @throws UsageError, LiveError, FileError; the signal's reason
 */
export async function saveLive(
  command: Extract<Command, {name: 'trace'}>,
  scenario: Scenario,
  {fixtures, signal, write}: SaveOptions,
): Promise<number> {
  const {out} = command;
  const page = await openPage(scenario.page, fixtures);
  tellLeftOut(page);
  const run = await loadTelling(page, scenario, {signal, tokenFor: liveTokensOf(command), atAbort: 'keep'});
  const file = traceFile(run);
  const bytes = out.endsWith('.gz') ? gzipSync(file) : file;
  // who ended the load has not ended this; but a pipe's reader may be gone
  const saving = signal.aborted ? AbortSignal.timeout(LONGEST_SAVE_MS) : signal;
  if (out === '-') await write(bytes);
  else await writeWhole(out, bytes, saving);
  const code = tellUnfinished(run.panes);
  signal.throwIfAborted();
  return code;
}

/** Tells on standard error of a server that has another page. */
function loadTelling(page: PageSnapshot, scenario: Scenario, options: Omit<LiveLoadOptions, 'onNote'>): Promise<Run> {
  const onNote = (note: string) => void process.stderr.write(outLine(note));
  return new LiveLoad(page, scenario, {...options, onNote}).run();
}

/** The same, and tells nothing. */
function loadLive(page: PageSnapshot, scenario: Scenario, options: LiveLoadOptions): Promise<Run> {
  return new LiveLoad(page, scenario, options).run();
}

/** On standard error: which panes are not whole and why, with their objects that failed. Gives the exit code. */
function tellUnfinished(panes: readonly TraceData[], of = ''): number {
  const lines = panes.flatMap(({outcome, reason, objects}, pane) =>
    outcome === 'complete'
      ? []
      : [`${of}pane ${pane + 1} is not whole: ${outcome}, ${reason}`, ...(of === '' ? failedLines(objects) : [])],
  );
  for (const line of lines) process.stderr.write(outLine(line));
  return lines.length > 0 ? 1 : 0;
}

/** The objects that failed, the first of them each in a line. */
function failedLines(objects: TraceData['objects']): readonly string[] {
  const failed = objects.flatMap(({url, failure}) =>
    failure === null ? [] : [`  ${showName(url, LONGEST_URL)}: ${failureText(failure)}`],
  );
  const more = failed.length - MOST_FAILED_LINES;
  return [...failed.slice(0, MOST_FAILED_LINES), ...(more > 0 ? [`  and ${more} more`] : [])];
}

/** What stands below the table of a live run. */
export function liveNote({path}: Scenario, repeats = 1): string {
  const turn = repeats === 1 ? '' : ', each first in its turn';
  const order = path.atOnce ? 'all panes at once' : `one pane after the other${turn}`;
  return `live, ${order}; ${NOT_KNOWN}`;
}

/** For people. */
export const NOT_KNOWN = 'what the client cannot know is left out: packets of the kernel’s TCP, and what was lost';

const LONGEST_SAVE_MS = 5000;
const MOST_FAILED_LINES = 20;
const LONGEST_URL = 100;
