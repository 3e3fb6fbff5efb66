import {performance} from 'node:perf_hooks';
import type {PageSnapshot} from '../../../app/page/page.ts';
import type {PaneMetrics} from '../../../app/run/metrics/metrics.ts';
import type {Eye} from '../../../app/run/quality/states.ts';
import type {Scenario} from '../../../app/run/scenario/scenario.ts';
import {cellScenario, type Grid, runAt, runCount} from '../../../app/study/experiment/grid.ts';
import {CAUSE_METRICS, type Metric, NAMED_METRICS} from '../../../app/study/experiment/metricList.ts';
import {rowLine, rowOf} from '../../../app/study/experiment/row.ts';
import {runOfShard, type Shard, shardRuns} from '../../../app/study/experiment/shard.ts';
import {answerOf} from '../../workers/runSeeds.ts';

/** Data that every worker of an experiment is started with. */
export interface WorkerData {
  readonly pages: readonly SeenPage[];
  /** Names of the metrics that are stored for each run. */
  readonly metrics: readonly string[];
}

/** A page of the grid. `eye` holds its measured visual quality, if it was measured. */
export interface SeenPage {
  readonly page: PageSnapshot;
  readonly eye?: Eye;
}

/** Some runs of one cell. */
export interface Piece {
  /** Index of the page in {@link WorkerData.pages}. */
  readonly page: number;
  readonly scenario: Scenario;
  readonly runs: readonly (readonly [run: number, seed: number])[];
}

export interface PieceAnswer {
  /** Lines of `runs.ndjson`. */
  readonly text: string;
  readonly runs: number;
  readonly tookMs: number;
}

/** Loads a page live, once, and returns each pane's metrics. `repeat` counts from 0. */
export type LoadLive = (page: PageSnapshot, scenario: Scenario, repeat: number) => Promise<readonly PaneMetrics[]>;

/** Loads the runs of a piece live, one after the other, and returns their lines. */
export async function answerLivePiece(
  data: WorkerData,
  {page, scenario, runs}: Piece,
  {load, repeats}: {readonly load: LoadLive; readonly repeats: number},
): Promise<PieceAnswer> {
  const startMs = performance.now();
  const [seen, kept] = [seenPage(data, page), keptMetrics(data)];
  let text = '';
  for (const [run] of runs) text += `${rowLine(rowOf(run, await load(seen.page, scenario, run % repeats), kept))}\n`;
  return {text, runs: runs.length, tookMs: performance.now() - startMs};
}

function seenPage({pages}: WorkerData, page: number): SeenPage {
  const seen = pages[page];
  if (seen === undefined) throw new RangeError(`invalid page: ${page} (there are ${pages.length})`);
  return seen;
}

function keptMetrics({metrics}: WorkerData): readonly Metric[] {
  return metrics.map(name => METRICS_BY_NAME.get(name)).filter(metric => metric !== undefined);
}

/** Computes the runs of a piece, and returns their lines. */
export function answerPiece(data: WorkerData, {page, scenario, runs}: Piece): PieceAnswer {
  const startMs = performance.now();
  const [seen, kept] = [seenPage(data, page), keptMetrics(data)];
  const hasCauses = kept.some(metric => CAUSE_METRICS.some(({name}) => name === metric.name));
  const lines = runs.map(([run, seed]) => {
    return `${rowLine(rowOf(run, answerOf({...seen, scenario, hasCauses}, seed).panes, kept))}\n`;
  });
  return {text: lines.join(''), runs: runs.length, tookMs: performance.now() - startMs};
}

const METRICS_BY_NAME: ReadonlyMap<string, Metric> = new Map(NAMED_METRICS.map(metric => [metric.name, metric]));

/** Divides the shard's runs into pieces that take about {@link PIECE_MS} each. */
export class PieceMaker {
  readonly #grid: Grid;
  readonly #shard: Shard;
  readonly #pageOf: (cell: number) => number;
  readonly #count: number;
  #next: number;
  #size = 1;

  /** Begins with the shard's run with the index `from`. */
  constructor(grid: Grid, shard: Shard, pageOf: (cell: number) => number, from: number) {
    this.#grid = grid;
    this.#shard = shard;
    this.#pageOf = pageOf;
    this.#count = shardRuns(shard, runCount(grid));
    this.#next = from;
  }

  next(): Piece | undefined {
    if (this.#next >= this.#count) return undefined;
    const {cell} = this.#at(this.#next);
    const runs: (readonly [run: number, seed: number])[] = [];
    while (this.#next < this.#count && runs.length < this.#size) {
      const each = this.#at(this.#next);
      if (each.cell !== cell) break;
      runs.push([each.run, each.seed]);
      this.#next++;
    }
    return {page: this.#pageOf(cell), scenario: cellScenario(this.#grid, cell), runs};
  }

  /** Adapts the size of the next pieces to the time that this piece took. */
  handleAnswer({runs, tookMs}: PieceAnswer): void {
    const fitting = Math.floor((PIECE_MS / Math.max(tookMs, 0.01)) * runs);
    this.#size = Math.max(1, Math.min(fitting, 2 * this.#size, MOST_RUNS));
  }

  #at(n: number): {readonly run: number; readonly cell: number; readonly seed: number} {
    const run = runOfShard(this.#shard, n);
    return {run, ...runAt(this.#grid, run)};
  }
}

/**
 * Duration of a piece. It is short enough that a killed program loses little, and long enough that the time for sending
 * a piece to a thread is negligible.
 */
const PIECE_MS = 100;
const MOST_RUNS = 1000;
