import {parentPort, workerData} from 'node:worker_threads';
import {answerOf, type WorkerTask} from './runSeeds.ts';

// One of runSeeds' threads: it takes a seed and answers with the metrics of that run.

const task = workerData as WorkerTask;

parentPort?.on('message', (seed: number) => {
  parentPort?.postMessage(answerOf(task, seed));
});
