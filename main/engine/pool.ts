import {availableParallelism} from 'node:os';
import {Worker} from 'node:worker_threads';
import {measure, type PaneMetrics} from '../../app/metrics/metrics.ts';
import type {PageSnapshot} from '../../app/page/page.ts';
import type {Scenario} from '../../app/scenario/scenario.ts';
import {load} from './load.ts';

/** What a worker says of one run. */
export interface WorkerAnswer {
  readonly seed: number;
  readonly panes: readonly PaneMetrics[];
}

/** Runs of one scenario that differ in their seed. */
export interface SeedRuns {
  readonly page: PageSnapshot;
  readonly scenario: Scenario;
  readonly seeds: readonly number[];
  /** `worker.ts`, bundled. */
  readonly worker: URL;
  /** Told how many runs are done. */
  readonly onProgress: (done: number) => void;
}

/** Loads the page once per seed, spread over the cores; gives the metrics in the order of the seeds. */
export async function runSeeds(runs: SeedRuns): Promise<readonly WorkerAnswer[]> {
  const threads = Math.min(availableParallelism(), Math.ceil(runs.seeds.length / RUNS_WORTH_A_THREAD));
  if (threads > 1) return runInWorkers(runs, threads);
  return runs.seeds.map((seed, done) => {
    const answer = {seed, panes: load(runs.page, runs.scenario, seed).panes.map(measure)};
    runs.onProgress(done + 1);
    return answer;
  });
}

async function runInWorkers(runs: SeedRuns, threads: number): Promise<readonly WorkerAnswer[]> {
  const answers: WorkerAnswer[] = [];
  let [next, done] = [0, 0];
  const workers: Worker[] = [];
  const work = (): Promise<void> =>
    new Promise((resolve, reject) => {
      const worker = new Worker(runs.worker, {workerData: {page: runs.page, scenario: runs.scenario}});
      workers.push(worker);
      const ask = (): void => {
        const seed = runs.seeds[next++];
        if (seed === undefined) resolve();
        else worker.postMessage(seed);
      };
      worker.on('error', reject);
      worker.on('exit', code => reject(new Error(`a worker ended with exit code ${code}`)));
      worker.on('message', (answer: WorkerAnswer) => {
        answers[runs.seeds.indexOf(answer.seed)] = answer;
        runs.onProgress(++done);
        ask();
      });
      ask();
    });
  try {
    await Promise.all(Array.from({length: threads}, work));
  } finally {
    for (const worker of workers) worker.removeAllListeners('exit');
    await Promise.all(workers.map(worker => worker.terminate()));
  }
  return answers;
}

/** Starting a thread takes about as long as a few runs. */
const RUNS_WORTH_A_THREAD = 4;
