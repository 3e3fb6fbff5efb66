import {join} from 'node:path';
import {type Grid, runAt} from '../../../app/study/experiment/grid.ts';
import type {Identity} from '../../../app/study/experiment/identity.ts';
import type {RunRow} from '../../../app/study/experiment/row.ts';
import {FILES, wholeRows} from './folder.ts';

/** A cell with the runs of all its seeds. */
export interface CellRuns {
  readonly cell: number;
  readonly runs: readonly RunRow[];
}

/** The cells of an experiment's folder that has all its runs, in the grid's order. */
export function cellsIn(folder: string, identity: Identity): AsyncGenerator<CellRuns> {
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
