import {availableParallelism} from 'node:os';
import {performance} from 'node:perf_hooks';
import {messageOf} from '../../app/base/text.ts';
import type {PageSnapshot} from '../../app/page/page.ts';
import {type CauseTime, measure, type PaneMetrics} from '../../app/run/metrics/metrics.ts';
import {failedMetrics} from '../../app/run/metrics/paneMetrics.ts';
import type {Eye} from '../../app/run/quality/states.ts';
import {measureVisual} from '../../app/run/quality/visual.ts';
import type {Scenario} from '../../app/run/scenario/scenario.ts';
import {Trace} from '../../app/run/trace/trace.ts';
import {causeTotals} from '../../app/run/why/causeTotals.ts';
import {pagePath} from '../../app/run/why/loadPaths.ts';
import {whyOptionsOf} from '../../app/run/why/whyOptions.ts';
import {loadToExplain, loadToMeasure} from '../engine/load.ts';
import {inThreads} from './inThreads.ts';

/** The metrics of one run. */
export interface WorkerAnswer {
  readonly seed: number;
  readonly panes: readonly PaneMetrics[];
}

/** Several runs of one scenario. They differ only in their seeds. */
export interface SeedRuns {
  readonly page: PageSnapshot;
  readonly scenario: Scenario;
  readonly seeds: readonly number[];
  /**
   * What each object looks like, depending on how many of its bytes have arrived. Without this, no visual metrics are
   * computed.
   */
  readonly eye?: Eye;
  /**
   * Whether the causes of the page's time are also computed; false by default. The work then takes a quarter to a half
   * longer.
   */
  readonly hasCauses?: boolean;
  /** URL of the bundle of `seedWorker.ts`. */
  readonly worker: URL;
  /** Called after each run with the number of finished runs. */
  readonly onProgress: (done: number) => void;
  /** The maximum number of threads. By default it is the number of cores. */
  readonly threads?: number;
  /** Returns the time in ms. Tests replace it. */
  readonly nowMs?: () => number;
}

/**
 * Loads the page once per seed, and returns the metrics. The work begins on this thread. After {@link
 * WORTH_A_THREAD_MS}, the remaining time is estimated before each run. As soon as the remaining work is enough for two
 * threads, worker threads do it. Their number is the remaining time divided by {@link WORTH_A_THREAD_MS}, but at most
 * `threads`. If `threads` is 1, this thread does all the work.
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
  const {page, scenario, eye, hasCauses = false, worker} = runs;
  const workerData: WorkerTask = {page, scenario, hasCauses, ...(eye === undefined ? {} : {eye})};
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

/**
 * Computes the metrics of one run. If a pane cannot be computed because of a bug, its metrics contain the error's
 * message.
 */
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

function paneOf({page, scenario, eye, hasCauses = false}: WorkerTask, seed: number, pane: number): PaneMetrics {
  const data = (hasCauses ? loadToExplain : loadToMeasure)(page, scenario, seed, pane);
  const trace = new Trace(data);
  const metrics = measure(data, trace);
  const visual = eye === undefined ? {} : {visual: measureVisual(trace, eye.quality, eye.thresholds)};
  return {...metrics, ...visual, ...(hasCauses ? {causes: causesOf(trace, scenario, pane)} : {})};
}

function causesOf(trace: Trace, scenario: Scenario, pane: number): readonly CauseTime[] | null {
  const path = pagePath(trace, whyOptionsOf(scenario, pane));
  return path === null ? null : causeTotals(path).map(({name, ns}) => ({name, ms: ns / 1e6}));
}

/** The data with which a worker thread is started. */
export interface WorkerTask extends Pick<SeedRuns, 'page' | 'scenario' | 'eye' | 'hasCauses'> {}

/**
 * A thread is started only if there is at least this much work for it, in ms. A thread needs nearly half as long to
 * start and to compile its code.
 */
const WORTH_A_THREAD_MS = 1000;
