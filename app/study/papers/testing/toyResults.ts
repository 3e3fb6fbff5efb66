import type {Scenario} from '../../../run/scenario/scenario.ts';
import {axisCells, axisColumns, cellCount, cellScenario, type Grid, parseGrid} from '../../experiment/grid.ts';
import type {CorrectedComparison, MetricSummary} from '../../experiment/summary.ts';
import {type GridResult, type Place, Results} from '../gridResults.ts';
import type {Claim, Paper, PaperGrid, Row} from '../paper.ts';

// Made-up results of a paper's grids, for tests.

/** A mean of 100 runs, with the half-width of its interval. */
export interface ToyMean {
  readonly mean: number;
  readonly half: number;
}

/**
 * Gives the mean of a metric for a pane of a cell. The interval of a difference between two panes gets the half-width
 * of the first pane.
 */
export type ToyMeans = (grid: string, axes: Place, pane: number, metric: string) => ToyMean;

export const NOTHING: ToyMean = {mean: 0, half: 0};

/** The rows of a claim for made-up results. `text` is the claim's text or the beginning of it. */
export function rowsOf(paper: Paper, text: string, means: ToyMeans): readonly Row[] {
  return claimOf(paper, text).rows(toyResults(paper, means));
}

/** The claim with this text, or the only claim that begins with it. @throws Error if none does, or several do */
export function claimOf({claims}: Paper, text: string): Claim {
  const exact = claims.find(claim => claim.text === text);
  const [claim, another] = claims.filter(each => each.text.startsWith(text));
  if (exact !== undefined) return exact;
  if (claim === undefined || another !== undefined) throw new Error(`which claim: ${text}`);
  return claim;
}

export function verdictsOf(rows: readonly Row[]): readonly string[] {
  return rows.map(({verdict}) => verdict);
}

/** Made-up results of all grids of a paper. */
export function toyResults(paper: Paper, means: ToyMeans): Results {
  return new Results(new Map(paper.grids.map(grid => [grid.name, toyResult(grid, means)])));
}

/** The parsed grid of a paper. @throws Error if it is not valid */
export function toyGrid({base, axes, kept}: PaperGrid): Grid {
  const parsed = parseGrid({base, axes, seeds: '1-100', metrics: 'metrics' in kept ? kept.metrics : null});
  if (!parsed.ok) throw new Error(parsed.problems[0]?.message);
  return parsed.grid;
}

function toyResult(paperGrid: PaperGrid, means: ToyMeans): GridResult {
  const {name, kept} = paperGrid;
  const metrics = 'metrics' in kept ? kept.metrics : kept.measures.map(measure => measure.name);
  const all = cellsOf(paperGrid).map(cell => {
    return {...cell, of: (pane: number, metric: string) => means(name, cell.axes, pane, metric)};
  });
  return {
    cells: all.map(({cell, axes, panes, of}) => ({
      cell,
      axes,
      panes: panes.map(({pipeline}, i) => ({
        pane: i + 1,
        pipeline,
        runs: RUNS,
        complete: RUNS,
        leftOut: [],
        metrics: Object.fromEntries(metrics.map(metric => [metric, summaryOf(of(i + 1, metric))])),
      })),
    })),
    comparisons: all.flatMap(({cell, panes, of}) =>
      panes.flatMap((_, second) =>
        panes.slice(0, second).flatMap((_, first) =>
          metrics.map((metric): CorrectedComparison => {
            const [own, other] = [of(first + 1, metric), of(second + 1, metric)];
            return {
              cell,
              metric,
              panes: [first + 1, second + 1],
              n: RUNS,
              leftOut: 0,
              pHolm: null,
              meanDifference: own.mean - other.mean,
              ci95: own.half,
              signedRank: {n: 0, w: 0, p: null},
            };
          }),
        ),
      ),
    ),
    figures: [],
  };
}

interface ToyCell {
  readonly cell: number;
  readonly axes: Place;
  readonly panes: Scenario['panes'];
}

/** The cells of each grid, so that a grid is parsed only once. */
const parsedCells = new Map<PaperGrid, readonly ToyCell[]>();

function cellsOf(paperGrid: PaperGrid): readonly ToyCell[] {
  const found = parsedCells.get(paperGrid);
  if (found !== undefined) return found;
  const grid = toyGrid(paperGrid);
  const columns = axisColumns(grid);
  const cells = Array.from({length: cellCount(grid)}, (_, cell) => {
    const axes = Object.fromEntries(axisCells(grid, cell).map((value, i) => [columns[i] ?? '', value]));
    return {cell, axes, panes: cellScenario(grid, cell).panes};
  });
  parsedCells.set(paperGrid, cells);
  return cells;
}

function summaryOf({mean, half}: ToyMean): MetricSummary {
  return {n: RUNS, mean, ci95: half, median: mean, medianCi95: null, q1: mean, q3: mean};
}

const RUNS = 100;
