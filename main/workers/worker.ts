import {parentPort, workerData} from 'node:worker_threads';
import {answerOf, type WorkerTask} from './pool.ts';

// One worker of runSeeds: takes a seed, answers with that run's metrics.

const task = workerData as WorkerTask;

parentPort?.on('message', (seed: number) => {
  parentPort?.postMessage(answerOf(task, seed));
});
