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
  /** The pages of the identity, in its order. */
  readonly pages: readonly SeenPage[];
  /** Which of the pages a cell loads. */
  readonly pageOf: (cell: number) => number;
  /** The experiment's folder. */
  readonly out: string;
  /** Continue with what is in the folder. */
  readonly isResumed: boolean;
  /** Threads. */
  readonly jobs: number;
  /** `experimentWorker.ts`, bundled. */
  readonly worker: URL;
  readonly signal: AbortSignal;
  /** Loads live cells. Without it the grid may have none. */
  readonly loadLive?: LoadLive;
  /** Called with how many runs of all are done, and how many of them were there at the beginning. */
  readonly onProgress: (done: number, all: number, before: number) => void;
  /** Called with lines that the user should know. */
  readonly onNote: (note: string) => void;
}

export interface ExperimentEnd {
  /** How many runs there are: all of the shard's. */
  readonly runs: number;
  /** How many of them were there before. */
  readonly before: number;
  /** What was written about them. Null for a shard, which has only its runs. */
  readonly outputs: Outputs | null;
}

/**
 * Computes the runs of a grid that are not there yet, in order, and summarises all. What is there stays, even if the
 * program is killed, except for about the last tenth of a second of each thread.
 * @throws ExperimentError if the folder cannot be continued. @throws FileError if it cannot be written to
 */
export async function runExperiment(options: ExperimentOptions): Promise<ExperimentEnd> {
  const {identity, out, signal, onNote} = options;
  const folder = await openFolder(out, identity, options);
  try {
    if (folder.droppedBytes > 0) {
      onNote(
        `${folder.droppedBytes} bytes at the end of ${join(out, FILES.runs)} are no complete runs: they are dropped`,
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

/** Runs a live load alone on the machine, because anything computed meanwhile would take time from it. */
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

/**
 * Computes a run that is there again, unless it was live, because another version of the program may have other
 * results.
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

/** Longest time, in ms, whose results a machine that stops at once can lose. */
const SYNC_MS = 5000;
