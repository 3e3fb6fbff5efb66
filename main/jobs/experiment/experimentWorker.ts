import {parentPort, workerData} from 'node:worker_threads';
import {answerPiece, type Piece, type WorkerData} from './piece.ts';

// This thread computes runs of an experiment. It receives a piece of the runs and answers with their lines for
// `runs.ndjson`. Several such threads may run.

parentPort?.on('message', (piece: Piece) => {
  parentPort?.postMessage(answerPiece(workerData as WorkerData, piece));
});
