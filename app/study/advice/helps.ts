import type {SeedRow} from '../../host/contract.ts';
import type {Conversion} from '../../page/conversion.ts';
import type {Pane} from '../../pipelines/index.ts';
import {estimate} from '../../run/metrics/statistics.ts';
import type {Scenario} from '../../run/scenario/scenario.ts';
import {holm, signedRankTest} from '../experiment/significance.ts';
import type {Answers} from './advice.ts';
import {type Aim, type AimName, aimTimes} from './aims.ts';
import type {Candidate} from './candidates.ts';
import {HELPS, type Help, type HelpName, hasBrowser, type Means} from './helpList.ts';
import {pairDifferences} from './standing.ts';

/** The loads that show which changes help: each pane without a change, and with one change at a time. */
export interface HelpPlan {
  readonly sides: readonly Pane[];
  readonly changes: readonly HelpChange[];
  /** For each aim (a time that should be short), two ways to load the page, which are compared with each other. */
  readonly rivals: readonly Rivals[];
  /** The changes that do not apply to a pane, with the reason. */
  readonly absent: readonly {readonly side: number; readonly help: HelpName; readonly why: string}[];
}

export interface HelpChange {
  /** The index of the scenario's pane. */
  readonly side: number;
  readonly help: HelpName;
  readonly label: string;
  /** The pane with the change. */
  readonly pane: Pane;
  /** Whether a site's operator could choose the change and its visitors' browsers support it. */
  readonly isOption: boolean;
  /** The aims for which the change is measured. The best setting can differ between aims. */
  readonly aims: readonly AimName[];
}

/**
 * Two ways to load the page for one aim: over the best of the protocols that browsers support, and over SCTP with the
 * best number of streams and the best scheduler. No browser supports SCTP.
 */
interface Rivals {
  readonly aim: AimName;
  readonly browser: Candidate;
  readonly streams: Candidate;
}

/** How much later the aim's event happens with the best streams than with the best protocol of browsers. */
export interface RivalResult extends Omit<Rivals, 'aim'> {
  readonly aim: Aim;
  /** The mean difference, paired by seed, ms. Below 0 if the event happens sooner with the streams. */
  readonly behindMs: number;
  /** Half-width of the difference's 95 % confidence interval; null for a single seed. */
  readonly ci95Ms: number | null;
  /** p of Wilcoxon's signed-rank test of the pairs; null if every seed gives the same times. */
  readonly p: number | null;
}

/** The time that one change saves for one aim, paired by seed. */
export interface Helped extends Omit<HelpChange, 'aims'> {
  readonly aim: Aim;
  /** The mean saving, ms. It is below 0 if the change makes the event later. */
  readonly savedMs: number;
  /** Half-width of the saving's 95 % confidence interval; null for a single seed. */
  readonly ci95Ms: number | null;
  /** The mean time of the pane without the change, ms. */
  readonly ofMs: number;
  /**
   * p of Wilcoxon's signed-rank test of the pairs, after Holm's correction over all changes for this aim; null if every
   * seed gives the same times.
   */
  readonly pHolm: number | null;
}

/**
 * Plans the loads of each pane with each change that applies to it. `conversions` are those in which the page's
 * pictures are available.
 */
export function helpPlan(
  {panes: sides, path}: Pick<Scenario, 'panes' | 'path'>,
  answers: Answers,
  conversions: readonly Conversion[] = [],
): HelpPlan {
  const each = sides.flatMap((pane, side) =>
    HELPS.map(help => changesOf({pane, side, help, conversions, path}, answers)),
  );
  return {
    sides,
    rivals: bestOf(answers).map(({aim, browser, advised}) => ({aim: aim.name, browser, streams: advised})),
    changes: each.flatMap(({changes}) => changes),
    absent: each.flatMap(({absent}) => absent),
  };
}

/** The panes that must be run, in the order of the rows that {@link helpedBy} expects. */
export function panesOf({sides, changes, rivals}: HelpPlan): readonly Pane[] {
  const pairs = rivals.flatMap(({browser, streams}) => [browser.pane, streams.pane]);
  return [...sides, ...changes.map(({pane}) => pane), ...pairs];
}

/**
 * For each aim, the best setting of streams and the best protocol of browsers. An aim is left out if the candidates of
 * one of these two kinds could not be ranked for it.
 */
function bestOf({streams, browsers}: Answers) {
  return streams.aims.flatMap(({aim, best}) => {
    const other = browsers.aims.find(each => each.aim === aim);
    const [advised, browser] = [streams.candidates[best], browsers.candidates[other?.best ?? -1]];
    return advised === undefined || browser === undefined ? [] : [{aim, advised, browser}];
  });
}

/** The changes of one kind for a pane. There can be several, because the best setting can differ between aims. */
function changesOf(
  {pane, side, help: {name: help, of}, ...means}: ChangeRequest,
  answers: Answers,
): Pick<HelpPlan, 'changes' | 'absent'> {
  const changes = new Map<string, HelpChange>();
  const reasons = new Set<string>();
  for (const {aim, ...best} of bestOf(answers)) {
    const made = of(pane, {...best, ...means});
    if ('why' in made) {
      reasons.add(made.why);
      continue;
    }
    const key = JSON.stringify(made.pane);
    const others = changes.get(key)?.aims ?? [];
    const {label, isNoOption} = made;
    const isOption = isNoOption !== true && hasBrowser(made);
    changes.set(key, {side, help, label, pane: made.pane, isOption, aims: [...others, aim.name]});
  }
  const absent = changes.size > 0 ? [] : [...reasons].map(why => ({side, help, why}));
  return {changes: [...changes.values()], absent};
}

/** A pane, and the kind of change to try on it. */
interface ChangeRequest extends Pick<Means, 'conversions' | 'path'> {
  readonly pane: Pane;
  readonly side: number;
  readonly help: Help;
}

/** Computes the savings of each change. `rows` has the runs of {@link panesOf}, all with the same seeds. */
export function helpedBy(
  {sides, changes}: HelpPlan,
  rows: readonly (readonly SeedRow[])[],
  aims: readonly Aim[],
  timeLimitMs: number,
): readonly Helped[] {
  return aims.flatMap(aim => {
    const times = rows.map(runs => aimTimes(aim, runs, timeLimitMs)?.timesMs);
    const pairs = changes.flatMap((change, i) => {
      const [before, after] = [times[change.side], times[sides.length + i]];
      const isWanted = change.aims.includes(aim.name) && before !== undefined && after !== undefined;
      return isWanted ? [{change, before, after}] : [];
    });
    const ps = holm(pairs.map(({before, after}) => chanceOf(before, after)));
    return pairs.map(({change: {aims: _, ...change}, before, after}, i) => {
      const {mean, ci95} = estimate(pairDifferences(before, after));
      const saved = {savedMs: mean ?? 0, ci95Ms: ci95, ofMs: estimate(before).mean ?? 0};
      return {...change, aim, ...saved, pHolm: ps[i] ?? null};
    });
  });
}

/** Compares the best streams with the best protocol of browsers. `rows` is the same as for {@link helpedBy}. */
export function rivalResults(
  {sides, changes, rivals}: HelpPlan,
  rows: readonly (readonly SeedRow[])[],
  aims: readonly Aim[],
  timeLimitMs: number,
): readonly RivalResult[] {
  const first = sides.length + changes.length;
  return rivals.flatMap(({aim: name, ...pair}, i) => {
    const aim = aims.find(each => each.name === name);
    if (aim === undefined) return [];
    const [browser, streams] = [first + 2 * i, first + 2 * i + 1].map(
      place => aimTimes(aim, rows[place] ?? [], timeLimitMs)?.timesMs,
    );
    if (browser === undefined || streams === undefined) return [];
    const {mean, ci95} = estimate(pairDifferences(streams, browser));
    return [{...pair, aim, behindMs: mean ?? 0, ci95Ms: ci95, p: chanceOf(browser, streams)}];
  });
}

/**
 * p of Wilcoxon's signed-rank test of the pairs of times; null if all seeds give the same times, because equal runs are
 * no independent evidence.
 */
function chanceOf(before: readonly number[], after: readonly number[]): number | null {
  const isSample = [before, after].some(times => times.some(ms => ms !== times[0]));
  return isSample ? signedRankTest(pairDifferences(before, after)).p : null;
}

/** Whether a saving is significant. */
export function isSignificant({savedMs, ci95Ms, pHolm}: Pick<Helped, 'savedMs' | 'ci95Ms' | 'pHolm'>): boolean {
  return isSignificantDifference(savedMs, ci95Ms, pHolm);
}

/**
 * Whether a mean difference is significant. With a single seed there is no interval, and the difference is never
 * significant. If p is null, every seed gives the same times, and any difference is significant.
 */
export function isSignificantDifference(ms: number, ci95Ms: number | null, p: number | null): boolean {
  if (ci95Ms === null || ms === 0) return false;
  return p === null || (p < UNLIKELY && Math.abs(ms) > ci95Ms);
}

/** The smallest number of seeds with which one of these changes can be significant. All changes are for one aim. */
export function leastSeeds(helped: readonly Pick<Helped, 'pHolm'>[]): number {
  const tests = helped.filter(({pHolm}) => pHolm !== null).length;
  // if all n pairs differ in the same direction, p is 2 / 2^n; Holm's first factor is the number of tests
  return tests === 0 ? 2 : Math.floor(1 + Math.log2(tests / UNLIKELY)) + 1;
}

/** The usual significance level. */
const UNLIKELY = 0.05;
