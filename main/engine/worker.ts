import {parentPort, workerData} from 'node:worker_threads';
import {measure} from '../../app/metrics/metrics.ts';
import type {PageSnapshot} from '../../app/page/page.ts';
import type {Scenario} from '../../app/scenario/scenario.ts';
import {load} from './load.ts';
import type {WorkerAnswer} from './pool.ts';

// One worker of runSeeds: takes a seed, answers with that run's metrics.

const {page, scenario} = workerData as {page: PageSnapshot; scenario: Scenario};

parentPort?.on('message', (seed: number) => {
  const answer: WorkerAnswer = {seed, panes: load(page, scenario, seed).panes.map(measure)};
  parentPort?.postMessage(answer);
});
