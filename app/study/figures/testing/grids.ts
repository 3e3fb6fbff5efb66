import {cellCount, type Grid, gridHeadline, parseGrid} from '../../experiment/grid.ts';
import {CAUSE_METRICS, METRICS, type Metric} from '../../experiment/metricList.ts';
import type {PaneRow, RunRow} from '../../experiment/row.ts';
import {summariseCell} from '../../experiment/summary.ts';
import {cellValues, mainMetric} from '../cellValues.ts';
import type {GridSummary} from '../gridFigures.ts';

// Grids for tests. A formula gives the times of their runs, so that each number can be checked by hand.

export function gridOf(document: object): Grid {
  const parsed = parseGrid(document);
  if (!parsed.ok) throw new Error(parsed.problems[0]?.message);
  return parsed.grid;
}

/**
 * The results of a grid. The page time is T = 1000 · (c + 1) · (2 − p) + 100 · s ms. Here c is the index of the cell
 * and p the index of the pane, both from 0, and s is the place of the seed in the list of seeds, from 1. The metrics
 * `pNPageMs` and `pNRenMs` are N % of T. The times of causes are the {@link CAUSE_SHARES} of T, and every other metric
 * is T. In the last cell, the first pane is not complete with the last seed. If `isPartial`, only every second cell has
 * results.
 */
export function summaryOf(document: object, {isPartial = false} = {}): GridSummary {
  const grid = gridOf(document);
  const isNamed = ({name}: Metric): boolean => grid.metrics?.includes(name) === true;
  const metrics = [
    ...METRICS.filter(metric => grid.metrics === null || isNamed(metric)),
    ...CAUSE_METRICS.filter(isNamed),
  ];
  const main = mainMetric(metrics, gridHeadline(grid));
  const all = Array.from({length: cellCount(grid)}, (_, cell) => ({cell, runs: runsOf(grid, cell, metrics)}));
  const there = isPartial ? all.filter(({cell}) => cell % 2 === 0) : all;
  return {
    grid,
    metrics,
    cells: there.map(({cell, runs}) => summariseCell(grid, cell, runs, metrics)),
    values: there.map(({cell, runs}) => cellValues(grid, cell, runs, metrics, main)),
  };
}

export function runsOf(grid: Grid, cell: number, metrics: readonly Metric[]): readonly RunRow[] {
  return grid.seeds.map((_, i) => {
    const isLast = cell === cellCount(grid) - 1 && i === grid.seeds.length - 1;
    const panes = [0, 1].map((pane): PaneRow => {
      const isFailed = isLast && pane === 0;
      const pageTimeMs = 1000 * (cell + 1) * (2 - pane) + 100 * (i + 1);
      return {
        outcome: isFailed ? 'time-limit' : 'complete',
        reason: isFailed ? 'time limit of 30 s reached' : null,
        values: metrics.map(({name}) => (isFailed ? null : numberOf(name, pageTimeMs))),
      };
    });
    return {run: cell * grid.seeds.length + i, panes};
  });
}

function numberOf(name: string, pageTimeMs: number): number {
  const cause = CAUSE_METRICS.find(metric => metric.name === name)?.cause;
  if (cause !== undefined) return (CAUSE_SHARES[cause] ?? 0) * pageTimeMs;
  const [, percent] = /^p(\d+)(?:Page|Ren)Ms$/.exec(name) ?? [];
  return percent === undefined ? pageTimeMs : (pageTimeMs * Number(percent)) / 100;
}

/** The shares of the page time that causes have. */
const CAUSE_SHARES: {readonly [cause: string]: number} = {'set-up': 0.2, 'own-bytes': 0.5, blocking: 0.3};

/** A grid that keeps the times of causes. */
export const CAUSES_GRID = {
  base: {page: 'gallery', panes: [{pipeline: 'tcp'}, {pipeline: 'sctp', streams: 11}]},
  axes: {'path.loss': [0, 0.02, 0.1]},
  seeds: '1-8',
  metrics: ['pageTimeMs', 'causes'],
};

export const LOSS_GRID = {
  base: {
    page: {synthetic: {objects: 10}},
    path: {rateBps: 1_000_000, rttMs: 120},
    panes: [
      {pipeline: 'tcp', profile: 'classic'},
      {pipeline: 'sctp', profile: 'classic', streams: 10},
    ],
    discovery: 'complete',
    timeLimitMs: 30_000,
  },
  axes: {'page.synthetic.objectBytes': [3000, 15_000], 'path.loss': [0, 0.01, 0.1]},
  seeds: '1-8',
};

/** A grid whose axis has names (profiles) instead of numbers. */
export const PROFILE_GRID = {
  ...LOSS_GRID,
  axes: {'panes.0.profile': ['reno', 'classic', 'modern']},
  metrics: ['pageTimeMs'],
};

export const RATE_GRID = {
  ...LOSS_GRID,
  axes: {'path.rateBps': [40_000, 400_000, 10_000_000]},
  metrics: ['silentMs', 'lostDown'],
};
