import type {Headline} from '../../run/metrics/clock.ts';
import {quantile} from '../../run/metrics/quartiles.ts';
import {medianBootstrap} from '../experiment/bootstrap.ts';
import {cellScenario, type Grid} from '../experiment/grid.ts';
import type {Metric} from '../experiment/metricList.ts';
import type {RunRow} from '../experiment/row.ts';
import {restrictedValue} from '../experiment/summary.ts';

/** The distribution of one metric in a cell. */
export interface CellValues {
  readonly cell: number;
  readonly panes: readonly PaneValues[];
}

export interface PaneValues {
  /** Number of complete loads that have a value. */
  readonly n: number;
  readonly runs: number;
  /**
   * The distribution over the complete loads. Each step has a value and its rank `count`, from 1, in the ascending
   * order of all values. At most {@link MOST_STEPS} values are kept. If there are more, the ranks of those that are
   * kept are evenly spaced.
   */
  readonly steps: readonly {readonly value: number; readonly count: number}[];
  /**
   * Quantiles; null if there is no value. If the metric is the time of an event (`isEvent`), the quantiles are over all
   * loads, counted as {@link restrictedValue} says. Otherwise they are over the complete loads.
   */
  readonly box: Box | null;
}

/**
 * Quantiles by linear interpolation (Hyndman and Fan 1996, type 7). `low` and `high` are the 5 % and the 95 % quantile.
 */
export interface Box {
  readonly low: number;
  readonly q1: number;
  readonly median: number;
  readonly q3: number;
  readonly high: number;
  readonly medianInterval: readonly [from: number, to: number] | null;
}

/** The distribution of the metric with index `metric` in the rows. */
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
      const sorted = ascending(rows.map(({outcome, values}) => (outcome === 'complete' ? values[metric] : null)));
      const all = limitMs === null ? sorted : ascending(rows.map(row => restrictedValue(row, metric, limitMs)));
      return {n: sorted.length, runs: rows.length, steps: stepsOf(sorted), box: boxOf(all)};
    }),
  };
}

/**
 * Returns the index of the metric whose spread is shown. In order of preference, it is the time by which the grid
 * compares runs (`gridHeadline`), the page time T, the first metric that is the time of an event, or the first metric.
 */
export function mainMetric(metrics: readonly Metric[], headline: Pick<Headline, 'metric'>): number {
  for (const wanted of [headline.metric, 'pageTimeMs']) {
    const found = metrics.findIndex(({name}) => name === wanted);
    if (found >= 0) return found;
  }
  return Math.max(
    0,
    metrics.findIndex(({isEvent}) => isEvent),
  );
}

function ascending(values: readonly (number | null | undefined)[]): readonly number[] {
  return values.filter(value => typeof value === 'number').sort((a, b) => a - b);
}

function boxOf(sorted: readonly number[]): Box | null {
  if (sorted.length === 0) return null;
  const at = (share: number): number => quantile(sorted, share);
  const quartiles = {q1: at(0.25), median: at(0.5), q3: at(0.75)};
  return {low: at(0.05), ...quartiles, high: at(0.95), medianInterval: medianBootstrap(sorted)};
}

/** Returns steps at evenly spaced ranks. The smallest and the largest value are among them. */
function stepsOf(sorted: readonly number[]): PaneValues['steps'] {
  const kept = Math.min(sorted.length, MOST_STEPS);
  const step = (sorted.length - 1) / Math.max(1, kept - 1);
  return Array.from({length: kept}, (_, i) => {
    const place = Math.round(i * step);
    return {value: sorted[place] ?? 0, count: place + 1};
  });
}

/**
 * The largest number of steps that are kept. More could not be seen in a curve of a few hundred px, and a grid may have
 * 20,000 cells.
 */
const MOST_STEPS = 200;
