import type {SeedRow} from '../../../app/host/contract.ts';
import type {Grid} from '../../../app/study/experiment/grid.ts';
import {CAUSE_METRICS, METRICS, type Metric} from '../../../app/study/experiment/metricList.ts';
import {metricValue, type RunRow} from '../../../app/study/experiment/row.ts';
import {type CellSummary, type Comparison, compareCell, summariseCell} from '../../../app/study/experiment/summary.ts';
import {causesFigure} from '../../../app/study/figures/causesFigure.ts';
import {cellValues} from '../../../app/study/figures/cellValues.ts';
import type {Figure} from '../../../app/study/figures/figure.ts';
import type {GridSummary} from '../../../app/study/figures/gridFigures.ts';
import {groupsOf, isNumeric} from '../../../app/study/figures/layout.ts';
import {linesFigure} from '../../../app/study/figures/means.ts';
import {boxesFigure} from '../../../app/study/figures/spread.ts';
import {subjectOf} from '../../../app/study/figures/subject.ts';
import {CAUSES, type FigureKind} from './choice.ts';

/** The runs of a cell that belong to the grid's seeds, in the form in which an experiment stores them in its folder. */
export function runRows({seeds}: Grid, cell: number, rows: readonly SeedRow[]): readonly RunRow[] {
  return rows.slice(0, seeds.length).map(({panes}, i) => ({run: cell * seeds.length + i, panes}));
}

/** The summary and the comparisons for the figure and the sentence above the figure. */
export interface Findings {
  readonly summary: GridSummary;
  /** The comparisons of pairs of panes, cell by cell. */
  readonly comparisons: readonly Comparison[];
}

/** Summarizes the cells of a grid. For the same grid and metric, a cell is summarized again only if it has new runs. */
export class Summaries {
  readonly #known = new Map<string, {readonly rows: readonly SeedRow[]; readonly made: OfCell}>();
  #grid: Grid | null = null;

  /** The findings for one metric, for the cells that have runs. The summary also has the means of `others`. */
  of(grid: Grid, cells: readonly (readonly SeedRow[])[], metric: Metric, others: readonly Metric[] = []): Findings {
    if (grid !== this.#grid) this.#known.clear();
    this.#grid = grid;
    const metrics = [metric, ...others];
    const made = cells.flatMap((rows, cell) => (rows.length === 0 ? [] : this.#cell(grid, cell, rows, metrics)));
    const [summaries, values] = [made.map(({summary}) => summary), made.map(each => each.values)];
    return {
      summary: {grid, metrics, cells: summaries, values},
      comparisons: made.flatMap(({comparisons}) => comparisons),
    };
  }

  #cell(grid: Grid, cell: number, rows: readonly SeedRow[], metrics: readonly Metric[]): OfCell {
    const [first] = metrics;
    const name = `${cell} ${first?.name} ${metrics.length}`;
    const known = this.#known.get(name);
    if (known?.rows === rows) return known.made;
    const runs = runRows(grid, cell, rows).map(({run, panes}) => ({
      run,
      panes: panes.map(pane => ({...pane, values: metrics.map(metric => metricValue(pane, metric.name))})),
    }));
    const made = {
      summary: summariseCell(grid, cell, runs, metrics),
      values: cellValues(grid, cell, runs, metrics, 0),
      comparisons: compareCell(grid, cell, runs, first === undefined ? [] : [first]),
    };
    this.#known.set(name, {rows, made});
    return made;
  }
}

interface OfCell {
  readonly summary: CellSummary;
  readonly values: GridSummary['values'][number];
  readonly comparisons: readonly Comparison[];
}

/** The findings about the time until the page is complete, with the means of its causes. */
export function causeFindings(
  summaries: Summaries,
  grid: Grid,
  cells: readonly (readonly SeedRow[])[],
): Findings | null {
  const finish = METRICS.find(({name}) => name === 'finishMs');
  return finish === undefined ? null : summaries.of(grid, cells, finish, CAUSE_METRICS);
}

/**
 * The figure of a summary. The first axis is along x, and each value of the second axis has its own panel. Means are
 * drawn only if the values along x are numbers. Otherwise, quartiles are drawn. The kind `causes` draws a bar for each
 * pane and value along x. With this kind, the figure is null if the runs have no causes.
 */
export function figureOf(summary: GridSummary, kind: FigureKind | typeof CAUSES): Figure | null {
  const {grid, metrics} = summary;
  const [x, panels] = [grid.axes.length > 0 ? 0 : null, grid.axes.length > 1 ? 1 : null];
  const layout = {x, series: null, panels, apart: []};
  const [group] = groupsOf(grid, layout);
  const [metric] = metrics;
  if (group === undefined || metric === undefined) return null;
  const subject = subjectOf(summary, layout, group);
  if (kind === CAUSES) return causesFigure(subject);
  const hasMeans = kind === 'means' && isNumeric(grid.axes[0]);
  return hasMeans ? linesFigure(subject, metric.name) : boxesFigure(subject, metric.name);
}
