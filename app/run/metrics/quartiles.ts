/** The quartiles of a sample. */
export interface Quartiles {
  readonly q1: number;
  readonly median: number;
  readonly q3: number;
}

/**
 * Computes the quartiles by linear interpolation between order statistics (Hyndman & Fan 1996, type 7, as in R and
 * NumPy). Null for an empty sample.
 */
export function quartiles(values: readonly number[]): Quartiles | null {
  if (values.length === 0) return null;
  const sorted = [...values].sort((a, b) => a - b);
  return {q1: quantile(sorted, 0.25), median: quantile(sorted, 0.5), q3: quantile(sorted, 0.75)};
}

/** Computes a quantile of a sorted sample by linear interpolation (type 7). The sample must not be empty. */
export function quantile(sorted: readonly number[], share: number): number {
  const place = (sorted.length - 1) * share;
  const [low, high] = [sorted[Math.floor(place)] ?? 0, sorted[Math.ceil(place)] ?? 0];
  return low + (high - low) * (place - Math.floor(place));
}

/**
 * Computes the 95 % confidence interval of the median, for any distribution. The interval reaches from the k-th
 * smallest to the k-th largest value. k is the largest number with P(X < k) ≤ 2.5 %, where X is the number of values
 * below the median (binomial, n values, p = ½). Null for fewer than 6 values, for which k is 0.
 */
export function medianInterval(values: readonly number[]): readonly [from: number, to: number] | null {
  const sorted = [...values].sort((a, b) => a - b);
  const n = sorted.length;
  let k = 0;
  for (let below = 0; k < n; k++) {
    below += Math.exp(logHalfBinomial(n, k));
    if (below > 0.025) break;
  }
  const [from, to] = [sorted[k - 1], sorted[n - k]];
  return k === 0 || from === undefined || to === undefined ? null : [from, to];
}

/**
 * Returns the two-sided p-value of the sign test: the probability of a result at least as unequal as this if both sides
 * are equally likely to win.
 */
export function signTestP(wins: number, losses: number): number {
  const n = wins + losses;
  let tail = 0;
  for (let k = 0; k <= Math.min(wins, losses); k++) tail += Math.exp(logHalfBinomial(n, k));
  return Math.min(1, 2 * tail);
}

/**
 * Returns ln P(X = k), where X is the number of successes in n trials, each with probability ½. The logarithm is used
 * because 2^n can exceed the range of a number.
 */
function logHalfBinomial(n: number, k: number): number {
  let log = -n * Math.LN2;
  for (let i = 1; i <= k; i++) log += Math.log((n - k + i) / i);
  return log;
}
