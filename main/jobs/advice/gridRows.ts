import type {SeedRow} from '../../../app/host/contract.ts';
import type {PageSnapshot} from '../../../app/page/page.ts';
import type {Eye} from '../../../app/run/quality/states.ts';
import type {Scenario} from '../../../app/run/scenario/scenario.ts';
import {cellCount, cellScenario, type Grid} from '../../../app/study/experiment/grid.ts';
import {inThreads} from '../../workers/inThreads.ts';
import {seedRow} from '../../workers/seedRow.ts';

/** Data that every worker is started with. */
export interface RowsTask {
  readonly page: PageSnapshot;
  readonly eye: Eye | null;
}

/** Some runs of one cell. */
export interface RowsPiece {
  readonly scenario: Scenario;
  readonly seeds: readonly number[];
}

interface GridRowsOptions extends RowsTask {
  /** A grid in which all cells load the same page. */
  readonly grid: Grid;
  /** The bundled module `adviceWorker.ts`. */
  readonly worker: URL;
  readonly threads: number;
  readonly signal: AbortSignal;
  /** Called with the number of finished runs and the number of all runs. */
  readonly onProgress: (done: number, all: number) => void;
}

/** Computes the runs of each cell, in the order of the grid's seeds. The results are kept only in memory. */
export async function gridRows(options: GridRowsOptions): Promise<readonly (readonly SeedRow[])[]> {
  const {grid, page, eye, worker, threads, signal, onProgress} = options;
  const pieces = piecesOf(grid);
  const all = cellCount(grid) * grid.seeds.length;
  const rows: SeedRow[] = [];
  const workerData: RowsTask = {page, eye};
  await inThreads<RowsPiece, readonly SeedRow[]>({
    next: () => pieces.next().value ?? undefined,
    onAnswer: answer => {
      rows.push(...answer);
      onProgress(rows.length, all);
    },
    worker,
    workerData,
    threads,
    signal,
  });
  return Array.from({length: cellCount(grid)}, (_, cell) => {
    return rows.slice(cell * grid.seeds.length, (cell + 1) * grid.seeds.length);
  });
}

export function answerRows({page, eye}: RowsTask, {scenario, seeds}: RowsPiece): readonly SeedRow[] {
  return seeds.map(seed => seedRow(page, scenario, seed, {eye}));
}

function* piecesOf(grid: Grid): Generator<RowsPiece, undefined> {
  for (let cell = 0; cell < cellCount(grid); cell++) {
    const scenario = cellScenario(grid, cell);
    for (let from = 0; from < grid.seeds.length; from += PIECE_SEEDS) {
      yield {scenario, seeds: grid.seeds.slice(from, from + PIECE_SEEDS)};
    }
  }
}

/** Number of seeds per piece. A piece takes tens of ms, so the time for sending it to a thread is negligible. */
const PIECE_SEEDS = 10;
