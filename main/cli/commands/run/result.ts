import type {Json} from '../../../../app/base/json.ts';
import {failureText} from '../../../../app/page/failure.ts';
import {type PageStamp, pageStamp} from '../../../../app/page/page.ts';
import type {Recording} from '../../../../app/page/recording.ts';
import type {Pane} from '../../../../app/pipelines/index.ts';
import {columnLabels, shortNames} from '../../../../app/pipelines/paneLabels.ts';
import {capturedText} from '../../../../app/pipelines/settingTexts.ts';
import {type Clock, clockOf, HEADLINES, onClock} from '../../../../app/run/metrics/clock.ts';
import {NAVIGATION_TIMES, type PaneMetrics, PERCENTS} from '../../../../app/run/metrics/metrics.ts';
import {
  type PaneComparison,
  type PaneSummary,
  type SeedRun,
  summarise,
} from '../../../../app/run/metrics/paneSummary.ts';
import {type RecordedShare, recordedShare, recordedText} from '../../../../app/run/metrics/recordedShare.ts';
import {runNotes, summaryNotes} from '../../../../app/run/metrics/runNotes.ts';
import {type Estimate, estimate} from '../../../../app/run/metrics/statistics.ts';
import {type PageQuality, seenAs} from '../../../../app/run/quality/pageQuality.ts';
import type {Eye, Thresholds} from '../../../../app/run/quality/states.ts';
import {VISUAL_TIMES, type VisualOf} from '../../../../app/run/quality/visual.ts';
import {scenarioDocument} from '../../../../app/run/scenario/document.ts';
import {ownDropsText} from '../../../../app/run/scenario/paneDrops.ts';
import type {Scenario} from '../../../../app/run/scenario/scenario.ts';
import type {PaneSource} from '../../../../app/run/trace/runFile.ts';
import {type CauseSummary, summariseCauses} from '../../../../app/run/why/causeSummary.ts';
import {PANE_NAME, RUN_COLUMNS} from '../../../../app/study/experiment/axis.ts';
import {csvLine} from '../../../../app/study/experiment/csv.ts';
import {CAUSE_METRICS, METRICS, type Metric, VISUAL_METRICS} from '../../../../app/study/experiment/metricList.ts';
import {absenceNotes, type Prediction} from '../../../../app/study/model/prediction.ts';
import {browserNote, setUpNotes} from '../../../../app/telling/narration/paneNotes.ts';

/** What `run --json` prints. */
export interface Result {
  readonly scenario: Json;
  /** The moment from which the compared times of panes count. */
  readonly clock: Clock;
  readonly page: PageStamp;
  /** How much of the recorded page the first run loaded. Absent if no browser has recorded the page. */
  readonly recorded?: RecordedShare;
  readonly runs: readonly SeedRun[];
  /** One entry for each pane. With `--causes`, the entries also have the causes of the pane's time until finish. */
  readonly summary: readonly (PaneSummary & Partial<CauseSummary>)[];
  /** Only with `--visual`: the thresholds, and the screen on which the page was laid out. */
  readonly visual?: Thresholds & {readonly screen: PageQuality['screen']};
  /** The prediction of L06's analytic model for each pane. It does not depend on the runs. */
  readonly model: readonly Prediction[];
  /** Only with `--trace`: the names of the files. */
  readonly traces?: readonly string[];
  /**
   * The run that each pane comes from. Present only if the panes come from several runs. This list then has the
   * scenario, seed and page of each pane, because `scenario`, `page` and `runs` have only those of the first pane.
   */
  readonly sources?: readonly PaneSource[];
}

export function resultDocument(
  scenario: Scenario,
  page: PageStamp & {readonly recording?: Recording},
  runs: Result['runs'],
  model: readonly Prediction[],
  eye?: Eye,
): Result {
  const recorded = shareOf(page.recording, runs[0]);
  const clock = clockOf(scenario);
  const head = {scenario: scenarioDocument(scenario), clock, page: pageStamp(page), ...(recorded && {recorded})};
  const summary = summaryOf(runs);
  if (eye === undefined) return {...head, runs, summary, model};
  const {quality, thresholds} = eye;
  return {
    ...head,
    runs: runs.map(({seed, panes}) => ({
      seed,
      panes: panes.map((pane, i) => withQuality(pane, seenAs(quality, scenario.panes[i]?.conversion))),
    })),
    summary,
    visual: {...thresholds, screen: quality.screen},
    model,
  };
}

function summaryOf(runs: Result['runs']): Result['summary'] {
  const summary = summarise(runs);
  if (!hasCauses(runs)) return summary;
  const causes = summariseCauses(runs);
  return summary.map((pane, i) => ({...pane, ...causes[i]}));
}

function hasCauses(runs: Result['runs']): boolean {
  return runs.some(({panes}) => panes.some(({causes}) => causes !== undefined));
}

function shareOf(recording: Recording | undefined, run: SeedRun | undefined): RecordedShare | undefined {
  if (recording === undefined || run === undefined) return undefined;
  const loads = run.panes.map(({objects}) =>
    objects.map(({bytes, requestMs}) => ({bytes, isRequested: requestMs !== null})),
  );
  return recordedShare(recording, loads);
}

function withQuality(pane: PaneMetrics, seen: PageQuality['objects']): PaneMetrics {
  const objects = pane.objects.map((object, i) => ({...object, quality: seen[i]?.curve ?? null}));
  return {...pane, objects};
}

/** Returns CSV with one line for each seed, pane and object, for spreadsheets. */
export function csv(result: Result, panes: readonly Pane[]): string {
  const visual = result.visual === undefined ? [] : VISUAL_METRICS;
  const names = (metrics: readonly Metric[]): readonly string[] => metrics.map(({name}) => name);
  const first = METRICS.filter(({endsLine}) => !endsLine);
  const last = [...visual, ...METRICS.filter(({endsLine}) => endsLine)];
  const causes = hasCauses(result.runs) ? CAUSE_METRICS : [];
  const usual = [...RUN_COLUMNS, ...names(first), ...OBJECT_COLUMNS, 'reason', ...names(last), PANE_NAME];
  const header = [...usual, ...names(causes)];
  const labels = columnLabels(panes);
  const lines = result.runs.flatMap(({seed, panes}) =>
    panes.flatMap((pane, number) => {
      const drawn = seedOf(result.sources?.[number]) ?? seed;
      const [before, after, why] = [first, last, causes].map(metrics => metrics.map(({of}) => of(pane)));
      return pane.objects.map((object, i) =>
        csvLine([
          drawn,
          number + 1,
          pane.pipeline,
          pane.outcome,
          ...(before ?? []),
          i,
          object.url,
          object.bytes,
          object.stream,
          object.requestMs,
          object.firstByteMs,
          object.completeMs,
          object.latencyMs,
          object.failure && failureText(object.failure),
          pane.reason,
          ...(after ?? []),
          labels[number] ?? null,
          ...(why ?? []),
        ]),
      );
    }),
  );
  return [csvLine(header), ...lines].join('');
}

/** Returns the seed of the run that a pane comes from. Undefined without a source. The run's scenario must be valid. */
function seedOf(source: PaneSource | undefined): number | undefined {
  return (source?.scenario as {readonly seed?: number} | undefined)?.seed;
}

const OBJECT_COLUMNS = [
  'object',
  'url',
  'bytes',
  'stream',
  'requestMs',
  'firstByteMs',
  'completeMs',
  'latencyMs',
  'failure',
];

/** Returns a table for people: the means over several runs, or the metrics and objects of a single run. */
export function table(result: Result, scenario: Pick<Scenario, 'panes' | 'path' | 'browser' | 'server'>): string {
  const [only, ...others] = result.runs;
  if (only === undefined) return '';
  return others.length === 0 ? oneRun(only, result, scenario) : manyRuns(result, scenario);
}

function manyRuns(result: Result, scenario: Pick<Scenario, 'panes' | 'path' | 'browser' | 'server'>): string {
  const {runs, summary, visual, model, clock} = result;
  const {panes, path} = scenario;
  const {metric, short, from} = HEADLINES[clock];
  const against = ({againstFirst, finishAgainstFirst}: PaneSummary): PaneComparison | null =>
    clock === 'navigation' ? finishAgainstFirst : againstFirst;
  const shares = PERCENTS.map((percent): [string, (pane: PaneSummary, i: number) => string] => [
    shareLabel(percent),
    (_, i) => show(estimate(runs.map(run => shareMs(run.panes[i], percent, clock)))),
  ]);
  const rows: [string, (pane: PaneSummary, i: number) => string][] = [
    ['complete', pane => `${pane.complete} of ${pane.runs}`],
    ['set-up', pane => show(pane.setupMs)],
    ...(clock === 'navigation' ? [] : shares),
    ...NAVIGATION_TIMES.map(({key, label}): [string, (pane: PaneSummary) => string] => [
      label,
      pane => show(pane[key]),
    ]),
    ...(clock === 'navigation' ? shares : []),
    [`${short}, median`, pane => milliseconds(pane[metric].median)],
    ...modelRows(model, clock),
    ['silent', pane => show(pane.silentMs)],
    ['HOL blocked', pane => show(pane.holBlockedMs)],
    ['longest wait', pane => show(pane.longestWaitMs)],
    ['lost down', pane => show(pane.lost.down)],
    ...rowOfMarks('marked down', summary, pane => (pane.marked === undefined ? '' : show(pane.marked.down))),
    ['retransmitted', pane => show(pane.retransmitted)],
    ...visualRows(summary, show),
    [`${short}, first / this`, pane => against(pane)?.ratio?.toFixed(2) ?? ''],
    [`${short}, this − first`, pane => showIfAny(against(pane)?.differenceMs)],
    ['rank test, p', pane => against(pane)?.rankTest.p?.toPrecision(2) ?? ''],
    ['complete in both', pane => String(against(pane)?.runs ?? '')],
  ];
  const what = path.live === undefined ? 'runs' : 'live loads';
  const title = `${runs.length} ${what}; times in ms: mean ± half of the 95 % confidence interval, over complete runs`;
  return align([
    [title],
    ...clocks(clock, visual),
    [`panes are compared by ${metric === 'finishMs' ? 'finish' : 'page time T'}, ${from}`],
    ['', ...paneNames(panes)],
    ...rows.map(([label, cell]) => [label, ...summary.map(cell)]),
    ...summaryNotes(summary, panes.map(noteName)).map(note => [note]),
    ...pathNotes(result, scenario),
  ]);
}

function oneRun(
  {seed, panes}: SeedRun,
  result: Result,
  scenario: Pick<Scenario, 'panes' | 'path' | 'browser' | 'server'>,
): string {
  const {visual, model, sources, clock} = result;
  const {panes: settings, path} = scenario;
  const shares = PERCENTS.map((percent): [string, (pane: PaneMetrics) => string] => [
    shareLabel(percent),
    pane => milliseconds(shareMs(pane, percent, clock)),
  ]);
  const rows: [string, (pane: PaneMetrics, i: number) => string][] = [
    ['outcome', pane => pane.outcome],
    ['set-up', pane => milliseconds(pane.setupMs)],
    ...(clock === 'navigation' ? [] : shares),
    ...NAVIGATION_TIMES.map(({key, label}): [string, (pane: PaneMetrics) => string] => [
      label,
      pane => milliseconds(pane[key]),
    ]),
    ...(clock === 'navigation' ? shares : []),
    ...modelRows(model, clock),
    ['silent', pane => milliseconds(pane.silentMs)],
    ['HOL blocked', pane => milliseconds(pane.holBlockedMs)],
    ['longest wait', pane => milliseconds(pane.longestWaitMs)],
    ['packets down/up', ({packets}) => `${count(packets.down)}/${count(packets.up)}`],
    ['lost down/up', ({lost}) => `${count(lost.down)}/${count(lost.up)}`],
    ...rowOfMarks('marked down/up', panes, ({marked}) =>
      marked === undefined ? '' : `${count(marked.down)}/${count(marked.up)}`,
    ),
    ['retransmitted', pane => count(pane.retransmitted)],
    ...visualRows(panes, milliseconds),
  ];
  // panes from several runs may have loaded different pages
  const urls = new Set(panes.flatMap(({objects}) => objects.map(({url}) => url)));
  const found = panes.map(({objects}) => new Map(objects.map(object => [object.url, object])));
  const objects = Array.from(urls, url => [url, ...found.map(each => objectText(each.get(url)))]);
  // live and captured loads have no seed
  const drawn =
    path.captured === undefined ? (path.live === undefined ? `seed ${seed}` : 'live') : capturedText(path.captured);
  return align([
    [`${sources === undefined ? drawn : 'recorded loads'}; times in ms`],
    ...clocks(clock, visual),
    ['', ...paneNames(settings)],
    ...rows.map(([label, cell]) => [label, ...panes.map(cell)]),
    [''],
    ['time from navigation until each object is complete'],
    ...objects,
    ...runNotes(panes, panes.map(noteName)).map(note => [note]),
    ...pathNotes(result, scenario),
  ]);
}

/** Returns the row with the numbers of packets that queues marked. Returns no row if no pane uses ECN. */
function rowOfMarks<P extends {readonly marked?: unknown}>(
  label: string,
  panes: readonly P[],
  cell: (pane: P) => string,
): [string, (pane: P) => string][] {
  return panes.some(({marked}) => marked !== undefined) ? [[label, cell]] : [];
}

/** Returns the rows of `--visual`. Returns no rows without `--visual`. */
function visualRows<T, P extends {readonly visual?: VisualOf<T>}>(
  panes: readonly P[],
  show: (time: T) => string,
): readonly [string, (pane: P) => string][] {
  if (panes.every(({visual}) => visual === undefined)) return [];
  return VISUAL_TIMES.map(({label, of}) => [label, ({visual}) => (visual === undefined ? '' : show(of(visual)))]);
}

/**
 * Returns the row with the predictions of L06's analytic model, measured from the moment that `clock` names. There is
 * no row if the model applies to no pane.
 */
function modelRows(model: readonly Prediction[], clock: Clock): readonly [string, (_: unknown, i: number) => string][] {
  if (model.every(({ok}) => !ok)) return [];
  const timeMs = (prediction: Prediction | undefined): number | null => {
    if (prediction?.ok !== true) return null;
    return clock === 'navigation' ? prediction.completeMs : prediction.pageTimeMs;
  };
  return [[`model ${HEADLINES[clock].short} (L06)`, (_, i) => milliseconds(timeMs(model[i]))]];
}

function shareLabel(percent: Percent): string {
  return percent === 100 ? 'page time T' : `${percent} %Page`;
}

/**
 * Returns the time when every object had `percent` of its bytes, measured from the moment that `clock` names. For 100 %
 * it is page time T, which is always measured from the first request. Null if the load is not complete.
 */
function shareMs(pane: PaneMetrics | undefined, percent: Percent, clock: Clock): number | null {
  if (pane === undefined || pane.outcome !== 'complete') return null;
  return percent === 100 ? pane.pageTimeMs : onClock(pane.pPageMs[percent], pane, clock);
}

type Percent = (typeof PERCENTS)[number];

function objectText(object: PaneMetrics['objects'][number] | undefined): string {
  if (object?.failure) return failureText(object.failure);
  return milliseconds(object?.completeMs ?? null);
}

/**
 * Returns the notes below the table. They say which panes lose packets that other panes do not lose, how set-ups differ,
 * how the browser of each pane requests objects, how much of a recorded page was loaded, and to which panes L06's model
 * does not apply.
 */
function pathNotes(
  {model, sources, recorded}: Result,
  scenario: Pick<Scenario, 'panes' | 'path' | 'browser' | 'server'>,
): readonly (readonly [string])[] {
  const {panes} = scenario;
  const names = panes.map(noteName);
  const isLive = (pane: number): boolean => (panes[pane]?.path ?? scenario.path).live !== undefined;
  // panes from several runs may have different paths and browsers
  const browser = sources === undefined ? browserNote(scenario, {names, isLive}) : '';
  const own = ownDropsText(panes, names);
  const losses = own === '' ? '' : `not the same losses: ${own}`;
  const hasNoShare = recorded === undefined || sources !== undefined || scenario.path.captured !== undefined;
  const share = hasNoShare ? '' : recordedText(recorded, names);
  const notes = [losses, ...setUpNotes(panes, names), browser, share, ...absenceNotes(model, names)];
  return notes.flatMap(note => (note === '' ? [] : [[note] as const]));
}

/** Returns the name of a pane in notes. */
export function noteName(_: unknown, i: number): string {
  return `pane ${i + 1}`;
}

/** Returns lines that say from when each time is measured, and which thresholds `--visual` has. */
function clocks(clock: Clock, visual: Result['visual']): readonly (readonly [string])[] {
  if (visual === undefined) return [[CLOCK_TEXTS[clock]]];
  const {recognisable, good, screen} = visual;
  return [
    [CLOCK_TEXTS[clock]],
    ['recognisable, good, Speed Index and visible are measured from navigation'],
    [`recognisable: SSIM of at least ${recognisable}; good: SSIM of at least ${good}`],
    [`visible: visual progress of the first screen, ${screen.width} x ${screen.height} px`],
  ];
}

const CLOCK_TEXTS: {readonly [C in Clock]: string} = {
  navigation: 'times are measured from navigation; T and silent from the first request',
  'first-request': 'T, %Page and silent are measured from the first request; the other times from navigation',
};

/** Returns the names of panes with their numbers: `2 TCP 6 connections`. */
export function paneNames(panes: readonly Pane[]): readonly string[] {
  return shortNames(panes).map((name, i) => `${i + 1} ${name.replace(/ \(pane \d+\)$/, '')}`);
}

function showIfAny(estimated: Estimate | undefined): string {
  return estimated === undefined ? '' : show(estimated);
}

function show({mean, ci95}: Estimate): string {
  return mean === null ? '–' : `${milliseconds(mean)}${ci95 === null ? '' : ` ± ${milliseconds(ci95)}`}`;
}

/** Formats a time as whole ms, or with one decimal if it is below 100 ms. Null and NaN become `–`. */
export function milliseconds(value: number | null): string {
  return value === null || Number.isNaN(value) ? '–' : value.toFixed(Math.abs(value) < 100 ? 1 : 0);
}

/** Formats a number. NaN means that the number is unknown. */
function count(value: number): string {
  return Number.isNaN(value) ? '–' : String(value);
}

/**
 * Aligns rows as a table: the first column to the left, the others to the right. A row with a single cell becomes a
 * line that is not aligned.
 */
export function align(lines: readonly (readonly string[])[]): string {
  const columns = lines.filter(line => line.length > 1);
  const widths = (columns[0] ?? []).map((_, i) => Math.max(...columns.map(line => line[i]?.length ?? 0)));
  return lines
    .map(line => {
      if (line.length === 1) return line[0];
      return line
        .map((cell, i) => (i === 0 ? cell.padEnd(widths[i] ?? 0) : cell.padStart((widths[i] ?? 0) + 2)))
        .join('');
    })
    .map(line => `${line?.trimEnd()}\n`)
    .join('');
}
