import type {Verdict} from '../report/report.ts';
import type {Measured} from './measured.ts';
import {numberText} from './words.ts';

/** What a paper says, as far as it says it: both ends alike where it gives one number. */
export type Range = readonly [low: number, high: number];

export interface Judgement {
  readonly verdict: Verdict;
  /** By how much it differs, or why it cannot be told; empty where it agrees. */
  readonly size: string;
}

/** How far a paper's numbers are taken to reach: they are read off, rounded, or said with "about", without intervals. */
export const ABOUT = 0.15;
/** Of a paper's number: an interval of ours whose half is wider tells nothing by containing it. */
const TOO_WIDE = 0.25;
/** Of a time without loss: what lies closer together nobody reads off a figure. */
export const EQUAL = 0.01;
/** Of our runs, on each side: a single run of a paper's that lies further out is none of ours. */
const OUTERMOST = 0.025;

/** The rules, for whoever reads the verdicts. */
export const RULES: readonly string[] = [
  `A number agrees if the paper's, widened by ${100 * ABOUT} % on each side (papers say "about", and give no intervals), ` +
    'meets our 95 % interval of the mean over seeds (Student’s t; of ratios by the delta method). Else it differs, by what ' +
    `our mean is away from theirs. Where it meets an interval whose half is more than ${100 * TOO_WIDE} % of theirs, it is ` +
    'open: more seeds can tell.',
  'An order agrees if the 95 % interval of the mean difference, seed by seed where both are of one cell, lies on the ' +
    'paper’s side of 0, differs if it lies on the other, and is open if it holds 0; so it is, of files without loss, where ' +
    `the two lie within ${100 * EQUAL} % of each other.`,
  `What a paper tells of one run agrees unless fewer than ${100 * OUTERMOST} % of our runs come to as much, or fewer than ` +
    'that to as little.',
  'A claim differs if one of its rows does, and agrees if none does and most of them agree; else it is open, as where what ' +
    'it is about is not built. ' +
    'Nothing was tuned to agree. Reasons are runs of this very reproduction in which one thing differs.',
];

/** Of a mean, beside what a paper has for it. */
export function judgeMean(ours: Measured, theirs: Range, unit = ''): Judgement {
  const {value, half} = ours;
  if (value === null) return open('no run is complete');
  if (half === null) return open(ONE_RUN_ONLY);
  const [low, high] = [theirs[0] - ABOUT * Math.abs(theirs[0]), theirs[1] + ABOUT * Math.abs(theirs[1])];
  if (value + half < low || value - half > high)
    return {verdict: 'differs', size: distance(value, theirs, unit)};
  const size = Math.max(...theirs.map(Math.abs));
  if (half > TOO_WIDE * size) return open(`our interval is ± ${numberText(half)}: more seeds can tell`);
  return AGREES;
}

/** Of what a paper has above 0, such as how much sooner one is than another; less than `least` is no order. */
export function judgeOrder({value, half}: Measured, unit = '', least = 0): Judgement {
  if (value === null) return open('no run is complete');
  if (half === null) return open(ONE_RUN_ONLY);
  // what is shown as 0 is none
  if ([value, half].every(each => numberText(each) === '0')) return open('they are equal');
  if (Math.abs(value) < least) return open(`they are equal within ${100 * EQUAL} %`);
  if (value - half > 0) return AGREES;
  const behind = unit === '' ? '' : ` ${unit}`;
  if (value + half < 0) return {verdict: 'differs', size: `by ${numberText(-value)}${behind} the other way`};
  return open('the interval holds 0');
}

/** Of one run, by the shares of ours that come to at least and to at most as much. */
export function judgeOneRun(atLeast: Measured, atMost: Measured): Judgement {
  const [above, below] = [atLeast.value, atMost.value];
  if (above === null || below === null) return open('no run is complete');
  if (atLeast.n < 2) return open(ONE_RUN_ONLY);
  if (above < OUTERMOST) return {verdict: 'differs', size: `${share(above)} of our runs have as much`};
  if (below < OUTERMOST) return {verdict: 'differs', size: `${share(below)} of our runs have as little`};
  return AGREES;
}

/** Of what cannot be compared yet. */
export function open(why: string): Judgement {
  return {verdict: 'open', size: why};
}

/** Of a claim, by its rows. */
export function claimVerdict(rows: readonly {readonly verdict: Verdict}[]): Verdict {
  if (rows.some(({verdict}) => verdict === 'differs')) return 'differs';
  return 2 * rows.filter(({verdict}) => verdict === 'agrees').length > rows.length ? 'agrees' : 'open';
}

const AGREES: Judgement = {verdict: 'agrees', size: ''};
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
