import {parentPort, workerData} from 'node:worker_threads';
import {answerOf, type WorkerTask} from './runSeeds.ts';

// This module runs as one of the threads of `runSeeds`. It receives seeds and answers each with the metrics of its run.

const task = workerData as WorkerTask;

parentPort?.on('message', (seed: number) => {
  parentPort?.postMessage(answerOf(task, seed));
});
