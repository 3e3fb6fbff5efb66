import {normalTail} from '../../run/metrics/statistics.ts';

/** The result of a test of whether the differences of pairs tend to be above 0 or below 0. */
export interface SignedRankTest {
  /** Number of pairs that differ. Equal pairs carry no information and are left out (Wilcoxon 1945). */
  readonly n: number;
  /** Sum of the ranks of the differences above 0. */
  readonly w: number;
  /** Two-sided p-value; 1 if no pair differs, null if there was no test, for example because there are no pairs. */
  readonly p: number | null;
}

/**
 * Wilcoxon's signed-rank test. Differences of equal size share the mean of their ranks. With at most {@link MOST_EXACT}
 * pairs that differ, p is exact: all combinations of signs that the ranks could have are counted. For more pairs p is
 * the normal approximation with corrections for ties and continuity.
 */
export function signedRankTest(differences: readonly number[]): SignedRankTest {
  const differing = differences.filter(difference => difference !== 0);
  const n = differing.length;
  if (n === 0) return {n, w: 0, p: differences.length === 0 ? null : 1};
  const {ranks, tieTerm} = doubledRanks(differing);
  const doubledW = ranks.reduce((sum, rank, i) => sum + ((differing[i] ?? 0) > 0 ? rank : 0), 0);
  const p = n <= MOST_EXACT ? exactP(doubledW, ranks) : normalP(doubledW / 2, n, tieTerm);
  return {n, w: doubledW / 2, p};
}

/**
 * Returns twice the rank of each difference, which is always a whole number, and the tie term: the sum of t³ − t over
 * all groups of t differences of equal size.
 */
function doubledRanks(differences: readonly number[]): {ranks: readonly number[]; tieTerm: number} {
  const order = [...differences.entries()]
    .map(([i, difference]) => ({i, size: Math.abs(difference)}))
    .sort((a, b) => a.size - b.size);
  const ranks: number[] = Array.from(differences, () => 0);
  let tieTerm = 0;
  for (let start = 0; start < order.length; ) {
    let end = start;
    while (end < order.length && order[end]?.size === order[start]?.size) end++;
    for (const {i} of order.slice(start, end)) ranks[i] = start + 1 + end;
    tieTerm += (end - start) ** 3 - (end - start);
    start = end;
  }
  return {ranks, tieTerm};
}

/**
 * There are 2^n ways to give signs to the ranks. Returns the share of ways in which twice the sum of the positive ranks
 * is at least as extreme as `doubledW`.
 */
function exactP(doubledW: number, ranks: readonly number[]): number {
  const total = ranks.reduce((sum, rank) => sum + rank, 0);
  // the distribution is symmetric
  const w = Math.min(doubledW, total - doubledW);
  const ways = new Float64Array(w + 1);
  ways[0] = 1;
  for (const rank of ranks) {
    for (let sum = w; sum >= rank; sum--) ways[sum] = (ways[sum] ?? 0) + (ways[sum - rank] ?? 0);
  }
  const below = ways.reduce((sum, count) => sum + count, 0);
  return Math.min(1, (2 * below) / 2 ** ranks.length);
}

function normalP(w: number, n: number, tieTerm: number): number {
  const variance = (n * (n + 1) * (2 * n + 1)) / 24 - tieTerm / 48;
  const z = Math.max(0, Math.abs(w - (n * (n + 1)) / 4) - 0.5) / Math.sqrt(variance);
  return Math.min(1, 2 * normalTail(z));
}

/**
 * The largest number of pairs for which p is exact. They have 2^50 combinations of signs, and doubles can count exactly
 * up to 2^53.
 */
const MOST_EXACT = 50;

/**
 * Holm's correction (1979) of the p-values of one family, in their order. If every corrected p below α counts as
 * significant, the probability of any false alarm in the family is at most α. A null in `ps` means that there was no
 * test, and the result then also has a null in this place.
 */
export function holm(ps: readonly (number | null)[]): readonly (number | null)[] {
  const order = [...ps.entries()].flatMap(([i, p]) => (p === null ? [] : [{i, p}])).sort((a, b) => a.p - b.p);
  const corrected: (number | null)[] = ps.map(() => null);
  let most = 0;
  for (const [rank, {i, p}] of order.entries()) {
    most = Math.max(most, Math.min(1, p * (order.length - rank)));
    corrected[i] = most;
  }
  return corrected;
}
