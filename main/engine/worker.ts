import {parentPort, workerData} from 'node:worker_threads';
import type {PageSnapshot} from '../../app/page/page.ts';
import type {Scenario} from '../../app/scenario/scenario.ts';
import {answerOf} from './pool.ts';

// One worker of runSeeds: takes a seed, answers with that run's metrics.

const {page, scenario} = workerData as {page: PageSnapshot; scenario: Scenario};

parentPort?.on('message', (seed: number) => {
  parentPort?.postMessage(answerOf(page, scenario, seed));
});
