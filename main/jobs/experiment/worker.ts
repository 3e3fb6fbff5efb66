import {parentPort, workerData} from 'node:worker_threads';
import {answerPiece, type Piece, type WorkerData} from './piece.ts';

// One worker of an experiment: takes a piece of its runs, answers with their lines.

parentPort?.on('message', (piece: Piece) => {
  parentPort?.postMessage(answerPiece(workerData as WorkerData, piece));
});
