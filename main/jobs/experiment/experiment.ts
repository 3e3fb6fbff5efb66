import {join} from 'node:path';
import {performance} from 'node:perf_hooks';
import {cellScenario, isLiveGrid, runAt, runCount} from '../../../app/study/experiment/grid.ts';
import {type Identity, metricsOf} from '../../../app/study/experiment/identity.ts';
import {rowLine} from '../../../app/study/experiment/row.ts';
import {shardRuns} from '../../../app/study/experiment/shard.ts';
import {inThreads} from '../../workers/workers.ts';
import {ExperimentError} from './experimentError.ts';
import {FILES, type Folder, openFolder} from './folder.ts';
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
  /** The pages of the identity, in its order. */
  readonly pages: readonly SeenPage[];
  /** Which of them a cell loads. */
  readonly pageOf: (cell: number) => number;
  /** The experiment's folder. */
  readonly out: string;
  /** Goes on with what is there. */
  readonly isResumed: boolean;
  /** Threads. */
  readonly jobs: number;
  /** `worker.ts`, bundled. */
  readonly worker: URL;
  readonly signal: AbortSignal;
  /** Loads cells that are live: without it there may be none. */
  readonly loadLive?: LoadLive;
  /** Told how many runs are there of how many, and how many of them were at the beginning. */
  readonly onProgress: (done: number, all: number, before: number) => void;
  /** Told what a person should know. */
  readonly onNote: (note: string) => void;
}

export interface ExperimentEnd {
  /** Runs that are there: all of the shard's. */
  readonly runs: number;
  /** Of them, those that were there before. */
  readonly before: number;
  /** What was written of them; null of a shard, which has its runs alone. */
  readonly outputs: Outputs | null;
}

/**
 * Computes the runs of a grid that are not there yet, in its order, and sums them up. What is there stays there
 * whatever becomes of the program, up to the last tenth of a second or so of each thread.
 * @throws ExperimentError if the folder cannot be gone on with. @throws FileError if it cannot be written to.
 */
export async function runExperiment(options: ExperimentOptions): Promise<ExperimentEnd> {
  const {identity, out, signal, onNote} = options;
  const folder = await openFolder(out, identity, options);
  try {
    if (folder.droppedBytes > 0) {
      onNote(`${folder.droppedBytes} bytes at the end of ${join(out, FILES.runs)} are no whole runs: dropped`);
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

/** A live load is alone on the machine: what is computed meanwhile would take its time. */
async function answerAlone(
  piece: Piece,
  workerData: WorkerData,
  {identity, signal, loadLive}: ExperimentOptions,
): Promise<PieceAnswer> {
  signal.throwIfAborted();
  if (piece.scenario.path.live === undefined) return answerPiece(workerData, piece);
  if (loadLive === undefined) throw new RangeError('live cells in an experiment that has none');
  return answerLivePiece(workerData, piece, {load: loadLive, repeats: identity.grid.seeds.length});
}

/** A run that is there is computed again, unless it was live: another version of the program may have other results. */
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
    `${path} was begun with another version of interleave: its run ${first.run} has other results`,
  );
}

function workerDataOf({identity, pages}: ExperimentOptions): WorkerData {
  return {pages, metrics: metricsOf(identity).map(({name}) => name)};
}

/** What a machine that stops at once can lose, ms. */
const SYNC_MS = 5000;
