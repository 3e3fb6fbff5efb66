import {parentPort, workerData} from 'node:worker_threads';
import {answerRows, type RowsPiece, type RowsTask} from './gridRows.ts';

// One worker of an advice: takes some runs of a cell, answers with their rows.

parentPort?.on('message', (piece: RowsPiece) => {
  parentPort?.postMessage(answerRows(workerData as RowsTask, piece));
});
