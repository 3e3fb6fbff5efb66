import {availableParallelism} from 'node:os';
import {performance} from 'node:perf_hooks';
import {messageOf} from '../../app/base/text.ts';
import type {PageSnapshot} from '../../app/page/page.ts';
import {measure, type PaneMetrics} from '../../app/run/metrics/metrics.ts';
import {failedMetrics} from '../../app/run/metrics/paneMetrics.ts';
import type {Eye} from '../../app/run/quality/states.ts';
import {measureVisual} from '../../app/run/quality/visual.ts';
import type {Scenario} from '../../app/run/scenario/scenario.ts';
import {Trace} from '../../app/run/trace/trace.ts';
import {loadToMeasure} from '../engine/load.ts';
import {inThreads} from './inThreads.ts';

/** A worker's answer about one run. */
export interface WorkerAnswer {
  readonly seed: number;
  readonly panes: readonly PaneMetrics[];
}

/** Runs of one scenario that differ in their seed. */
export interface SeedRuns {
  readonly page: PageSnapshot;
  readonly scenario: Scenario;
  readonly seeds: readonly number[];
  /** What can be seen of the page. Needed only for the visual metrics. */
  readonly eye?: Eye;
  /** `seedWorker.ts`, bundled. */
  readonly worker: URL;
  /** Called with how many runs are done. */
  readonly onProgress: (done: number) => void;
  /** Most threads. By default as many as there are cores. */
  readonly threads?: number;
  /** A clock, in ms. */
  readonly nowMs?: () => number;
}

/**
 * Loads the page once per seed, and returns the metrics. The work begins on this thread. If after {@link
 * WORTH_A_THREAD_MS} the rest would still need at least twice that time, it is spread over worker threads, one for each
 * such span.
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
  const {page, scenario, eye, worker} = runs;
  const workerData: WorkerTask = {page, scenario, ...(eye === undefined ? {} : {eye})};
  await inThreads<number, WorkerAnswer>({
    next: () => seeds[done++],
    onAnswer: answer => {
      answers.push(answer);
      runs.onProgress(answers.length);
    },
    worker,
    workerData,
    threads: worth,
  });
  return answers;
}

/** The metrics of one run. If a pane cannot be computed, which is a bug of this program, its metrics say so. */
export function answerOf(task: WorkerTask, seed: number): WorkerAnswer {
  const panes = task.scenario.panes.map((pane, number): PaneMetrics => {
    try {
      return paneOf(task, seed, number);
    } catch (error) {
      return failedMetrics(pane, task.page, messageOf(error));
    }
  });
  return {seed, panes};
}

function paneOf({page, scenario, eye}: WorkerTask, seed: number, pane: number): PaneMetrics {
  const data = loadToMeasure(page, scenario, seed, pane);
  const trace = new Trace(data);
  const metrics = measure(data, trace);
  if (eye === undefined) return metrics;
  return {...metrics, visual: measureVisual(trace, eye.quality, eye.thresholds)};
}

/** Data that a worker is started with. */
export type WorkerTask = Pick<SeedRuns, 'page' | 'scenario' | 'eye'>;

/** Time in ms that a thread must save. It needs nearly half of this to start and to compile its code. */
const WORTH_A_THREAD_MS = 1000;
