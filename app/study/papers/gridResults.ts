import type {Json} from '../../base/json.ts';
import type {CellSummary, CorrectedComparison, PaneCellSummary} from '../experiment/summary.ts';
import type {Figure} from '../figures/figure.ts';
import {type Measured, quotient, scaled} from './measured.ts';

/** What was measured on a grid: its `summary.json`. */
export interface GridResult {
  readonly cells: readonly CellSummary[];
  readonly comparisons: readonly CorrectedComparison[];
  /** Of an experiment's grid; measures of traces have none. */
  readonly figures: readonly Figure[];
}

/** A cell by the columns of its axes; those that are not named do not matter. */
export type Place = {readonly [column: string]: Json};

/** What was measured on the grids of a paper, by their names. */
export class Results {
  readonly #grids: ReadonlyMap<string, readonly Cell[]>;
  readonly #figures: ReadonlyMap<string, readonly Figure[]>;

  constructor(grids: ReadonlyMap<string, GridResult>) {
    this.#grids = new Map([...grids].map(([name, result]) => [name, cellsOf(result)]));
    this.#figures = new Map([...grids].map(([name, {figures}]) => [name, figures]));
  }

  /** A grid's figure by its name. @throws RangeError if there is none */
  figure(grid: string, name: string): Figure {
    const figures = this.#figures.get(grid) ?? [];
    const figure = figures.find(each => each.name === name);
    if (figure !== undefined) return figure;
    throw new RangeError(`no figure ${name} of ${grid} (there are ${figures.map(each => each.name).join(', ')})`);
  }

  /** All cells of a grid, in its order. @throws RangeError if there is no such grid */
  cells(grid: string): readonly Cell[] {
    const cells = this.#grids.get(grid);
    if (cells === undefined) throw new RangeError(`no grid ${grid} (there are ${[...this.#grids.keys()].join(', ')})`);
    return cells;
  }

  /** The one cell there. @throws RangeError if there is none, or several */
  at(grid: string, place: Place): Cell {
    const [cell, another] = this.cells(grid).filter(({axes}) => {
      return Object.entries(place).every(([column, value]) => axes[column] === value);
    });
    if (cell !== undefined && another === undefined) return cell;
    throw new RangeError(`${grid} has ${cell === undefined ? 'no' : 'several'} cells at ${JSON.stringify(place)}`);
  }
}

/** One cell's panes, which count from 1. */
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

  /** Over the runs that are complete. @throws RangeError if there is no such pane or metric */
  mean(pane: number, metric: string): Measured {
    const summary = this.#panes[pane - 1];
    const measured = summary?.metrics[metric];
    if (summary === undefined || measured === undefined) {
      throw new RangeError(`cell ${this.number} has no ${metric} of pane ${pane}`);
    }
    return {value: measured.mean, half: measured.ci95, n: measured.n, runs: summary.runs};
  }

  /** The first's minus the second's, seed by seed. @throws RangeError if there is no such pair or metric */
  difference(first: number, second: number, metric: string): Measured {
    if (first > second) return scaled(this.difference(second, first, metric), -1);
    const comparison = this.#comparisons.get(`${first}-${second} ${metric}`);
    if (comparison === undefined) {
      throw new RangeError(`cell ${this.number} has no ${metric} of panes ${first} and ${second}`);
    }
    const {n, leftOut, meanDifference, ci95} = comparison;
    return {value: meanDifference, half: ci95, n, runs: n + leftOut};
  }

  /** The first's mean / the second's. */
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
