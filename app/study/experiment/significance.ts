import {normalTail} from '../../run/metrics/statistics.ts';

/** Whether differences of pairs tend to one side. */
export interface SignedRankTest {
  /** Pairs that differ: those that do not say nothing, and are left out (Wilcoxon 1945). */
  readonly n: number;
  /** Sum of the ranks of those above 0. */
  readonly w: number;
  /** Two-sided; 1 if no pair differs, null if there is none. */
  readonly p: number | null;
}

/**
 * Wilcoxon's signed-rank test, equal sizes sharing the mean of their ranks. Up to {@link MOST_EXACT} pairs p is exact,
 * over all signs that the ranks could have; beyond, the normal approximation with the corrections for ties and
 * continuity.
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

/** Twice the rank of each size, whole where a rank is a half; and Σ (t³ − t) over groups of t equal ones. */
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

/** Of the 2^n ways to give the ranks their signs, the share whose sum is as far out, on either side. */
function exactP(doubledW: number, ranks: readonly number[]): number {
  const total = ranks.reduce((sum, rank) => sum + rank, 0);
  // by symmetry
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

/** Counts of ways stay whole numbers up to 2^53. */
const MOST_EXACT = 50;

/**
 * Holm's correction (1979) of p-values of one family, in their order: with each below α, the chance of even one false
 * alarm in the whole family is at most α. A null is no test and stays.
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
