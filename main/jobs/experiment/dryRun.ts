import {availableParallelism} from 'node:os';
import {performance} from 'node:perf_hooks';
import {setImmediate as breath} from 'node:timers/promises';
import type {PaneMetrics} from '../../../app/run/metrics/metrics.ts';
import {cellCount, cellScenario, paneCounts, runAt, runCount} from '../../../app/study/experiment/grid.ts';
import type {Identity} from '../../../app/study/experiment/identity.ts';
import {runOfShard, shardRuns} from '../../../app/study/experiment/shard.ts';
import {answerOf} from '../../workers/runSeeds.ts';
import type {SeenPage} from './piece.ts';

/** An estimate of the size and the duration of a shard of an experiment. */
export interface Expectation {
  /** Number of cells of the whole grid. */
  readonly cells: number;
  /** Number of runs of the shard. */
  readonly runs: number;
  /** Number of loads of single panes. Every run loads each of its panes. */
  readonly loads: number;
  /** CPU time of one load on one thread, measured on a sample. */
  readonly cpuMsPerLoad: number;
  readonly cpuS: number;
  /**
   * Wall-clock time in s on this machine, with the requested number of threads, but with at most one per core and one
   * per run.
   */
  readonly wallS: number;
  /** Duration in hours if the loads were made over real networks, one after the other. */
  readonly realHours: number;
}

/**
 * Estimates the duration of the shard's runs from some of these runs. This takes about 1.5 seconds, or the time of two
 * runs if that is longer.
 * @throws the signal's reason
 */
export async function expectExperiment(
  {grid, shard}: Identity,
  pages: readonly SeenPage[],
  pageOf: (cell: number) => number,
  {jobs, signal}: {readonly jobs: number; readonly signal: AbortSignal},
): Promise<Expectation> {
  const runs = shardRuns(shard, runCount(grid));
  const loads = loadsOf({grid, shard});
  const compute = async (run: number): Promise<Sample> => {
    // lets the event loop handle signals between runs
    await breath();
    signal.throwIfAborted();
    const {cell, seed} = runAt(grid, run);
    const scenario = cellScenario(grid, cell);
    const seen = pages[pageOf(cell)];
    if (seen === undefined) throw new RangeError(`invalid page of cell ${cell} (there are ${pages.length})`);
    const {panes} = answerOf({...seen, scenario}, seed);
    const lastMs = panes.reduce((sum, pane) => sum + lastsMs(pane, scenario.timeLimitMs), 0);
    return {loads: panes.length, lastMs};
  };
  const some = samplesOf(runs).map(n => runOfShard(shard, n));
  // the first runs are not measured, because V8 is still compiling
  await computeFor(WARM_UP_MS, some, compute);
  const before = process.cpuUsage();
  const measured = await computeFor(MEASURE_MS, some, compute);
  const {user, system} = process.cpuUsage(before);
  const measuredLoads = Math.max(
    1,
    sum(measured, sample => sample.loads),
  );
  const cpuMsPerLoad = (user + system) / 1000 / measuredLoads;
  const cpuS = (cpuMsPerLoad * loads) / 1000;
  return {
    cells: cellCount(grid),
    runs,
    loads,
    cpuMsPerLoad,
    cpuS,
    wallS: cpuS / Math.max(1, Math.min(jobs, availableParallelism(), runs)),
    realHours: ((sum(measured, sample => sample.lastMs) / measuredLoads) * loads) / 3.6e6,
  };
}

interface Sample {
  readonly loads: number;
  /** Sum of the durations of all its loads, in virtual time. */
  readonly lastMs: number;
}

function loadsOf({grid, shard}: Pick<Identity, 'grid' | 'shard'>): number {
  const panesOf = paneCounts(grid);
  const each = grid.seeds.length;
  let loads = 0;
  for (let cell = 0; cell < cellCount(grid); cell++) {
    const runs = shardRuns(shard, (cell + 1) * each) - shardRuns(shard, cell * each);
    loads += panesOf(cell) * runs;
  }
  return loads;
}

/**
 * Returns the indices of runs that are evenly spread over the shard. The golden ratio gives them an order in which the
 * first n runs are also evenly spread, for any n.
 */
function samplesOf(runs: number): readonly number[] {
  const count = Math.min(runs, MOST_SAMPLES);
  return Array.from({length: count}, (_, i) => Math.floor(((i + 0.5) * runs) / count))
    .map((run, i) => ({run, place: (i * 0.618034) % 1}))
    .sort((a, b) => a.place - b.place)
    .map(({run}) => run);
}

/** Computes the runs in order until `ms` have passed or none is left. The first run is always computed. */
async function computeFor(
  ms: number,
  runs: readonly number[],
  compute: (run: number) => Promise<Sample>,
): Promise<readonly Sample[]> {
  const startMs = performance.now();
  const samples: Sample[] = [];
  for (const run of runs) {
    samples.push(await compute(run));
    if (performance.now() - startMs > ms) break;
  }
  return samples;
}

/** Duration of a load in virtual time. A load that does not complete counts as the time limit. */
function lastsMs({outcome, objects}: PaneMetrics, timeLimitMs: number): number {
  if (outcome !== 'complete') return timeLimitMs;
  return objects.reduce((latest, {completeMs}) => Math.max(latest, completeMs ?? 0), 0);
}

function sum(samples: readonly Sample[], of: (sample: Sample) => number): number {
  return samples.reduce((total, sample) => total + of(sample), 0);
}

const MOST_SAMPLES = 400;
const WARM_UP_MS = 500;
const MEASURE_MS = 1000;
