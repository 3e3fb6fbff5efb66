import {parentPort, workerData} from 'node:worker_threads';
import {answerPiece, type Piece, type WorkerData} from './piece.ts';

// One of several threads of an experiment: it takes a piece of its runs and answers with their lines.

parentPort?.on('message', (piece: Piece) => {
  parentPort?.postMessage(answerPiece(workerData as WorkerData, piece));
});
