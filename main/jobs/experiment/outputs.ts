import {join} from 'node:path';
import {type AcrossComparison, compareAcross, pipelineAxes} from '../../../app/study/experiment/across.ts';
import {cellCount, type Grid, gridHeadline, runAt, runCount} from '../../../app/study/experiment/grid.ts';
import {type Identity, identityDocument, metricsOf} from '../../../app/study/experiment/identity.ts';
import {resultsHeader, resultsLines} from '../../../app/study/experiment/resultsCsv.ts';
import type {RunRow} from '../../../app/study/experiment/row.ts';
import {
  type CellSummary,
  type Comparison,
  type Corrected,
  type CorrectedComparison,
  compareCell,
  corrected,
  METHODS,
  summariseCell,
} from '../../../app/study/experiment/summary.ts';
import {type CellValues, cellValues, mainMetric} from '../../../app/study/figures/cellValues.ts';
import {program} from '../../files/program.ts';
import {FILES, wholeRows} from './experimentFolder.ts';
import {TextFile} from './textFile.ts';

export interface OutputCounts {
  readonly cells: number;
  /** Number of loads of single panes. */
  readonly loads: number;
  readonly incomplete: number;
}

/** The results in `summary.json`, and the values that the figures show. */
export interface SummedUp {
  readonly cells: readonly CellSummary[];
  /** The values of one metric in each cell. Figures show how these values are spread. */
  readonly values: readonly CellValues[];
  readonly comparisons: readonly CorrectedComparison[];
  /**
   * Comparisons between the values of each axis that chooses pipelines. Empty if no axis chooses pipelines, or if there
   * are too many runs.
   */
  readonly across: readonly Corrected<AcrossComparison>[];
}

export interface Outputs {
  readonly counts: OutputCounts;
  /** Null if there are more than {@link MOST_CELLS} cells. The summary is then only in the file. */
  readonly summedUp: SummedUp | null;
}

/**
 * Writes `results.csv` and `summary.json` for a folder that has all runs of its grid. Returns counts and, for at most
 * {@link MOST_CELLS} cells, the summary.
 * @throws FileError
 */
export async function writeOutputs(out: string, identity: Identity, signal: AbortSignal): Promise<Outputs> {
  const {grid} = identity;
  const metrics = metricsOf(identity);
  const main = mainMetric(metrics, gridHeadline(grid));
  const results = await TextFile.create(join(out, FILES.results));
  const summary = await TextFile.create(join(out, FILES.summary)).catch(async (error: unknown) => {
    await results.discard();
    throw error;
  });
  try {
    let [loads, incomplete] = [0, 0];
    const shown = new ShownCells(cellCount(grid));
    const comparisons: Comparison[] = [];
    const isAcross = pipelineAxes(grid).length > 0;
    const held = heldRuns(grid);
    await results.write(resultsHeader(grid, metrics));
    await summary.write(summaryHead(identity));
    for await (const {cell, runs} of cellsIn(out, identity)) {
      signal.throwIfAborted();
      await results.write(resultsLines(grid, cell, runs));
      const summarised = summariseCell(grid, cell, runs, metrics);
      for (const pane of summarised.panes) {
        loads += pane.runs;
        incomplete += pane.runs - pane.complete;
      }
      comparisons.push(...compareCell(grid, cell, runs, metrics));
      if (isAcross) held?.set(cell, runs);
      shown.add(summarised, () => cellValues(grid, cell, runs, metrics, main));
      await summary.write(`${cell === 0 ? '' : ','}\n${JSON.stringify(summarised)}`);
    }
    await summary.write('\n],\n"comparisons": [');
    const allCorrected = corrected(comparisons);
    for (const [i, comparison] of allCorrected.entries()) {
      await summary.write(`${i === 0 ? '' : ','}\n${JSON.stringify(comparison)}`);
    }
    const across = held === null ? null : corrected([...compareAcross(grid, cell => held.get(cell) ?? [], metrics)]);
    await summary.write(`\n],\n"across": ${across === null ? 'null' : '['}`);
    for (const [i, comparison] of (across ?? []).entries()) {
      await summary.write(`${i === 0 ? '' : ','}\n${JSON.stringify(comparison)}`);
    }
    await summary.write(`${across === null ? '' : '\n]'}\n}\n`);
    await results.keep();
    await summary.keep();
    return {
      counts: {cells: cellCount(grid), loads, incomplete},
      summedUp: shown.with(allCorrected, across ?? []),
    };
  } finally {
    await results.discard();
    await summary.discard();
  }
}

/**
 * Makes an empty map for the runs of all cells. They are needed only to compare the values of axes that choose
 * pipelines. Returns null if there are such axes, but too many runs to keep in memory.
 */
function heldRuns(grid: Grid): Map<number, readonly RunRow[]> | null {
  const isTooMuch = pipelineAxes(grid).length > 0 && runCount(grid) > MOST_HELD_RUNS;
  return isTooMuch ? null : new Map();
}

/** Collects the cells if they are few enough to be shown. */
class ShownCells {
  readonly #areFew: boolean;
  readonly #cells: CellSummary[] = [];
  readonly #values: CellValues[] = [];

  constructor(cells: number) {
    this.#areFew = cells <= MOST_CELLS;
  }

  add(cell: CellSummary, values: () => CellValues): void {
    if (!this.#areFew) return;
    this.#cells.push(cell);
    this.#values.push(values());
  }

  with(comparisons: readonly CorrectedComparison[], across: readonly Corrected<AcrossComparison>[]): SummedUp | null {
    return this.#areFew ? {cells: this.#cells, values: this.#values, comparisons, across} : null;
  }
}

function summaryHead(identity: Identity): string {
  const [experiment, methods] = [identityDocument(identity), METHODS].map(value => JSON.stringify(value, null, 1));
  return `{\n"program": ${JSON.stringify(program())},\n"experiment": ${experiment},\n"methods": ${methods},\n"cells": [`;
}

/** Largest number of cells for which figures are drawn and the report shows results. */
export const MOST_CELLS = 5000;
/** Largest number of runs that are kept in memory. Each run needs about 1 KB. */
const MOST_HELD_RUNS = 500_000;

/** A cell with the runs of all its seeds. */
interface CellRuns {
  readonly cell: number;
  readonly runs: readonly RunRow[];
}

/** Yields the cells of an experiment's folder in the grid's order. The folder must contain all runs. */
function cellsIn(folder: string, identity: Identity): AsyncGenerator<CellRuns> {
  return cellsOf(wholeRows(join(folder, FILES.runs), identity), identity.grid);
}

async function* cellsOf(rows: AsyncIterable<RunRow>, grid: Grid): AsyncGenerator<CellRuns> {
  let [cell, runs]: [number, RunRow[]] = [0, []];
  for await (const row of rows) {
    const own = runAt(grid, row.run).cell;
    if (own !== cell) {
      yield {cell, runs};
      [cell, runs] = [own, []];
    }
    runs.push(row);
  }
  yield {cell, runs};
}
