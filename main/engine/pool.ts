import {availableParallelism} from 'node:os';
import {performance} from 'node:perf_hooks';
import {Worker} from 'node:worker_threads';
import {measure, type PaneMetrics} from '../../app/metrics/metrics.ts';
import type {PageSnapshot} from '../../app/page/page.ts';
import type {Eye} from '../../app/quality/eye.ts';
import {measureVisual} from '../../app/quality/visual.ts';
import type {Scenario} from '../../app/scenario/scenario.ts';
import {Trace} from '../../app/trace/trace.ts';
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
  /** Where the metrics of what the eye gets are wanted too. */
  readonly eye?: Eye;
  /** `worker.ts`, bundled. */
  readonly worker: URL;
  /** Told how many runs are done. */
  readonly onProgress: (done: number) => void;
  /** As many as there are cores. */
  readonly threads?: number;
  /** A clock, ms. */
  readonly nowMs?: () => number;
}

/**
 * Loads the page once per seed; gives the metrics in the order of the seeds, whoever computed them. What is not done
 * when {@link WORTH_A_THREAD_MS} are over is spread over a thread for each of these that it would take, two at least.
 */
export async function runSeeds(runs: SeedRuns): Promise<readonly WorkerAnswer[]> {
  const {seeds, threads = availableParallelism(), nowMs = () => performance.now()} = runs;
  const answers: WorkerAnswer[] = [];
  const startMs = nowMs();
  let [done, worth] = [0, 1];
  for (const seed of seeds) {
    const leftMs = ((nowMs() - startMs) / done) * (seeds.length - done);
    worth = Math.min(threads, Math.floor(leftMs / WORTH_A_THREAD_MS));
    if (nowMs() - startMs >= WORTH_A_THREAD_MS && worth > 1) break;
    answers.push(answerOf(runs, seed));
    runs.onProgress(++done);
  }
  return [...answers, ...(await inWorkers(runs, seeds.slice(done), worth))];
}

/** One run's metrics. */
export function answerOf({page, scenario, eye}: WorkerTask, seed: number): WorkerAnswer {
  const panes = load(page, scenario, seed).panes.map((data): PaneMetrics => {
    const trace = new Trace(data);
    const metrics = measure(data, trace);
    if (eye === undefined) return metrics;
    return {...metrics, visual: measureVisual(trace, eye.quality, eye.thresholds)};
  });
  return {seed, panes};
}

/** What a worker is started with. */
export type WorkerTask = Pick<SeedRuns, 'page' | 'scenario' | 'eye'>;

/** In the order of `seeds`; `seeds` are the last of the runs'. */
async function inWorkers(
  runs: SeedRuns,
  seeds: readonly number[],
  threads: number,
): Promise<readonly WorkerAnswer[]> {
  const answers: WorkerAnswer[] = [];
  let [next, done] = [0, runs.seeds.length - seeds.length];
  const workers: Worker[] = [];
  const work = (): Promise<void> =>
    new Promise((resolve, reject) => {
      const {page, scenario, eye} = runs;
      const task: WorkerTask = {page, scenario, ...(eye === undefined ? {} : {eye})};
      const worker = new Worker(runs.worker, {workerData: task});
      workers.push(worker);
      let asked = -1;
      const ask = (): void => {
        asked = next++;
        const seed = seeds[asked];
        if (seed === undefined) resolve();
        else worker.postMessage(seed);
      };
      worker.on('error', reject);
      worker.on('exit', code => reject(new Error(`a worker ended with exit code ${code}`)));
      worker.on('message', (answer: WorkerAnswer) => {
        answers[asked] = answer;
        runs.onProgress(++done);
        ask();
      });
      ask();
    });
  try {
    await Promise.all(Array.from({length: Math.min(threads, seeds.length)}, work));
  } finally {
    for (const worker of workers) worker.removeAllListeners('exit');
    await Promise.all(workers.map(worker => worker.terminate()));
  }
  return answers;
}

/** A thread takes nearly half of it to start and to compile what it runs. */
const WORTH_A_THREAD_MS = 1000;
