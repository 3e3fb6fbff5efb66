import type {Json} from '../../base/json.ts';
import type {CellSummary, CorrectedComparison, PaneCellSummary} from '../experiment/summary.ts';
import type {Figure} from '../figures/figure.ts';
import {type Measured, quotient, scaled} from './measured.ts';

/** The results of a grid: the content of its `summary.json`, and its figures. */
export interface GridResult {
  readonly cells: readonly CellSummary[];
  readonly comparisons: readonly CorrectedComparison[];
  /** Empty if the grid keeps numbers of its own (`Measure`) instead of the program's metrics. */
  readonly figures: readonly Figure[];
}

/** Identifies a cell by the values of its axes. An axis that is left out may have any value. */
export type Place = {readonly [column: string]: Json};

/** The results of all grids of a paper, by the grids' names. */
export class Results {
  readonly #grids: ReadonlyMap<string, readonly Cell[]>;
  readonly #figures: ReadonlyMap<string, readonly Figure[]>;

  constructor(grids: ReadonlyMap<string, GridResult>) {
    this.#grids = new Map([...grids].map(([name, result]) => [name, cellsOf(result)]));
    this.#figures = new Map([...grids].map(([name, {figures}]) => [name, figures]));
  }

  /** A grid's figure by its name. @throws RangeError if the grid has no such figure */
  figure(grid: string, name: string): Figure {
    const figures = this.#figures.get(grid) ?? [];
    const figure = figures.find(each => each.name === name);
    if (figure !== undefined) return figure;
    throw new RangeError(`no figure ${name} of ${grid} (there are ${figures.map(each => each.name).join(', ')})`);
  }

  /** All cells of a grid, in the grid's order. @throws RangeError if there is no such grid */
  cells(grid: string): readonly Cell[] {
    const cells = this.#grids.get(grid);
    if (cells === undefined) throw new RangeError(`no grid ${grid} (there are ${[...this.#grids.keys()].join(', ')})`);
    return cells;
  }

  /** The only cell at a place. @throws RangeError if there is none, or if there are several */
  at(grid: string, place: Place): Cell {
    const [cell, another] = this.cells(grid).filter(({axes}) => {
      return Object.entries(place).every(([column, value]) => axes[column] === value);
    });
    if (cell !== undefined && another === undefined) return cell;
    throw new RangeError(`${grid} has ${cell === undefined ? 'no' : 'several'} cells at ${JSON.stringify(place)}`);
  }
}

/** The results of one cell. Its panes are numbered from 1. */
export class Cell {
  readonly axes: Place;
  readonly number: number;
  readonly #panes: readonly PaneCellSummary[];
  readonly #comparisons: ReadonlyMap<string, CorrectedComparison>;

  constructor({cell, axes, panes}: CellSummary, comparisons: readonly CorrectedComparison[]) {
    this.axes = axes;
    this.number = cell;
    this.#panes = panes;
    this.#comparisons = new Map(
      comparisons.map(comparison => [`${comparison.panes.join('-')} ${comparison.metric}`, comparison]),
    );
  }

  /** A pane's mean over the complete runs. @throws RangeError if there is no such pane or metric */
  mean(pane: number, metric: string): Measured {
    const summary = this.#panes[pane - 1];
    const measured = summary?.metrics[metric];
    if (summary === undefined || measured === undefined) {
      throw new RangeError(`cell ${this.number} has no ${metric} of pane ${pane}`);
    }
    return {value: measured.mean, half: measured.ci95, n: measured.n, runs: summary.runs};
  }

  /**
   * The mean over the seeds of the first pane's value minus the second pane's.
   *
   * @throws RangeError if there is no such pair or metric
   */
  difference(first: number, second: number, metric: string): Measured {
    if (first > second) return scaled(this.difference(second, first, metric), -1);
    const comparison = this.#comparisons.get(`${first}-${second} ${metric}`);
    if (comparison === undefined) {
      throw new RangeError(`cell ${this.number} has no ${metric} of panes ${first} and ${second}`);
    }
    const {n, leftOut, meanDifference, ci95} = comparison;
    return {value: meanDifference, half: ci95, n, runs: n + leftOut};
  }

  /** The ratio of the two means, first / second. */
  ratio(first: number, second: number, metric: string): Measured {
    const difference = this.difference(first, second, metric);
    return quotient(this.mean(first, metric), this.mean(second, metric), difference);
  }
}

function cellsOf({cells, comparisons}: GridResult): readonly Cell[] {
  const ofCell = new Map<number, CorrectedComparison[]>();
  for (const comparison of comparisons) {
    const own = ofCell.get(comparison.cell) ?? [];
    own.push(comparison);
    ofCell.set(comparison.cell, own);
  }
  return cells.map(cell => new Cell(cell, ofCell.get(cell.cell) ?? []));
}
