import {estimate, meanHalfWidth} from '../../run/metrics/statistics.ts';

/** How one candidate does beside the best. */
export interface Standing {
  readonly meanMs: number;
  readonly medianMs: number;
  /** Half-width of the mean's 95 % confidence interval; null of a single seed. */
  readonly ci95Ms: number | null;
  /** Later than the best, in the mean over the same seeds. */
  readonly behindMs: number;
  /** Half-width of an interval of that which holds for all candidates at once with 95 %; null of a single seed. */
  readonly behindCi95Ms: number | null;
  /** It may be as good as the best: these seeds do not tell them apart. */
  readonly isLevel: boolean;
}

export interface Ranking {
  /** The least mean; of equal ones the first. */
  readonly best: number;
  readonly standings: readonly Standing[];
  /** False where every seed gives the same: differences are exact then, and no sample. */
  readonly isChance: boolean;
}

/**
 * Ranks candidates by the mean of their times, ms, of the same seeds in the same order.
 *
 * The best is the best of these very seeds, by luck too, so that no test against it alone is honest. Here the one that
 * is truly best is among those that are level, with 95 %, whichever is ahead by luck: each of the k − 1 differences of
 * pairs has an interval of confidence 1 − 0.05 / (k − 1) (Bonferroni), and only one that lies above 0 puts a candidate
 * behind. Holm's steps would need a rival that is fixed beforehand.
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
  const isAhead = behindCi95Ms !== null && behindMs - behindCi95Ms > 0;
  return {meanMs: mean ?? 0, medianMs: median ?? 0, ci95Ms: ci95, behindMs, behindCi95Ms, isLevel: !isAhead};
}

/** First minus second, in whole ns, as all times of a run are: sums of doubles would tell equal ones apart. */
export function pairDifferences(first: readonly number[], second: readonly number[]): readonly number[] {
  return first.map((ms, i) => Math.round((ms - (second[i] ?? 0)) * 1e6) / 1e6);
}

function wholeNs(times: readonly number[]): number {
  return times.reduce((sum, ms) => sum + Math.round(ms * 1e6), 0);
}
