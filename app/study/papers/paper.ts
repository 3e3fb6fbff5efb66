import type {Json} from '../../base/json.ts';
import type {Trace} from '../../run/trace/trace.ts';
import type {Figure} from '../figures/figure.ts';
import type {ReportTable} from '../report/report.ts';
import type {Results} from './gridResults.ts';
import type {Judgement} from './verdict.ts';

/** A paper whose experiments the program repeats: the grids of runs, and the claims that are compared with them. */
export interface Paper {
  /** The name on the command line. */
  readonly name: string;
  readonly title: string;
  /** How we read the paper: which values it does not give, and what we chose for them. */
  readonly notes: readonly string[];
  readonly grids: readonly PaperGrid[];
  readonly claims: readonly Claim[];
  /** The paper's printed tables beside our numbers. The tables contain no verdicts. */
  readonly tables: (results: Results) => readonly ReportTable[];
  readonly figures: (results: Results) => readonly Figure[];
}

/** A grid of runs. It repeats runs of the paper, or isolates the reason for a result. */
export interface PaperGrid {
  /** The name of its folder: lower-case letters, digits, hyphens. */
  readonly name: string;
  /** What the grid is for, as the report prints it. */
  readonly about: string;
  readonly base: Json;
  readonly axes: {readonly [axis: string]: Json};
  readonly kept: Kept;
  /** The largest number of seeds that are run. Without loss all seeds give the same times, so a few suffice. */
  readonly mostSeeds?: number;
  readonly moreSeeds?: MoreSeeds;
}

/** More seeds than the user gave, in a range of consecutive numbers. Verdicts need more seeds than figures do. */
export interface MoreSeeds {
  /** The number by which the user's number of seeds is multiplied. */
  readonly times: number;
  /**
   * How many ranges of the same length are skipped before this one. With 0, the range begins at the smallest of the
   * user's seeds. Two papers with the same loads use different ranges, so that no load is judged twice.
   */
  readonly rowsBefore: number;
}

/** The seeds for verdicts. If the user gives 50 seeds, verdicts use 600. */
export const JUDGED_SEEDS: MoreSeeds = {times: 12, rowsBefore: 0};

/** The numbers that are kept of each run: metrics by name, as in an experiment, or measures of its traces. */
export type Kept = {readonly metrics: readonly string[]} | {readonly measures: readonly Measure[]};

/** A number that a paper reports and that is not among the program's metrics. */
export interface Measure {
  readonly name: string;
  /** Computes the number from a run's trace. Null if the event that is measured never happened in the run. */
  readonly of: (trace: Trace) => number | null;
}

/** A statement of a paper, and how our results are compared with it. */
export interface Claim {
  /** The statement in our words. */
  readonly text: string;
  /** Where the paper says it. */
  readonly source: string;
  readonly rows: (results: Results) => readonly Row[];
  /** Sentences about the reason, with numbers from the runs that isolate it. */
  readonly why: (results: Results) => readonly string[];
}

/** One comparison of our results with a claim. A claim has one or more rows. */
export interface Row extends Judgement {
  /** The settings and the quantity that are compared. */
  readonly where: string;
  /** The paper's value or statement. */
  readonly theirs: string;
  /** Our value. */
  readonly ours: string;
}
