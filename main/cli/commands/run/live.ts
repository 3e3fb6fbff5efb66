import {showName} from '../../../../app/base/text.ts';
import {failureText} from '../../../../app/page/failure.ts';
import type {PageSnapshot} from '../../../../app/page/page.ts';
import {paneMetrics} from '../../../../app/run/metrics/paneMetrics.ts';
import type {SeedRun} from '../../../../app/run/metrics/paneSummary.ts';
import type {Scenario} from '../../../../app/run/scenario/scenario.ts';
import type {Run} from '../../../../app/run/trace/runFile.ts';
import type {TraceData} from '../../../../app/run/trace/traceData.ts';
import {predictAll} from '../../../../app/study/model/prediction.ts';
import {LiveLoad, type LiveLoadOptions} from '../../../live/client/liveLoad.ts';
import {liveTokensOf} from '../../options/live.ts';
import {UsageError} from '../../options/usageError.ts';
import {json, outLine} from '../../output.ts';
import {withProgress} from '../../progress.ts';
import {csv, resultDocument, table} from './result.ts';
import type {RunSettings} from './run.ts';

/**
 * Loads every pane live, once or `repeats` times.
 * @returns what the command prints, and the exit code
 * @throws UsageError, LiveError; the signal's reason
 */
export async function runLive(
  settings: Pick<RunSettings, 'seeds' | 'visual' | 'hasCauses' | 'format' | 'repeats' | 'tokens'>,
  scenario: Scenario,
  page: PageSnapshot,
  signal: AbortSignal,
): Promise<{readonly printed: string; readonly code: number}> {
  const {seeds, visual, hasCauses, format, repeats = 1} = settings;
  if (seeds !== undefined) throw new UsageError('--seeds: a live load has no seeds; use --repeat 30 to load 30 times');
  if (visual !== undefined) throw new UsageError('--visual: live loads have no visual metrics yet');
  if (hasCauses) throw new UsageError('--causes: a live load does not show where its time went');
  const tokenFor = liveTokensOf(settings);
  const {runs, code} = await repeatedLoads(page, scenario, repeats, {signal, tokenFor});
  const result = resultDocument(scenario, page, runs, predictAll(scenario, page));
  if (format === 'json') return {code, printed: json(result)};
  if (format === 'csv') return {code, printed: csv(result, scenario.panes)};
  return {code, printed: `${table(result, scenario)}${outLine(liveNote(scenario, repeats))}`};
}

/**
 * Loads all panes `repeats` times, and returns their metrics. Several repetitions are numbered from 1, and the numbers
 * are used like seeds: panes with the same number were loaded at nearly the same time, so they are compared in pairs.
 * Repetition 1 loads pane 1 first, repetition 2 pane 2, and so on; after the last pane, pane 1 is the first again. Also
 * returns the exit code: 1 if any pane is not complete in any repetition, otherwise 0.
 */
async function repeatedLoads(
  page: PageSnapshot,
  scenario: Scenario,
  repeats: number,
  options: Omit<LiveLoadOptions, 'onNote'>,
): Promise<{readonly runs: readonly SeedRun[]; readonly code: number}> {
  const runs: SeedRun[] = [];
  let code = 0;
  await withProgress('live loads', async show => {
    for (let number = 0; number < repeats; number++) {
      const firstPane = number % scenario.panes.length;
      const load = number === 0 ? loadWithNotes : loadLive;
      const {panes} = await load(page, scenario, {...options, firstPane});
      code = Math.max(code, printUnfinished(panes, repeats === 1 ? '' : `load ${number + 1}, `));
      const metrics = panes.map((data, pane) => paneMetrics({scenario, pane, data}));
      runs.push({seed: repeats === 1 ? scenario.seed : number + 1, panes: metrics});
      if (repeats > 1) show(number + 1, repeats);
    }
  });
  return {runs, code};
}

/** Loads every pane live once. If the server has another page, a line on standard error says so. */
export function loadWithNotes(
  page: PageSnapshot,
  scenario: Scenario,
  options: Omit<LiveLoadOptions, 'onNote'>,
): Promise<Run> {
  const onNote = (note: string) => void process.stderr.write(outLine(note));
  return new LiveLoad(page, scenario, {...options, onNote}).run();
}

/** Loads every pane live once, and prints nothing. */
function loadLive(page: PageSnapshot, scenario: Scenario, options: LiveLoadOptions): Promise<Run> {
  return new LiveLoad(page, scenario, options).run();
}

/**
 * Prints on standard error which panes are not complete and why, and which objects failed.
 * @param of the start of each line, which names the load: `load 2, `. If it is not empty, the failed objects are not
 * printed.
 * @returns the exit code: 1 if a pane is not complete, otherwise 0
 */
export function printUnfinished(panes: readonly TraceData[], of = ''): number {
  const lines = panes.flatMap(({outcome, reason, objects}, pane) =>
    outcome === 'complete'
      ? []
      : [`${of}pane ${pane + 1} is not complete: ${outcome}, ${reason}`, ...(of === '' ? failedLines(objects) : [])],
  );
  for (const line of lines) process.stderr.write(outLine(line));
  return lines.length > 0 ? 1 : 0;
}

/** Returns one line for each of the first 20 objects that failed, and a line with the number of the others. */
function failedLines(objects: TraceData['objects']): readonly string[] {
  const failed = objects.flatMap(({url, failure}) =>
    failure === null ? [] : [`  ${showName(url, LONGEST_URL)}: ${failureText(failure)}`],
  );
  const more = failed.length - MOST_FAILED_LINES;
  return [...failed.slice(0, MOST_FAILED_LINES), ...(more > 0 ? [`  and ${more} more`] : [])];
}

/** Returns the note below the table of a live run. */
export function liveNote({path}: Scenario, repeats = 1): string {
  const turn = repeats === 1 ? '' : ', beginning with another pane in each repetition';
  const order = path.atOnce ? 'all panes at once' : `one pane after the other${turn}`;
  return `live, ${order}; ${NOT_KNOWN}`;
}

/** The note that says why the table of a live load lacks some numbers. */
export const NOT_KNOWN = 'the client cannot count lost packets, nor packets of the kernel’s TCP, so they are left out';

const MOST_FAILED_LINES = 20;
const LONGEST_URL = 100;
