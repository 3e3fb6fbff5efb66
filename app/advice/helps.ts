import {holm} from '../experiment/holm.ts';
import {signedRankTest} from '../experiment/signedRank.ts';
import type {SeedRow} from '../ipc/contract.ts';
import {estimate} from '../metrics/statistics.ts';
import type {Conversion} from '../page/conversion.ts';
import type {Pane} from '../pipelines/index.ts';
import type {Scenario} from '../scenario/scenario.ts';
import type {Advice} from './advice.ts';
import {type Aim, type AimName, aimTimes} from './aims.ts';
import {HELPS, type Help, type HelpName} from './helpList.ts';
import {pairDifferences} from './standing.ts';

/** What is to be loaded to see what helps: each side as it is, then with one thing changed. */
export interface HelpPlan {
  readonly sides: readonly Pane[];
  readonly changes: readonly HelpChange[];
  /** What there is no such change of, and why. */
  readonly absent: readonly {readonly side: number; readonly help: HelpName; readonly why: string}[];
}

export interface HelpChange {
  /** Of the scenario's panes, from 0. */
  readonly side: number;
  readonly help: HelpName;
  readonly label: string;
  /** The side with it. */
  readonly pane: Pane;
  /** For which it is measured: what is best to be set differs between them. */
  readonly aims: readonly AimName[];
}

/** What one change saves of one aim, over pairs of the same seed. */
export interface Helped extends Omit<HelpChange, 'aims'> {
  readonly aim: Aim;
  /** In the mean; below 0 it is later. */
  readonly savedMs: number;
  /** Half-width of its 95 % confidence interval; null of a single seed. */
  readonly ci95Ms: number | null;
  /** Of what the side takes as it is, in the mean. */
  readonly ofMs: number;
  /**
   * Of Wilcoxon's signed-rank test of the pairs, after Holm's correction over all changes for that aim; null if every
   * seed gives the same.
   */
  readonly pHolm: number | null;
}

/** Each side with each change that it can have, of a page that is there as these conversions make it. */
export function helpPlan(
  {panes: sides}: Pick<Scenario, 'panes'>,
  advice: Advice,
  conversions: readonly Conversion[] = [],
): HelpPlan {
  const each = sides.flatMap((pane, side) =>
    HELPS.map(help => changesOf({pane, side, help, conversions}, advice)),
  );
  return {
    sides,
    changes: each.flatMap(({changes}) => changes),
    absent: each.flatMap(({absent}) => absent),
  };
}

/** In the order in which their runs are wanted. */
export function panesOf({sides, changes}: HelpPlan): readonly Pane[] {
  return [...sides, ...changes.map(({pane}) => pane)];
}

/** One for all aims, or one for each best setting. */
function changesOf(
  {pane, side, help: {name: help, of}, conversions}: Wish,
  {aims, candidates}: Advice,
): Pick<HelpPlan, 'changes' | 'absent'> {
  const changes = new Map<string, HelpChange>();
  const reasons = new Set<string>();
  for (const {aim, best} of aims) {
    const advised = candidates[best];
    if (advised === undefined) continue;
    const made = of(pane, {advised, conversions});
    if ('why' in made) {
      reasons.add(made.why);
      continue;
    }
    const key = JSON.stringify(made.pane);
    const others = changes.get(key)?.aims ?? [];
    changes.set(key, {side, help, label: made.label, pane: made.pane, aims: [...others, aim.name]});
  }
  const absent = changes.size > 0 ? [] : [...reasons].map(why => ({side, help, why}));
  return {changes: [...changes.values()], absent};
}

interface Wish {
  readonly pane: Pane;
  readonly side: number;
  readonly help: Help;
  readonly conversions: readonly Conversion[];
}

/** What each change saves; `rows` has the runs of {@link panesOf}, all of the same seeds. */
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

/** Null where the seed changes nothing: that all runs agree is no evidence. */
function chanceOf(before: readonly number[], after: readonly number[]): number | null {
  const isSample = [before, after].some(times => times.some(ms => ms !== times[0]));
  return isSample ? signedRankTest(pairDifferences(before, after)).p : null;
}

/** Whether it is more than chance; where every seed gives the same there is none. */
export function isSure({savedMs, ci95Ms, pHolm}: Pick<Helped, 'savedMs' | 'ci95Ms' | 'pHolm'>): boolean {
  if (ci95Ms === null || savedMs === 0) return false;
  return pHolm === null || (pHolm < UNLIKELY && Math.abs(savedMs) > ci95Ms);
}

/** With how many seeds at least one of these changes, all of one aim, can be more than chance. */
export function leastSeeds(helped: readonly Pick<Helped, 'pHolm'>[]): number {
  const tests = helped.filter(({pHolm}) => pHolm !== null).length;
  // where all of n pairs tend to one side, p is 2 / 2^n, and Holm's first factor is the number of tests
  return tests === 0 ? 2 : Math.floor(1 + Math.log2(tests / UNLIKELY)) + 1;
}

/** What everybody takes. */
const UNLIKELY = 0.05;
