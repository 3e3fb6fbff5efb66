import {parentPort, workerData} from 'node:worker_threads';
import {answerRows, type RowsPiece, type RowsTask} from './gridRows.ts';

// One of several threads that compute an advice: it takes some runs of a cell and answers with their rows.

parentPort?.on('message', (piece: RowsPiece) => {
  parentPort?.postMessage(answerRows(workerData as RowsTask, piece));
});
