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
  /** Two-sided p-value: the probability of a result at least as far away if the paper is right; null without a test. */
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
 * The smallest difference that counts as an order of two times. Without loss all runs are alike, so a tiny difference
 * would always be significant, although no figure shows it. With loss the interval alone decides.
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
  'Numbers. For each number we compute the mean over seeds and its 95 % confidence interval (Student’s t; for ratios the ' +
    `delta method). The paper’s number or range is widened by ${100 * ABOUT} % on each side, because papers say "about" and ` +
    'give no intervals. The number agrees if our interval lies inside the widened range, and differs if the two do not ' +
    'overlap; the report then says how far our mean is from the paper’s range. Otherwise the verdict is open: more seeds ' +
    'can decide it.',
  'Orders. For a statement such as "A is sooner than B" we compute the mean difference and its 95 % confidence interval; ' +
    'if both times come from the same cell, the difference is taken seed by seed. The order agrees if the interval lies on the ' +
    'paper’s side of 0, differs if it lies on the other side, and is open otherwise. Without loss the interval must also lie ' +
    `more than ${100 * EQUAL} % of the time away from 0, because nobody could read a smaller difference off a figure. Times that ` +
    `a paper prints within ${100 * EQUAL} % of each other count as equal there, and ours agree if their interval lies within ` +
    'the same margin.',
  'Single runs. A statement about one run of the paper agrees if at least 95 % of our runs show the same value. It differs ' +
    `if fewer than ${100 * OUTERMOST} % of the runs (ours and the paper’s together) reach at least this value, or fewer than ` +
    `${100 * OUTERMOST} % reach at most this value. Otherwise the verdict is open: a single run may be either.`,
  'Claims. The rows of a claim are tested together: a row differs only if its p-value is below 0.05 after Holm’s correction ' +
    'for the number of rows in the claim, and is open otherwise. A claim differs if one of its rows differs, agrees if all ' +
    'rows agree, and is open otherwise. The report says beside each verdict how many rows agree. No setting was tuned to ' +
    'make the results agree. The reasons that are given come from runs of this reproduction in which only one thing is changed.',
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
 * Judges a difference that is above 0 according to the paper, for example by how much one page is sooner than another.
 * If the difference is below `least`, neither counts as sooner.
 */
export function judgeOrder({value, half, n}: Measured, unit = '', least = 0): Judgement {
  if (value === null) return open(NO_RUN);
  if (half === null) return open(ONE_RUN_ONLY);
  // if the report would print the difference as 0, neither time counts as sooner
  if ([value, half].every(each => numberText(each) === '0')) return open('both are equal');
  const p = meanP(Math.max(0, -least - value), half, n);
  if (value - half > least) return {verdict: 'agrees', size: '', p};
  const behind = unit === '' ? '' : ` ${unit}`;
  if (value + half < -least) return {verdict: 'differs', size: `by ${numberText(-value)}${behind} the other way`, p};
  if (Math.abs(value) + half < least) return open(`both are equal within ${100 * EQUAL} %`, p);
  return open(least === 0 ? 'our interval includes 0' : `our interval includes differences below ${100 * EQUAL} %`, p);
}

/** Judges a difference that is practically 0 according to the paper, that is, below `least`. */
export function judgeEqual({value, half, n}: Measured, least: number, unit = ''): Judgement {
  if (value === null) return open(NO_RUN);
  if (half === null) return open(ONE_RUN_ONLY);
  const p = meanP(Math.max(0, Math.abs(value) - least), half, n);
  if (Math.abs(value) + half <= least) return {verdict: 'agrees', size: '', p};
  const behind = unit === '' ? '' : ` ${unit}`;
  if (Math.abs(value) - half > least)
    return {verdict: 'differs', size: `by ${numberText(Math.abs(value))}${behind}`, p};
  return open(`our interval includes differences above ${100 * EQUAL} %`, p);
}

/** Judges a single run of the paper by the shares of our runs that reach at least and at most its value. */
export function judgeOneRun(atLeast: Measured, atMost: Measured): Judgement {
  const [above, below] = [atLeast.value, atMost.value];
  if (above === null || below === null) return open(NO_RUN);
  const {n} = atLeast;
  if (n < 2) return open(ONE_RUN_ONLY);
  // If the paper is right, its run is one of the same kind and is counted with ours. A value that none of a few runs
  // reaches need not be rare.
  const [outer, inner] = [above, below].map(each => (each * n + 1) / (n + 1)) as [number, number];
  const p = Math.min(1, 2 * outer, 2 * inner);
  if (outer < OUTERMOST) return {verdict: 'differs', size: `${share(above)} of our runs reach at least this value`, p};
  if (inner < OUTERMOST) return {verdict: 'differs', size: `${share(below)} of our runs reach at most this value`, p};
  const inside = above + below - 1;
  if (inside >= 1 - 2 * OUTERMOST) return {verdict: 'agrees', size: '', p};
  return open(`${share(inside)} of our runs have the same value: a single run may be either`, p);
}

/** The verdict on a statement that was not compared or could not be decided. */
export function open(why: string, p: number | null = null): Judgement {
  return {verdict: 'open', size: why, p};
}

/**
 * Tests the rows of a claim together. The more rows there are, the more likely one of them differs by chance. A row
 * whose difference may be such a chance becomes open.
 */
export function judgeTogether<R extends Judgement>(rows: readonly R[]): readonly R[] {
  const corrected = holm(rows.map(({p}) => p));
  return rows.map((row, i) => {
    const p = corrected[i] ?? null;
    if (row.verdict !== 'differs' || p === null || p < LEVEL) return row;
    return {...row, ...open(`${row.size}; among ${rows.length} rows this may be chance`, row.p)};
  });
}

/** The verdict on a claim, given those on its rows. */
export function claimVerdict(rows: readonly {readonly verdict: Verdict}[]): Verdict {
  if (rows.some(({verdict}) => verdict === 'differs')) return 'differs';
  return rows.length > 0 && rows.every(({verdict}) => verdict === 'agrees') ? 'agrees' : 'open';
}

const NO_RUN = 'no run is complete';
const ONE_RUN_ONLY = 'a single run has no interval: more seeds can decide';

/** How far a value is from the nearer end of the paper's range. */
function distance(value: number, [low, high]: Range, unit: string): string {
  const nearest = value < low ? low : high;
  const behind = unit === '' ? '' : ` ${unit}`;
  const away = `${numberText(Math.abs(value - nearest))}${behind} ${value < nearest ? 'less' : 'more'}`;
  return value > 0 && nearest > 0 ? `${away} (× ${numberText(value / nearest)})` : away;
}

function share(value: number): string {
  return `${numberText(100 * value)} %`;
}
