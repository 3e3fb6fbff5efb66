import {parentPort, workerData} from 'node:worker_threads';
import {answerRows, type RowsPiece, type RowsTask} from './gridRows.ts';

// This thread computes runs for advice. It receives some runs of a cell and answers with the results of each (a
// `SeedRow`). Several such threads may run.

parentPort?.on('message', (piece: RowsPiece) => {
  parentPort?.postMessage(answerRows(workerData as RowsTask, piece));
});
