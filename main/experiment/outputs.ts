import {join} from 'node:path';
import {cellCount} from '../../app/experiment/grid.ts';
import {type Identity, identityDocument, metricsOf} from '../../app/experiment/identity.ts';
import {resultsHeader, resultsLines} from '../../app/experiment/results.ts';
import {
  type CellSummary,
  type Comparison,
  type CorrectedComparison,
  compareCell,
  corrected,
  METHODS,
  summariseCell,
} from '../../app/experiment/summary.ts';
import {type CellValues, cellValues, mainMetric} from '../../app/figures/cellValues.ts';
import {cellsIn} from './cells.ts';
import {FILES} from './folder.ts';
import {TextFile} from './textFile.ts';

export interface OutputCounts {
  readonly cells: number;
  /** Panes of runs. */
  readonly loads: number;
  readonly incomplete: number;
}

/** What is shown of an experiment, as `summary.json` has it. */
export interface SummedUp {
  readonly cells: readonly CellSummary[];
  /** Of the metric that figures spread. */
  readonly values: readonly CellValues[];
  readonly comparisons: readonly CorrectedComparison[];
}

export interface Outputs {
  readonly counts: OutputCounts;
  /** Null of more cells than somebody looks at: they are in the file alone. */
  readonly summedUp: SummedUp | null;
}

/**
 * Writes `results.csv` and `summary.json` of a folder that has all runs of its grid, and hands over what was made of
 * them.
 * @throws FileError
 */
export async function writeOutputs(out: string, identity: Identity, signal: AbortSignal): Promise<Outputs> {
  const {grid} = identity;
  const metrics = metricsOf(identity);
  const main = mainMetric(metrics);
  const results = await TextFile.create(join(out, FILES.results));
  const summary = await TextFile.create(join(out, FILES.summary)).catch(async (error: unknown) => {
    await results.discard();
    throw error;
  });
  try {
    let [loads, incomplete] = [0, 0];
    const shown = new ShownCells(cellCount(grid));
    const comparisons: Comparison[] = [];
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
      shown.add(summarised, () => cellValues(grid, cell, runs, metrics, main));
      await summary.write(`${cell === 0 ? '' : ','}\n${JSON.stringify(summarised)}`);
    }
    await summary.write('\n],\n"comparisons": [');
    const allCorrected = corrected(comparisons);
    for (const [i, comparison] of allCorrected.entries()) {
      await summary.write(`${i === 0 ? '' : ','}\n${JSON.stringify(comparison)}`);
    }
    await summary.write('\n]\n}\n');
    await results.keep();
    await summary.keep();
    return {counts: {cells: cellCount(grid), loads, incomplete}, summedUp: shown.with(allCorrected)};
  } finally {
    await results.discard();
    await summary.discard();
  }
}

/** What is kept of cells that are few enough. */
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

  with(comparisons: readonly CorrectedComparison[]): SummedUp | null {
    return this.#areFew ? {cells: this.#cells, values: this.#values, comparisons} : null;
  }
}

function summaryHead(identity: Identity): string {
  const [experiment, methods] = [identityDocument(identity), METHODS].map(value =>
    JSON.stringify(value, null, 1),
  );
  return `{\n"experiment": ${experiment},\n"methods": ${methods},\n"cells": [`;
}

/** Of which figures and a report are made. */
export const MOST_CELLS = 5000;
