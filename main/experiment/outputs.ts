import {join} from 'node:path';
import {cellCount} from '../../app/experiment/grid.ts';
import {type Identity, identityDocument, metricsOf} from '../../app/experiment/identity.ts';
import {resultsHeader, resultsLines} from '../../app/experiment/results.ts';
import {
  type Comparison,
  compareCell,
  corrected,
  METHODS,
  summariseCell,
} from '../../app/experiment/summary.ts';
import {cellsIn} from './cells.ts';
import {FILES} from './folder.ts';
import {TextFile} from './textFile.ts';

export interface OutputCounts {
  readonly cells: number;
  /** Panes of runs. */
  readonly loads: number;
  readonly incomplete: number;
}

/**
 * Writes `results.csv` and `summary.json` of a folder that has all runs of its grid.
 * @throws FileError
 */
export async function writeOutputs(
  out: string,
  identity: Identity,
  signal: AbortSignal,
): Promise<OutputCounts> {
  const {grid} = identity;
  const metrics = metricsOf(identity);
  const results = await TextFile.create(join(out, FILES.results));
  const summary = await TextFile.create(join(out, FILES.summary)).catch(async (error: unknown) => {
    await results.discard();
    throw error;
  });
  try {
    let [loads, incomplete] = [0, 0];
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
      await summary.write(`${cell === 0 ? '' : ','}\n${JSON.stringify(summarised)}`);
    }
    await summary.write('\n],\n"comparisons": [');
    for (const [i, comparison] of corrected(comparisons).entries()) {
      await summary.write(`${i === 0 ? '' : ','}\n${JSON.stringify(comparison)}`);
    }
    await summary.write('\n]\n}\n');
    await results.keep();
    await summary.keep();
    return {cells: cellCount(grid), loads, incomplete};
  } finally {
    await results.discard();
    await summary.discard();
  }
}

function summaryHead(identity: Identity): string {
  const [experiment, methods] = [identityDocument(identity), METHODS].map(value =>
    JSON.stringify(value, null, 1),
  );
  return `{\n"experiment": ${experiment},\n"methods": ${methods},\n"cells": [`;
}
