import {meanP} from '../../run/metrics/statistics.ts';
import {holm} from '../experiment/significance.ts';
import type {Verdict} from '../report/report.ts';
import type {Measured} from './measured.ts';
import {numberText} from './numberText.ts';

/** What a paper says, as far as it says it: both ends alike where it gives one number. */
export type Range = readonly [low: number, high: number];

export interface Judgement {
  readonly verdict: Verdict;
  /** By how much it differs, or why it cannot be told; empty where it agrees. */
  readonly size: string;
  /** How probable ours, or one further away, is if the paper is right (two-sided); null where nothing was tested. */
  readonly p: number | null;
}

/** How far a paper's numbers are taken to reach: they are read off, rounded, or said with "about", without intervals. */
export const ABOUT = 0.15;
/** Share of a time: times that lie closer together cannot be told apart in a figure. */
export const EQUAL = 0.01;
/** What is less than so much of a time is as good as equal. */
export function leastOf({value}: Measured): number {
  return EQUAL * (value ?? 0);
}

/** Of an order: a figure without loss shows none of so little; with it the interval alone tells. */
export function leastAt(loss: number, time: Measured): number {
  return loss === 0 ? leastOf(time) : 0;
}

/** Share of our runs outside of the central 95 %, on each side. */
const OUTERMOST = 0.025;
/** Level of all tests. */
const LEVEL = 0.05;

/** The rules, for whoever reads the verdicts. */
export const RULES: readonly string[] = [
  `A number agrees if our 95 % interval of the mean over seeds (Student’s t; of ratios by the delta method) lies inside the ` +
    `paper’s, widened by ${100 * ABOUT} % on each side: papers say "about", and give no intervals. It differs if the two ` +
    'do not meet, by what our mean is away from theirs. Otherwise it is open: more seeds can tell.',
  'An order agrees if our 95 % interval of the mean difference, seed by seed where both are of one cell, lies on the ' +
    'paper’s side of 0, differs if it lies on the other, and is open otherwise. Times without loss are in no order where ' +
    `the interval does not lie more than ${100 * EQUAL} % of the time away from 0: nobody could read that off a figure. What ` +
    'a paper prints within as little is equal, and ours agrees if its interval lies within as little, too.',
  'What a paper tells of one run agrees if 95 % of our runs show it, differs if fewer than ' +
    `${100 * OUTERMOST} %, the paper’s run among them, come to as much or fewer than that to as little, and is open ` +
    'otherwise: one run could be either.',
  'Rows of a claim are tested together: a row differs only if its p is below 0.05 after Holm’s correction among the rows of ' +
    'its claim, and is open otherwise. A claim differs if one of its rows does, agrees if all of them agree, and is open ' +
    'otherwise; how many rows agree stands beside each verdict. ' +
    'Nothing was tuned to agree. Reasons are runs of this very reproduction in which one thing differs.',
];

/** Of a mean, beside what a paper has for it. */
export function judgeMean(ours: Measured, theirs: Range, unit = ''): Judgement {
  const {value, half, n} = ours;
  if (value === null) return open('no run is complete');
  if (half === null) return open(ONE_RUN_ONLY);
  const [low, high] = [theirs[0] - ABOUT * Math.abs(theirs[0]), theirs[1] + ABOUT * Math.abs(theirs[1])];
  const p = meanP(Math.max(0, low - value, value - high), half, n);
  if (low <= value - half && value + half <= high) return {verdict: 'agrees', size: '', p};
  if (value + half < low || value - half > high) return {verdict: 'differs', size: distance(value, theirs, unit), p};
  return open(`our interval is ± ${numberText(half)}: more seeds can tell`, p);
}

/** Of what a paper has above 0, such as how much sooner one is than another; less than `least` is no order. */
export function judgeOrder({value, half, n}: Measured, unit = '', least = 0): Judgement {
  if (value === null) return open('no run is complete');
  if (half === null) return open(ONE_RUN_ONLY);
  // what is shown as 0 is none
  if ([value, half].every(each => numberText(each) === '0')) return open('they are equal');
  const p = meanP(Math.max(0, -least - value), half, n);
  if (value - half > least) return {verdict: 'agrees', size: '', p};
  const behind = unit === '' ? '' : ` ${unit}`;
  if (value + half < -least) return {verdict: 'differs', size: `by ${numberText(-value)}${behind} the other way`, p};
  if (Math.abs(value) + half < least) return open(`they are equal within ${100 * EQUAL} %`, p);
  return open(least === 0 ? 'the interval holds 0' : `the interval holds less than ${100 * EQUAL} %`, p);
}

/** Of a difference that the paper has as good as 0: less than `least`. */
export function judgeEqual({value, half, n}: Measured, least: number, unit = ''): Judgement {
  if (value === null) return open('no run is complete');
  if (half === null) return open(ONE_RUN_ONLY);
  const p = meanP(Math.max(0, Math.abs(value) - least), half, n);
  if (Math.abs(value) + half <= least) return {verdict: 'agrees', size: '', p};
  const behind = unit === '' ? '' : ` ${unit}`;
  if (Math.abs(value) - half > least)
    return {verdict: 'differs', size: `by ${numberText(Math.abs(value))}${behind}`, p};
  return open(`the interval holds more than ${100 * EQUAL} %`, p);
}

/** Of one run, by the shares of ours that come to at least and to at most as much. */
export function judgeOneRun(atLeast: Measured, atMost: Measured): Judgement {
  const [above, below] = [atLeast.value, atMost.value];
  if (above === null || below === null) return open('no run is complete');
  const {n} = atLeast;
  if (n < 2) return open(ONE_RUN_ONLY);
  // theirs is one of them if the paper is right: none of a few of ours is not yet seldom
  const [outer, inner] = [above, below].map(each => (each * n + 1) / (n + 1)) as [number, number];
  const p = Math.min(1, 2 * outer, 2 * inner);
  if (outer < OUTERMOST) return {verdict: 'differs', size: `${share(above)} of our runs have as much`, p};
  if (inner < OUTERMOST) return {verdict: 'differs', size: `${share(below)} of our runs have as little`, p};
  const inside = above + below - 1;
  if (inside >= 1 - 2 * OUTERMOST) return {verdict: 'agrees', size: '', p};
  return open(`${share(inside)} of our runs have as much: one run could be either`, p);
}

/** Of what was not compared, or could not be told. */
export function open(why: string, p: number | null = null): Judgement {
  return {verdict: 'open', size: why, p};
}

/** Of a claim, its rows tested together: what may be chance among so many is open. */
export function judgeTogether<R extends Judgement>(rows: readonly R[]): readonly R[] {
  const corrected = holm(rows.map(({p}) => p));
  return rows.map((row, i) => {
    const p = corrected[i] ?? null;
    if (row.verdict !== 'differs' || p === null || p < LEVEL) return row;
    return {...row, ...open(`${row.size}; among ${rows.length} rows that may be chance`, row.p)};
  });
}

/** Of a claim, by its rows. */
export function claimVerdict(rows: readonly {readonly verdict: Verdict}[]): Verdict {
  if (rows.some(({verdict}) => verdict === 'differs')) return 'differs';
  return rows.length > 0 && rows.every(({verdict}) => verdict === 'agrees') ? 'agrees' : 'open';
}

const ONE_RUN_ONLY = 'one run has no interval: more seeds can tell';

/** From the nearer end of theirs. */
function distance(value: number, [low, high]: Range, unit: string): string {
  const nearest = value < low ? low : high;
  const behind = unit === '' ? '' : ` ${unit}`;
  const away = `${numberText(Math.abs(value - nearest))}${behind} ${value < nearest ? 'less' : 'more'}`;
  return value > 0 && nearest > 0 ? `${away} (× ${numberText(value / nearest)})` : away;
}

function share(value: number): string {
  return `${numberText(100 * value)} %`;
}
