import type {Json} from '../../base/json.ts';
import {paneRunDocument} from '../../run/scenario/document.ts';
import {choosesPipelines} from './axis.ts';
import {cellCount, cellScenario, cellsAlong, type Grid, pointNumbers} from './grid.ts';
import type {RunRow} from './row.ts';
import {type Comparison, compareRows, isPair, type NamedMetric} from './summary.ts';

/**
 * The comparison of a pane at two points of an axis that chooses pipelines. The two cells are alike in all other axes,
 * and the runs are paired by seed. Differences are the value at the first point minus that at the second.
 */
export interface AcrossComparison extends Omit<Comparison, 'cell' | 'panes'> {
  readonly axis: string;
  /** The labels or values of the axis at the two points. */
  readonly points: readonly [first: Json, second: Json];
  readonly cells: readonly [first: number, second: number];
  /** The pane's number, from 1. */
  readonly pane: number;
}

/** The indices of the axes that choose pipelines. */
export function pipelineAxes({axes}: Grid): readonly number[] {
  return [...axes.keys()].filter(axis => {
    const own = axes[axis];
    return own !== undefined && choosesPipelines(own);
  });
}

/**
 * Compares each pane at every two points of every axis that chooses pipelines, in each metric. The point on every other
 * axis is then the same, and there is a comparison for each combination of these other points. A pane with the same
 * runs at both points is left out. `rowsOf` returns the runs of a cell.
 */
export function* compareAcross(
  grid: Grid,
  rowsOf: (cell: number) => readonly RunRow[],
  metrics: readonly NamedMetric[],
): Generator<AcrossComparison> {
  for (const axis of pipelineAxes(grid)) {
    for (let cell = 0; cell < cellCount(grid); cell++) {
      if (pointNumbers(grid, cell)[axis] !== 0) continue;
      yield* along(grid, axis, cellsAlong(grid, axis, cell), rowsOf, metrics);
    }
  }
}

function* along(
  grid: Grid,
  axis: number,
  cells: readonly number[],
  rowsOf: (cell: number) => readonly RunRow[],
  metrics: readonly NamedMetric[],
): Generator<AcrossComparison> {
  const {name = '', points = []} = grid.axes[axis] ?? {};
  const pointOf = (at: number): Json => points[at]?.label ?? points[at]?.values[0] ?? null;
  const scenarios = cells.map(cell => cellScenario(grid, cell));
  const runs = scenarios.map(each => each.panes.map((_, pane) => JSON.stringify(paneRunDocument(each, pane))));
  for (const [later, second] of cells.entries()) {
    for (const [sooner, first] of cells.slice(0, later).entries()) {
      for (const [pane, own] of (runs[sooner] ?? []).entries()) {
        const beside = runs[later]?.[pane];
        if (beside === undefined || beside === own) continue;
        const others = rowsOf(second);
        const pairs = rowsOf(first)
          .map((run, seed) => [run.panes[pane], others[seed]?.panes[pane]] as const)
          .filter(isPair);
        for (const [metric, {name: metricName, isEvent}] of metrics.entries()) {
          yield {
            axis: name,
            points: [pointOf(sooner), pointOf(later)],
            cells: [first, second],
            pane: pane + 1,
            metric: metricName,
            ...compareRows(pairs, metric, isEvent ? (scenarios[sooner]?.timeLimitMs ?? null) : null),
          };
        }
      }
    }
  }
}
