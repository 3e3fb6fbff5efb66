import {basename} from 'node:path';
import {showName} from '../../../../app/base/text.ts';
import type {PageSnapshot} from '../../../../app/page/page.ts';
import {paneMetrics} from '../../../../app/run/metrics/paneMetrics.ts';
import {livePathOf} from '../../../../app/run/scenario/livePath.ts';
import type {Scenario} from '../../../../app/run/scenario/scenario.ts';
import {type FilePane, firstChoice, joinedRun, joinedScenario, otherPage} from '../../../../app/run/trace/joinRuns.ts';
import {type Prediction, predictAll} from '../../../../app/study/model/prediction.ts';
import {conversionNotes} from '../../../../app/telling/narration/conversions.ts';
import {openPageFor} from '../../../pages/convertPage.ts';
import {panesOfTraces} from '../../options/traceFiles.ts';
import {UsageError} from '../../options/usageError.ts';
import {json, outLine, printLeftOut} from '../../output.ts';
import {liveNote, NOT_KNOWN} from './live.ts';
import {csv, noteName, type Result, resultDocument, table} from './result.ts';
import type {RunSettings} from './run.ts';

/** A pane with the page that its run loaded. */
interface OpenedPane extends FilePane {
  readonly snapshot: PageSnapshot;
}

/**
 * Returns the panes that `run --trace` compares, with their pages. If the files have more panes than can be compared, a
 * line on standard error says so.
 * @throws UsageError, PageError; the signal's reason
 */
export async function openTraces(
  {traces}: Pick<RunSettings, 'traces'>,
  fixtures: string,
  signal: AbortSignal,
): Promise<readonly OpenedPane[]> {
  const all = panesOfTraces(traces);
  const chosen = firstChoice(all);
  if (chosen.length < all.length)
    process.stderr.write(
      outLine(`the files have ${all.length} panes; ${chosen.length} are shown, each the first of its file`),
    );
  const panes = await opened(chosen, fixtures);
  signal.throwIfAborted();
  return panes;
}

/** Returns what `run --trace` prints: the metrics of the saved loads. @throws UsageError */
export function traceResult(
  {traces, format}: Pick<RunSettings, 'traces' | 'format'>,
  panes: readonly OpenedPane[],
): string {
  const [scenario, [first]] = [joinedScenario(panes), panes];
  if (scenario === undefined || first === undefined) throw new UsageError('the trace files have no panes');
  const runs = [{seed: scenario.seed, panes: panes.map(pane => paneMetrics(pane))}];
  const sources = joinedRun(panes)?.sources;
  const result: Result = {
    ...resultDocument(scenario, first.snapshot, runs, panes.flatMap(modelOf)),
    traces: traces.map(path => basename(path)),
    ...(sources === undefined ? {} : {sources}),
  };
  if (format === 'json') return json(result);
  if (format === 'csv') return csv(result, scenario.panes);
  const notes = sources === undefined ? runNotes(scenario) : sourceNotes(panes);
  return [table(result, scenario), ...pictureNotes(panes), ...notes].join('');
}

/**
 * Opens the page of each run once, and returns the panes with their pages.
 * @throws UsageError if a page has changed; PageError
 */
async function opened(panes: readonly FilePane[], fixtures: string): Promise<readonly OpenedPane[]> {
  const pages = new Map<Scenario, PageSnapshot>();
  const found: OpenedPane[] = [];
  for (const pane of panes) {
    const {scenario} = pane;
    const known = pages.get(scenario);
    const snapshot = known ?? (await openPageFor(scenario, fixtures));
    const problem = otherPage(pane, snapshot);
    if (problem !== undefined) throw new UsageError(problem);
    if (known === undefined) printLeftOut(snapshot);
    pages.set(scenario, snapshot);
    found.push({...pane, snapshot});
  }
  return found;
}

/** Returns the model's prediction for the pane, computed with the scenario and page of the pane's own run. */
function modelOf({scenario, pane, snapshot}: OpenedPane): readonly Prediction[] {
  return predictAll(scenario, snapshot).slice(pane, pane + 1);
}

/** Returns notes on how gateways converted the pictures of each run's page. */
function pictureNotes(panes: readonly OpenedPane[]): readonly string[] {
  const runs = new Map(panes.map(({scenario, snapshot}) => [scenario, snapshot]));
  return Array.from(runs).flatMap(([run, page]) => {
    const own = panes.flatMap((pane, i) => (pane.scenario === run ? [{pane, name: noteName(pane, i)}] : []));
    const settings = own.flatMap(({pane}) => run.panes[pane.pane] ?? []);
    const notes = conversionNotes(
      page,
      settings,
      own.map(({name}) => name),
    );
    return notes.map(note => `${note}\n`);
  });
}

/** Returns the notes for panes that are all from one run. */
function runNotes(scenario: Scenario): readonly string[] {
  return scenario.path.live === undefined ? [] : [outLine(liveNote(scenario))];
}

/**
 * Returns one line for each pane, which names the file and the run that the pane comes from. If the scenario of a pane
 * is live, one more line explains why some cells of the table have no number.
 */
function sourceNotes(panes: readonly OpenedPane[]): readonly string[] {
  const lines = panes.map(({file, scenario, pane}, i) => {
    const settings = scenario.panes[pane];
    const live = settings && livePathOf(scenario, settings)?.live;
    const {captured} = scenario.path;
    const happened = live === undefined ? captured && `captured (${captured})` : `live ${live}`;
    const load = happened ?? `seed ${scenario.seed}`;
    const place = `pane ${pane + 1} of ${scenario.panes.length}`;
    return `pane ${i + 1}: ${showName(file, LONGEST_NAME)}, ${place}, ${load}\n`;
  });
  const isLive = panes.some(({scenario}) => scenario.path.live !== undefined);
  return isLive ? [...lines, outLine(`live panes: ${NOT_KNOWN}`)] : lines;
}

/** The maximum number of characters of a file's name in a table. */
const LONGEST_NAME = 80;
