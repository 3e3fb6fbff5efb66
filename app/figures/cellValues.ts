import {cellScenario, type Grid} from '../experiment/grid.ts';
import type {Metric} from '../experiment/metricList.ts';
import type {RunRow} from '../experiment/row.ts';

/** How the values of one metric are spread in a cell. */
export interface CellValues {
  readonly cell: number;
  readonly panes: readonly PaneValues[];
}

export interface PaneValues {
  /** Ascending; of more than {@link MOST_VALUES} evenly spaced ones. Runs that do not have it are not among them. */
  readonly sorted: readonly number[];
  /** Runs that have it. */
  readonly n: number;
  readonly runs: number;
  /** What the others count as where it is a time, ms; null where they count as nothing. */
  readonly limitMs: number | null;
}

/** Of the metric at place `metric` of the rows. */
export function cellValues(
  grid: Grid,
  cell: number,
  runs: readonly RunRow[],
  metrics: readonly Metric[],
  metric: number,
): CellValues {
  const {panes, timeLimitMs} = cellScenario(grid, cell);
  const limitMs = metrics[metric]?.isEvent ? timeLimitMs : null;
  return {
    cell,
    panes: panes.map((_, pane) => {
      const rows = runs.flatMap(run => run.panes[pane] ?? []);
      const values = rows.map(({outcome, values}) => (outcome === 'complete' ? values[metric] : null));
      const sorted = values.filter(value => typeof value === 'number').sort((a, b) => a - b);
      return {sorted: thinned(sorted), n: sorted.length, runs: rows.length, limitMs};
    }),
  };
}

/** The metric whose spread is shown: page time, or else the first that is a time, or else the first. */
export function mainMetric(metrics: readonly Metric[]): number {
  const pageTime = metrics.findIndex(({name}) => name === 'pageTimeMs');
  if (pageTime >= 0) return pageTime;
  return Math.max(
    0,
    metrics.findIndex(({isEvent}) => isEvent),
  );
}

/** The first and the last stay. */
function thinned(sorted: readonly number[]): readonly number[] {
  if (sorted.length <= MOST_VALUES) return sorted;
  const step = (sorted.length - 1) / (MOST_VALUES - 1);
  return Array.from({length: MOST_VALUES}, (_, i) => sorted[Math.round(i * step)] ?? 0);
}

/** What a curve of some hundred px can show; a grid may have twenty thousand cells. */
const MOST_VALUES = 200;
