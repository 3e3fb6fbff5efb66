import {estimate, meanHalfWidth} from '../../run/metrics/statistics.ts';

/** How a candidate (a way to load the page) compares with the best candidate. */
export interface Standing {
  readonly meanMs: number;
  readonly medianMs: number;
  /** Half-width of the mean's 95 % confidence interval; null for a single seed. */
  readonly ci95Ms: number | null;
  /** The mean difference, ms: this candidate's time minus the best candidate's time with the same seed. */
  readonly behindMs: number;
  /** Half-width of the interval of `behindMs` that decides `isLevel`, as {@link rank} says; null for a single seed. */
  readonly behindCi95Ms: number | null;
  /** Whether the candidate may be as good as the best: with these seeds it is not significantly later. */
  readonly isLevel: boolean;
}

export interface Ranking {
  /** The index of the candidate with the smallest mean. If several means are equal, it is the first of them. */
  readonly best: number;
  readonly standings: readonly Standing[];
  /** Whether some candidate's time varies from seed to seed. If false, chance has no part in the differences. */
  readonly isChance: boolean;
}

/**
 * Ranks k candidates by the mean of their times, ms. All have the same seeds in the same order.
 *
 * The candidate with the smallest mean is partly best by luck, so ordinary tests against it are not valid. Instead,
 * each of the k − 1 paired differences to the best has a confidence interval of level 1 − 0.05 / (k − 1) (Bonferroni),
 * and a candidate is behind only if its interval lies above 0. With a probability of at least 95 %, the truly best
 * candidate then has `isLevel`. Holm's correction is not used, because it would need a best candidate that is fixed
 * beforehand.
 */
export function rank(cells: readonly (readonly number[])[]): Ranking {
  const totals = cells.map(wholeNs);
  const best = totals.indexOf(Math.min(...totals));
  const rivals = Math.max(cells.length - 1, 1);
  const standings = cells.map(times => standingOf(times, cells[best] ?? [], rivals));
  return {best, standings, isChance: cells.some(times => times.some(ms => ms !== times[0]))};
}

function standingOf(times: readonly number[], best: readonly number[], rivals: number): Standing {
  const {mean, median, ci95} = estimate(times);
  const behind = pairDifferences(times, best);
  const behindMs = estimate(behind).mean ?? 0;
  const behindCi95Ms = meanHalfWidth(behind, 1 - 0.05 / (2 * rivals));
  const isBehind = behindCi95Ms !== null && behindMs - behindCi95Ms > 0;
  return {meanMs: mean ?? 0, medianMs: median ?? 0, ci95Ms: ci95, behindMs, behindCi95Ms, isLevel: !isBehind};
}

/** First minus second, rounded to whole ns, so that rounding errors do not make equal times differ. */
export function pairDifferences(first: readonly number[], second: readonly number[]): readonly number[] {
  return first.map((ms, i) => Math.round((ms - (second[i] ?? 0)) * 1e6) / 1e6);
}

function wholeNs(times: readonly number[]): number {
  return times.reduce((sum, ms) => sum + Math.round(ms * 1e6), 0);
}
