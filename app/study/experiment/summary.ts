import type {Json} from '../../base/json.ts';
import {quartiles} from '../../run/metrics/quartiles.ts';
import {estimate} from '../../run/metrics/statistics.ts';
import {type LeftOut, leftOut} from '../../run/metrics/summary.ts';
import {medianBootstrap} from './bootstrap.ts';
import {axisCells, axisColumns, cellScenario, type Grid} from './grid.ts';
import type {Metric} from './metricList.ts';
import type {PaneRow, RunRow} from './row.ts';
import {holm, type SignedRankTest, signedRankTest} from './significance.ts';

/** What `summary.json` says of a cell. */
export interface CellSummary {
  readonly cell: number;
  /** The axes' columns. */
  readonly axes: {readonly [column: string]: Json};
  readonly panes: readonly PaneCellSummary[];
}

export interface PaneCellSummary {
  /** From 1. */
  readonly pane: number;
  readonly pipeline: string;
  readonly runs: number;
  readonly complete: number;
  /** The other runs, by what became of them. */
  readonly leftOut: readonly LeftOut[];
  readonly metrics: {readonly [name: string]: MetricSummary};
}

/** Over the runs that are complete, but for what is restricted. */
export interface MetricSummary {
  /** Values. */
  readonly n: number;
  readonly mean: number | null;
  /** Half-width of the mean's 95 % confidence interval (Student's t). */
  readonly ci95: number | null;
  readonly median: number | null;
  readonly medianCi95: readonly [from: number, to: number] | null;
  readonly q1: number | null;
  readonly q3: number | null;
  /** Of times only: over all runs, those in which it never came counting as the scenario's time limit. */
  readonly restricted?: {readonly n: number; readonly mean: number | null; readonly ci95: number | null};
}

/** Two panes of a cell, seed by seed: differences are the first's value minus the second's. */
export interface Comparison {
  readonly cell: number;
  readonly panes: readonly [first: number, second: number];
  readonly metric: string;
  /** Seeds complete in both: mean and interval are of these. */
  readonly n: number;
  /** Seeds that are not complete in both. */
  readonly leftOut: number;
  readonly meanDifference: number | null;
  readonly ci95: number | null;
  /** Of times over all seeds, those in which it never came counting as the time limit; of others over the complete. */
  readonly signedRank: SignedRankTest;
}

/** A comparison with its p among those of its family. */
export type Corrected<C> = C & {
  /** After Holm's correction over all comparisons of the same metric. */
  readonly pHolm: number | null;
};

export type CorrectedComparison = Corrected<Comparison>;

/** How the numbers of `summary.json` come about, for whoever reads them. */
export const METHODS: {readonly [name: string]: string} = {
  values: 'of each metric over the runs that are complete in the pane; n counts them, leftOut names the others',
  ci95: 'half-width of the 95 % confidence interval of the mean, Student’s t',
  medianCi95: '95 % percentile bootstrap interval of the median over all resamples, in closed form (Efron 1982)',
  quartiles: 'q1, median and q3 by linear interpolation (Hyndman and Fan 1996, type 7)',
  restricted:
    'of times: the mean over all runs, one in which it never came counting as the time limit (restricted mean)',
  meanDifference: 'first pane minus second, seed by seed, over the seeds that are complete in both, with its ci95',
  signedRank:
    'Wilcoxon’s signed-rank test of these pairs, two-sided, equal pairs left out; of times over all seeds, one in ' +
    'which it never came counting as the time limit; none where all seeds agree in both panes; exact up to 50 pairs, beyond by the normal approximation with ' +
    'corrections for ties and continuity',
  pHolm:
    'p after Holm’s correction; its family: all cells and pairs of panes of the grid in the same metric; of across all ' +
    'its entries in the same metric',
  across:
    'where an axis chooses pipelines: the same pane at every two of its points, all other axes alike, compared as two ' +
    'panes are, first point minus second; null of a grid with too many runs for it',
};

/** Each with Holm's correction among those of its metric. */
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

/** How it was taken of a run does not matter to what is made of all. */
export type NamedMetric = Pick<Metric, 'name' | 'isEvent'>;

/** A cell's runs of all seeds, in their order, summed up. */
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

/** Every two panes of the cell, in each metric. */
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

/** Pairs of one seed each, in the metric at that place; with a limit it is a time. */
export function compareRows(
  pairs: readonly Pair[],
  metric: number,
  limitMs: number | null,
): Pick<Comparison, 'n' | 'leftOut' | 'meanDifference' | 'ci95' | 'signedRank'> {
  const complete = pairs.filter(pair => pair.every(isComplete));
  const values = valuesOf(complete, row => metricOf(row, metric));
  const {n, mean, ci95} = estimate(differences(values));
  const tested = limitMs === null ? values : valuesOf(pairs, row => restricted(row, metric, limitMs));
  const signedRank = isSample(tested) ? signedRankTest(differences(tested)) : {n: 0, w: 0, p: null};
  return {n, leftOut: pairs.length - complete.length, meanDifference: mean, ci95, signedRank};
}

type Pair = readonly [first: PaneRow, second: PaneRow];

export function isPair(pair: readonly [PaneRow | undefined, PaneRow | undefined]): pair is Pair {
  return pair.every(row => row !== undefined);
}

type Values = readonly [first: number, second: number];

/** Of the pairs that have both. */
function valuesOf(pairs: readonly Pair[], of: (row: PaneRow) => number | null): readonly Values[] {
  return pairs.flatMap(([first, second]) => {
    const [own, other] = [of(first), of(second)];
    return own === null || other === null ? [] : [[own, other] as const];
  });
}

/** In whole ns where they are times, as all times of a run are: sums of doubles would tell equal ones apart. */
function differences(values: readonly Values[]): readonly number[] {
  return values.map(([first, second]) => Math.round((first - second) * 1e6) / 1e6);
}

/** Where the seed changes nothing, as without loss, all runs are one: that they agree is no evidence. */
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
  const all = n === rows.length ? {n, mean, ci95} : estimate(rows.map(row => restricted(row, metric, limitMs)));
  return {...summary, restricted: {n: all.n, mean: all.mean, ci95: all.ci95}};
}

function metricOf({values}: PaneRow, metric: number): number | null {
  return values[metric] ?? null;
}

/** A load that is not complete has it not before the limit; a complete one without it cannot have it at all. */
function restricted(row: PaneRow, metric: number, limitMs: number | null): number | null {
  return metricOf(row, metric) ?? (isComplete(row) ? null : limitMs);
}

function isComplete({outcome}: PaneRow): boolean {
  return outcome === 'complete';
}
