import type {Json} from '../../base/json.ts';
import {type LeftOut, leftOut} from '../../run/metrics/paneSummary.ts';
import {quartiles} from '../../run/metrics/quartiles.ts';
import {estimate} from '../../run/metrics/statistics.ts';
import {medianBootstrap} from './bootstrap.ts';
import {axisCells, axisColumns, cellScenario, type Grid} from './grid.ts';
import type {Metric} from './metricList.ts';
import type {PaneRow, RunRow} from './row.ts';
import {holm, type SignedRankTest, signedRankTest} from './significance.ts';

/** The part of `summary.json` about one cell. */
export interface CellSummary {
  readonly cell: number;
  /** The cell's values in the columns of the axes. */
  readonly axes: {readonly [column: string]: Json};
  readonly panes: readonly PaneCellSummary[];
}

export interface PaneCellSummary {
  /** The pane's number, from 1. */
  readonly pane: number;
  readonly pipeline: string;
  readonly runs: number;
  readonly complete: number;
  /** The runs that are not complete, grouped by the reason. */
  readonly leftOut: readonly LeftOut[];
  readonly metrics: {readonly [name: string]: MetricSummary};
}

/** A metric's statistics over the complete runs; `restricted` is over all runs. */
export interface MetricSummary {
  /** Number of values. */
  readonly n: number;
  readonly mean: number | null;
  /** Half-width of the mean's 95 % confidence interval (Student's t). */
  readonly ci95: number | null;
  readonly median: number | null;
  readonly medianCi95: readonly [from: number, to: number] | null;
  readonly q1: number | null;
  readonly q3: number | null;
  /**
   * Statistics over all runs, only for a metric that is the time of an event. An incomplete run in which the event did
   * not happen counts as the scenario's time limit. A complete run without the event is left out, because the event
   * cannot happen on its page.
   */
  readonly restricted?: {readonly n: number; readonly mean: number | null; readonly ci95: number | null};
}

/** Compares two panes of a cell, paired by seed. Differences are the first pane's value minus the second's. */
export interface Comparison {
  readonly cell: number;
  readonly panes: readonly [first: number, second: number];
  readonly metric: string;
  /**
   * Number of seeds with which both panes are complete and have a value. The mean difference and its interval are over
   * these seeds.
   */
  readonly n: number;
  /** Number of seeds with which at least one of the two panes is not complete. */
  readonly leftOut: number;
  readonly meanDifference: number | null;
  readonly ci95: number | null;
  /**
   * If the metric is the time of an event, the test is over all seeds, and an incomplete run in which the event did not
   * happen counts as the time limit. For other metrics the test is over the seeds with complete runs in both panes.
   * There is no test if there are several seeds and each pane has the same value with all of them.
   */
  readonly signedRank: SignedRankTest;
}

/** A comparison with its p-value corrected for the family of all comparisons in the same metric. */
export type Corrected<C> = C & {
  /** p after Holm's correction; null without a test. */
  readonly pHolm: number | null;
};

export type CorrectedComparison = Corrected<Comparison>;

/** How the numbers in `summary.json` are computed; the file and the report print these sentences. */
export const METHODS: {readonly [name: string]: string} = {
  values:
    'Each metric is summarised over the runs in which the pane is complete and has a value. n is the number of these ' +
    'runs. leftOut lists the runs in which the pane is not complete.',
  ci95: 'The half-width of the 95 % confidence interval of the mean (Student’s t).',
  medianCi95:
    'The 95 % percentile bootstrap interval of the median over all resamples, in closed form (Efron 1982, chapter 10).',
  quartiles: 'q1, median and q3 are computed by linear interpolation (Hyndman and Fan 1996, type 7).',
  restricted:
    'For the time of an event: the mean over all runs. An incomplete run in which the event did not happen counts as ' +
    'the time limit (restricted mean).',
  meanDifference:
    'The mean, with its ci95, of the first pane’s value minus the second pane’s value with the same seed. Only seeds ' +
    'with which both panes are complete count.',
  signedRank:
    'Wilcoxon’s signed-rank test of the pairs of values with the same seed, two-sided. Equal pairs are left out. For ' +
    'the time of an event, the test includes all seeds, and an incomplete run in which the event did not happen ' +
    'counts as the time limit. There is no test if there are several seeds and each pane has the same value with all ' +
    'of them. For up to 50 pairs, p is exact; for more pairs, p is the normal approximation with corrections for ' +
    'ties and continuity.',
  pHolm:
    'p after Holm’s correction over all comparisons of two panes in all cells of the grid, in the same metric. In ' +
    '"across", the correction is over all entries of "across" in the same metric.',
  across:
    'If an axis chooses pipelines, "across" compares a pane at one point of this axis with the same pane at another ' +
    'point, for every two points. The point on every other axis is the same. Differences are first point minus second ' +
    'point. "across" is null if the grid has too many runs for this.',
};

/** Adds Holm's correction among all comparisons of the same metric. */
export function corrected<C extends Pick<Comparison, 'metric' | 'signedRank'>>(
  comparisons: readonly C[],
): readonly Corrected<C>[] {
  const families = new Map<string, number[]>();
  for (const [i, {metric}] of comparisons.entries()) {
    const family = families.get(metric) ?? [];
    family.push(i);
    families.set(metric, family);
  }
  const pHolm: (number | null)[] = comparisons.map(() => null);
  for (const family of families.values()) {
    const ps = holm(family.map(i => comparisons[i]?.signedRank.p ?? null));
    for (const [place, i] of family.entries()) pHolm[i] = ps[place] ?? null;
  }
  return comparisons.map((comparison, i) => ({...comparison, pHolm: pHolm[i] ?? null}));
}

/** A metric without the function that computes it; summaries need only its name and kind. */
export type NamedMetric = Pick<Metric, 'name' | 'isEvent'>;

/** Summarises a cell. `runs` are its runs with all seeds, in the grid's order. */
export function summariseCell(
  grid: Grid,
  cell: number,
  runs: readonly RunRow[],
  metrics: readonly NamedMetric[],
): CellSummary {
  const {panes, timeLimitMs} = cellScenario(grid, cell);
  const columns = axisColumns(grid);
  const axes = Object.fromEntries(axisCells(grid, cell).map((value, i) => [columns[i] ?? '', value]));
  return {
    cell,
    axes,
    panes: panes.map(({pipeline}, pane) => {
      const rows = runs.map(run => run.panes[pane]).filter(row => row !== undefined);
      const summaries = metrics.map(({name, isEvent}, metric) => {
        return [name, summariseMetric(rows, metric, isEvent ? timeLimitMs : null)] as const;
      });
      return {
        pane: pane + 1,
        pipeline,
        runs: rows.length,
        complete: rows.filter(isComplete).length,
        leftOut: leftOut(rows.map((row, i) => ({...row, seed: grid.seeds[i] ?? 0}))),
        metrics: Object.fromEntries(summaries),
      };
    }),
  };
}

/** Compares every two panes of a cell in each metric. */
export function compareCell(
  grid: Grid,
  cell: number,
  runs: readonly RunRow[],
  metrics: readonly NamedMetric[],
): readonly Comparison[] {
  const {panes, timeLimitMs} = cellScenario(grid, cell);
  const pairs = panes.flatMap((_, second) => {
    return panes.slice(0, second).map((_, first) => [first, second] as const);
  });
  return pairs.flatMap(([first, second]) => {
    const rows = runs.map(run => [run.panes[first], run.panes[second]] as const).filter(isPair);
    return metrics.map(({name, isEvent}, metric) => {
      const names = {cell, panes: [first + 1, second + 1] as const, metric: name};
      return {...names, ...compareRows(rows, metric, isEvent ? timeLimitMs : null)};
    });
  });
}

/** Compares pairs of rows in the metric with index `metric`. `limitMs` is null unless the metric is an event's time. */
export function compareRows(
  pairs: readonly Pair[],
  metric: number,
  limitMs: number | null,
): Pick<Comparison, 'n' | 'leftOut' | 'meanDifference' | 'ci95' | 'signedRank'> {
  const complete = pairs.filter(pair => pair.every(isComplete));
  const values = valuesOf(complete, row => metricOf(row, metric));
  const {n, mean, ci95} = estimate(differences(values));
  const tested = limitMs === null ? values : valuesOf(pairs, row => restrictedValue(row, metric, limitMs));
  const signedRank = isSample(tested) ? signedRankTest(differences(tested)) : {n: 0, w: 0, p: null};
  return {n, leftOut: pairs.length - complete.length, meanDifference: mean, ci95, signedRank};
}

type Pair = readonly [first: PaneRow, second: PaneRow];

export function isPair(pair: readonly [PaneRow | undefined, PaneRow | undefined]): pair is Pair {
  return pair.every(row => row !== undefined);
}

type Values = readonly [first: number, second: number];

/** The values of the pairs in which both rows have one. */
function valuesOf(pairs: readonly Pair[], of: (row: PaneRow) => number | null): readonly Values[] {
  return pairs.flatMap(([first, second]) => {
    const [own, other] = [of(first), of(second)];
    return own === null || other === null ? [] : [[own, other] as const];
  });
}

/** First minus second. Times are rounded to whole ns, so that rounding errors do not make equal times differ. */
function differences(values: readonly Values[]): readonly number[] {
  return values.map(([first, second]) => Math.round((first - second) * 1e6) / 1e6);
}

/** False if several seeds all give the same values, for example without loss. Such runs are no independent evidence. */
function isSample(values: readonly Values[]): boolean {
  const [own, ...others] = values;
  return others.length === 0 || others.some(other => other[0] !== own?.[0] || other[1] !== own[1]);
}

function summariseMetric(rows: readonly PaneRow[], metric: number, limitMs: number | null): MetricSummary {
  const values = rows.filter(isComplete).map(row => metricOf(row, metric));
  const {n, mean, ci95, median} = estimate(values);
  const sorted = values.filter(value => value !== null).sort((a, b) => a - b);
  const {q1, q3} = quartiles(sorted) ?? {q1: null, q3: null};
  const summary = {n, mean, ci95, median, medianCi95: medianBootstrap(sorted), q1, q3};
  if (limitMs === null) return summary;
  const all = n === rows.length ? {n, mean, ci95} : estimate(rows.map(row => restrictedValue(row, metric, limitMs)));
  return {...summary, restricted: {n: all.n, mean: all.mean, ci95: all.ci95}};
}

function metricOf({values}: PaneRow, metric: number): number | null {
  return values[metric] ?? null;
}

/**
 * Returns the time of an event that a load contributes to statistics over all loads. If the event happened, also in an
 * incomplete load, it is the time of the event. If not, it is the time limit for an incomplete load, and null for a
 * complete one.
 */
export function restrictedValue(row: PaneRow, metric: number, limitMs: number): number | null {
  return metricOf(row, metric) ?? (isComplete(row) ? null : limitMs);
}

function isComplete({outcome}: PaneRow): boolean {
  return outcome === 'complete';
}
