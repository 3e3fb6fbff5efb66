import {join} from 'node:path';
import {performance} from 'node:perf_hooks';
import {cellScenario, isLiveGrid, runAt, runCount} from '../../../app/study/experiment/grid.ts';
import {type Identity, metricsOf} from '../../../app/study/experiment/identity.ts';
import {rowLine} from '../../../app/study/experiment/row.ts';
import {shardRuns} from '../../../app/study/experiment/shard.ts';
import {inThreads} from '../../workers/inThreads.ts';
import {ExperimentError} from './experimentError.ts';
import {FILES, type Folder, openFolder} from './experimentFolder.ts';
import {type Outputs, writeOutputs} from './outputs.ts';
import {
  answerLivePiece,
  answerPiece,
  type LoadLive,
  type Piece,
  type PieceAnswer,
  PieceMaker,
  type SeenPage,
  type WorkerData,
} from './piece.ts';

export interface ExperimentOptions {
  readonly identity: Identity;
  /** The pages that `identity.pages` names, in the same order. */
  readonly pages: readonly SeenPage[];
  /** Returns the index of the page that a cell loads. */
  readonly pageOf: (cell: number) => number;
  /** The experiment's folder. */
  readonly out: string;
  /** Whether to continue with the runs that are in the folder. */
  readonly isResumed: boolean;
  /** Number of threads. */
  readonly jobs: number;
  /** The bundled module `experimentWorker.ts`. */
  readonly worker: URL;
  readonly signal: AbortSignal;
  /** Loads live cells. It is required if the grid has live cells. */
  readonly loadLive?: LoadLive;
  /**
   * Called with the number of finished runs, the number of all runs, and the number of runs that the folder had at the
   * start.
   */
  readonly onProgress: (done: number, all: number, before: number) => void;
  /** Called with each line that the user should read. */
  readonly onNote: (note: string) => void;
}

export interface ExperimentEnd {
  /** Number of all runs of the shard. */
  readonly runs: number;
  /** Number of runs that the folder had at the start. */
  readonly before: number;
  /** The outputs that were written. Null if the shard is only a part of the experiment: a part has no outputs. */
  readonly outputs: Outputs | null;
}

/**
 * Computes the missing runs of the shard in order. If the shard is the whole experiment, the results of all runs are
 * also written. The runs are computed in pieces ({@link Piece}), each of which takes about a tenth of a second, or the
 * time of one run if that is longer. If the program is killed, the unfinished pieces are lost. Finished pieces that
 * wait for an earlier piece are lost too.
 * @throws ExperimentError if the folder cannot be continued. @throws FileError if it cannot be written to
 */
export async function runExperiment(options: ExperimentOptions): Promise<ExperimentEnd> {
  const {identity, out, signal, onNote} = options;
  const folder = await openFolder(out, identity, options);
  try {
    if (folder.droppedBytes > 0) {
      onNote(
        `${folder.droppedBytes} bytes at the end of ${join(out, FILES.runs)} are not a complete run and are dropped`,
      );
    }
    checkFirst(folder, options);
    const runs = shardRuns(identity.shard, runCount(identity.grid));
    if (folder.done < runs) await computeRest(folder, options);
    await folder.runs.finish();
    const outputs = identity.shard.of === 1 ? await writeOutputs(out, identity, signal) : null;
    return {runs, before: folder.done, outputs};
  } finally {
    await folder.close();
  }
}

async function computeRest(folder: Folder, options: ExperimentOptions): Promise<void> {
  const {identity, pageOf, worker, jobs, signal, onProgress} = options;
  const maker = new PieceMaker(identity.grid, identity.shard, pageOf, folder.done);
  const all = shardRuns(identity.shard, runCount(identity.grid));
  let [done, syncedMs] = [folder.done, performance.now()];
  const onAnswer = (answer: PieceAnswer): void => {
    maker.handleAnswer(answer);
    folder.runs.append(answer.text);
    done += answer.runs;
    onProgress(done, all, folder.done);
    if (performance.now() - syncedMs < SYNC_MS) return;
    folder.runs.sync();
    syncedMs = performance.now();
  };
  const workerData = workerDataOf(options);
  const next = (): Piece | undefined => maker.next();
  if (!isLiveGrid(identity.grid))
    await inThreads<Piece, PieceAnswer>({next, onAnswer, worker, workerData, threads: jobs, signal});
  else for (let piece = next(); piece; piece = next()) onAnswer(await answerAlone(piece, workerData, options));
}

/**
 * Computes a piece of a grid with live cells in this thread. Nothing else is computed at the same time, because other
 * work would slow a live load down.
 */
async function answerAlone(
  piece: Piece,
  workerData: WorkerData,
  {identity, signal, loadLive}: ExperimentOptions,
): Promise<PieceAnswer> {
  signal.throwIfAborted();
  if (piece.scenario.path.live === undefined) return answerPiece(workerData, piece);
  if (loadLive === undefined) throw new RangeError('the grid has live cells, but loadLive is missing');
  return answerLivePiece(workerData, piece, {load: loadLive, repeats: identity.grid.seeds.length});
}

/**
 * Computes the first run of the folder again, and compares it with the stored one, because another version of the
 * program may have other results. A live run is not computed again.
 * @throws ExperimentError if they differ
 */
function checkFirst({path, first}: Folder, options: ExperimentOptions): void {
  if (first === null) return;
  const {grid} = options.identity;
  const {cell, seed} = runAt(grid, first.run);
  const piece = {
    page: options.pageOf(cell),
    scenario: cellScenario(grid, cell),
    runs: [[first.run, seed]] as const,
  };
  if (piece.scenario.path.live !== undefined) return;
  if (answerPiece(workerDataOf(options), piece).text === `${rowLine(first)}\n`) return;
  throw new ExperimentError(
    `${path} was begun with another version of interleave, which gives run ${first.run} other results: use that version, or begin a new folder`,
  );
}

function workerDataOf({identity, pages}: ExperimentOptions): WorkerData {
  return {pages, metrics: metricsOf(identity).map(({name}) => name)};
}

/** Interval between flushes to the disk, in ms. A crash of the machine loses at most the results of this time. */
const SYNC_MS = 5000;
