import {quartiles} from '../metrics/quartiles.ts';
import {estimate} from '../metrics/statistics.ts';
import {type LeftOut, leftOut} from '../metrics/summary.ts';
import type {Json} from '../scenario/document.ts';
import {medianBootstrap} from './bootstrap.ts';
import {axisCells, axisColumns, cellScenario, type Grid} from './grid.ts';
import type {Metric} from './metricList.ts';
import type {PaneRow, RunRow} from './row.ts';
import {type SignedRankTest, signedRankTest} from './signedRank.ts';

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

/** A cell's runs of all seeds, in their order, summed up. */
export function summariseCell(
  grid: Grid,
  cell: number,
  runs: readonly RunRow[],
  metrics: readonly Metric[],
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
        ...{pane: pane + 1, pipeline, runs: rows.length},
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
  metrics: readonly Metric[],
): readonly Comparison[] {
  const {panes, timeLimitMs} = cellScenario(grid, cell);
  const pairs = panes.flatMap((_, second) => {
    return panes.slice(0, second).map((_, first) => [first, second] as const);
  });
  return pairs.flatMap(([first, second]) => {
    const rows = runs.map(run => [run.panes[first], run.panes[second]] as const).filter(isPair);
    return metrics.map(({name, isEvent}, metric) => {
      const complete = differences(
        rows.filter(pair => pair.every(isComplete)),
        row => metricOf(row, metric),
      );
      const limitMs = isEvent ? timeLimitMs : null;
      const all = isEvent ? differences(rows, row => restricted(row, metric, limitMs)) : complete;
      const {n, mean, ci95} = estimate(complete);
      const left = rows.filter(pair => !pair.every(isComplete)).length;
      const names = {cell, panes: [first + 1, second + 1] as const, metric: name};
      return {...names, n, leftOut: left, meanDifference: mean, ci95, signedRank: signedRankTest(all)};
    });
  });
}

type Pair = readonly [first: PaneRow, second: PaneRow];

function isPair(pair: readonly [PaneRow | undefined, PaneRow | undefined]): pair is Pair {
  return pair.every(row => row !== undefined);
}

function differences(pairs: readonly Pair[], of: (row: PaneRow) => number | null): readonly number[] {
  return pairs
    .map(([first, second]) => [of(first), of(second)] as const)
    .flatMap(([first, second]) => (first === null || second === null ? [] : [first - second]));
}

function summariseMetric(rows: readonly PaneRow[], metric: number, limitMs: number | null): MetricSummary {
  const values = rows.filter(isComplete).map(row => metricOf(row, metric));
  const {n, mean, ci95, median} = estimate(values);
  const sorted = values.filter(value => value !== null).sort((a, b) => a - b);
  const {q1, q3} = quartiles(sorted) ?? {q1: null, q3: null};
  const summary = {n, mean, ci95, median, medianCi95: medianBootstrap(sorted), q1, q3};
  if (limitMs === null) return summary;
  const all =
    n === rows.length ? {n, mean, ci95} : estimate(rows.map(row => restricted(row, metric, limitMs)));
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
