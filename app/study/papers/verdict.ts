import {meanP} from '../../run/metrics/statistics.ts';
import {holm} from '../experiment/significance.ts';
import type {Verdict} from '../report/report.ts';
import type {Measured} from './measured.ts';
import {numberText} from './numberText.ts';

/** The range of values that a paper gives; both ends are equal if it gives a single number. */
export type Range = readonly [low: number, high: number];

export interface Judgement {
  readonly verdict: Verdict;
  /** By how much the results differ, or why the verdict is open; empty if they agree. */
  readonly size: string;
  /**
   * Two-sided p-value: the probability that our result is at least this far from the paper's if the paper is right.
   * Null if there is no test.
   */
  readonly p: number | null;
}

/**
 * The margin that is allowed around a paper's numbers, as a share of the number. The papers give no intervals, and many
 * numbers are rounded, read off a figure, or said with "about".
 */
export const ABOUT = 0.15;
/** Times count as equal if they differ by less than this share: a reader could not tell them apart in a figure. */
export const EQUAL = 0.01;
/** Returns the difference below which two times count as equal, given one of the times. */
export function leastOf({value}: Measured): number {
  return EQUAL * (value ?? 0);
}

/**
 * The difference above which one of two times counts as shorter. Without loss all runs are nearly alike, so even a tiny
 * difference would be significant, although no figure shows it. With loss the limit is 0, and the interval alone
 * decides.
 */
export function leastAt(loss: number, time: Measured): number {
  return loss === 0 ? leastOf(time) : 0;
}

/** The share of our runs on each side of their central 95 %. */
const OUTERMOST = 0.025;
/** The significance level of all tests. */
const LEVEL = 0.05;

/** The rules by which verdicts are given, as reports print them. */
export const RULES: readonly string[] = [
  'Numbers. For each number we compute the mean over seeds and its 95 % confidence interval (Student’s t; for ' +
    `ratios the delta method). The paper’s number or range is widened by ${100 * ABOUT} % on each side, because ` +
    'papers say "about" and give no intervals. The number agrees if our interval lies inside the widened range, and ' +
    'differs if the two do not overlap; the report then says how far our mean is from the paper’s range. Otherwise ' +
    'the verdict is open, and more seeds can decide it.',
  'Orders. For a statement such as "A is sooner than B" we compute the mean difference of the two times and its 95 ' +
    '% confidence interval. If both times belong to the same runs, the difference is computed seed by seed. The ' +
    'order agrees if the interval lies on the paper’s side of 0, differs if it lies on the other side, and is open ' +
    `otherwise. Without loss, the whole interval must be farther from 0 than ${100 * EQUAL} % of one of the two ` +
    'times, because nobody could read a smaller difference off a figure. If a paper prints two times that differ by ' +
    `less than ${100 * EQUAL} %, we read them as equal. Our times then agree if the whole interval of their ` +
    `difference is nearer to 0 than ${100 * EQUAL} % of one of the two times.`,
  'Single runs. A statement about one run of the paper agrees if at least 95 % of our runs have the value of the ' +
    `paper’s run. It differs if fewer than ${100 * OUTERMOST} % of the runs (ours and the paper’s together) reach at ` +
    `least this value, or fewer than ${100 * OUTERMOST} % reach at most this value. Otherwise the verdict is open, ` +
    'because one run cannot decide.',
  'Claims. The rows of a claim are tested together. A row that differs becomes open unless its p-value is below ' +
    '0.05 after Holm’s correction for the number of rows in the claim. A claim differs if one of its rows differs, ' +
    'agrees if all rows agree, and is open otherwise. The report says beside each verdict how many rows agree. No ' +
    'setting was tuned to make the results agree. Where the report gives a reason for a difference, we found it by ' +
    'runs in which we changed only one setting.',
];

/** Judges a mean against the paper's range. */
export function judgeMean(ours: Measured, theirs: Range, unit = ''): Judgement {
  const {value, half, n} = ours;
  if (value === null) return open(NO_RUN);
  if (half === null) return open(ONE_RUN_ONLY);
  const [low, high] = [theirs[0] - ABOUT * Math.abs(theirs[0]), theirs[1] + ABOUT * Math.abs(theirs[1])];
  const p = meanP(Math.max(0, low - value, value - high), half, n);
  if (low <= value - half && value + half <= high) return {verdict: 'agrees', size: '', p};
  if (value + half < low || value - half > high) return {verdict: 'differs', size: distance(value, theirs, unit), p};
  return open(`our interval is ± ${numberText(half)}: more seeds can decide`, p);
}

/**
 * Judges a difference that is above 0 according to the paper, for example the time by which one page is complete before
 * another. A difference below `least` counts as none.
 */
export function judgeOrder({value, half, n}: Measured, unit = '', least = 0): Judgement {
  if (value === null) return open(NO_RUN);
  if (half === null) return open(ONE_RUN_ONLY);
  // if the report would print the difference as 0, neither time counts as sooner
  if ([value, half].every(each => numberText(each) === '0')) return open('both are equal');
  const p = meanP(Math.max(0, -least - value), half, n);
  if (value - half > least) return {verdict: 'agrees', size: '', p};
  const suffix = unit === '' ? '' : ` ${unit}`;
  if (value + half < -least)
    return {verdict: 'differs', size: `by ${numberText(-value)}${suffix} in the other direction`, p};
  if (Math.abs(value) + half < least) return open(`both are equal within ${100 * EQUAL} %`, p);
  return open(least === 0 ? 'our interval includes 0' : `our interval includes differences below ${100 * EQUAL} %`, p);
}

/** Judges a difference that is practically 0 according to the paper, which means at most `least`. */
export function judgeEqual({value, half, n}: Measured, least: number, unit = ''): Judgement {
  if (value === null) return open(NO_RUN);
  if (half === null) return open(ONE_RUN_ONLY);
  const p = meanP(Math.max(0, Math.abs(value) - least), half, n);
  if (Math.abs(value) + half <= least) return {verdict: 'agrees', size: '', p};
  const suffix = unit === '' ? '' : ` ${unit}`;
  if (Math.abs(value) - half > least)
    return {verdict: 'differs', size: `by ${numberText(Math.abs(value))}${suffix}`, p};
  return open(`our interval includes differences above ${100 * EQUAL} %`, p);
}

/** Judges a single run of the paper by the shares of our runs whose value is at least and at most that of this run. */
export function judgeOneRun(atLeast: Measured, atMost: Measured): Judgement {
  const [above, below] = [atLeast.value, atMost.value];
  if (above === null || below === null) return open(NO_RUN);
  const {n} = atLeast;
  if (n < 2) return open(ONE_RUN_ONLY);
  // If the paper is right, its run is of the same kind as our runs, so the paper's run is counted too. If it were not
  // counted, a value that no run of ours reaches would always count as rare, even with few runs.
  const [outer, inner] = [above, below].map(each => (each * n + 1) / (n + 1)) as [number, number];
  const p = Math.min(1, 2 * outer, 2 * inner);
  if (outer < OUTERMOST) return {verdict: 'differs', size: `${share(above)} of our runs reach at least this value`, p};
  if (inner < OUTERMOST) return {verdict: 'differs', size: `${share(below)} of our runs reach at most this value`, p};
  const inside = above + below - 1;
  if (inside >= 1 - 2 * OUTERMOST) return {verdict: 'agrees', size: '', p};
  return open(`${share(inside)} of our runs have the same value: one run cannot decide`, p);
}

/** The verdict on a statement that was not compared or could not be decided. */
export function open(why: string, p: number | null = null): Judgement {
  return {verdict: 'open', size: why, p};
}

/**
 * Tests the rows of a claim together. The more rows there are, the more likely it is that one of them differs by
 * chance. A row whose difference may be due to chance becomes open.
 */
export function judgeTogether<R extends Judgement>(rows: readonly R[]): readonly R[] {
  const corrected = holm(rows.map(({p}) => p));
  return rows.map((row, i) => {
    const p = corrected[i] ?? null;
    if (row.verdict !== 'differs' || p === null || p < LEVEL) return row;
    return {...row, ...open(`${row.size}; with ${rows.length} rows this may be due to chance`, row.p)};
  });
}

/** The verdict on a claim, given those on its rows. */
export function claimVerdict(rows: readonly {readonly verdict: Verdict}[]): Verdict {
  if (rows.some(({verdict}) => verdict === 'differs')) return 'differs';
  return rows.length > 0 && rows.every(({verdict}) => verdict === 'agrees') ? 'agrees' : 'open';
}

const NO_RUN = 'no run is complete';
const ONE_RUN_ONLY = 'a single run has no interval: more seeds can decide';

/** Says how far a value is from the nearer end of the paper's range. */
function distance(value: number, [low, high]: Range, unit: string): string {
  const nearest = value < low ? low : high;
  const suffix = unit === '' ? '' : ` ${unit}`;
  const away = `${numberText(Math.abs(value - nearest))}${suffix} ${value < nearest ? 'less' : 'more'}`;
  return value > 0 && nearest > 0 ? `${away} (× ${numberText(value / nearest)})` : away;
}

function share(value: number): string {
  return `${numberText(100 * value)} %`;
}
