import type {Json} from '../../base/json.ts';
import type {Trace} from '../../run/trace/trace.ts';
import type {Figure} from '../figures/figure.ts';
import type {ReportTable} from '../report/report.ts';
import type {Results} from './gridResults.ts';
import type {Judgement} from './verdict.ts';

/** A paper whose runs can be made again: its grids, and what it says of them. */
export interface Paper {
  /** As the command line has it. */
  readonly name: string;
  readonly title: string;
  /** How it was read: what is exchanged, missing or our choice. */
  readonly notes: readonly string[];
  readonly grids: readonly PaperGrid[];
  readonly claims: readonly Claim[];
  /** Its printed tables with our numbers, where no verdict says it. */
  readonly tables: (results: Results) => readonly ReportTable[];
  readonly figures: (results: Results) => readonly Figure[];
}

/** A grid that a paper takes: its own, or one that isolates a reason. */
export interface PaperGrid {
  /** Of its folder: lower-case letters, digits, hyphens. */
  readonly name: string;
  /** What it is for. */
  readonly about: string;
  readonly base: Json;
  readonly axes: {readonly [axis: string]: Json};
  readonly kept: Kept;
  /** So many of the seeds at most: without loss all of them have the same times. */
  readonly mostSeeds?: number;
  readonly moreSeeds?: MoreSeeds;
}

/** Seeds in a row for verdicts, which need more of them than figures do. */
export interface MoreSeeds {
  /** So many times as many as are asked for. */
  readonly times: number;
  /** From the smallest seed on; or, so that no load is judged in two papers, behind so many rows of as many. */
  readonly rowsBefore: number;
}

/** 600 for 50, N07's number. */
export const JUDGED_SEEDS: MoreSeeds = {times: 12, rowsBefore: 0};

/** What is kept of each run: metrics by their names, in an experiment; or measures of its traces. */
export type Kept = {readonly metrics: readonly string[]} | {readonly measures: readonly Measure[]};

/** A number of a run that is no metric, as a paper's table has it. */
export interface Measure {
  readonly name: string;
  /** Null if it never came. */
  readonly of: (trace: Trace) => number | null;
}

/** What a paper says, and how it is compared. */
export interface Claim {
  /** In our words. */
  readonly text: string;
  /** Where it says so. */
  readonly source: string;
  readonly rows: (results: Results) => readonly Row[];
  /** Sentences made of the numbers of runs that isolate a reason. */
  readonly why: (results: Results) => readonly string[];
}

/** One comparison of a claim. */
export interface Row extends Judgement {
  readonly where: string;
  readonly theirs: string;
  readonly ours: string;
}
