/** Estimates from a sample. */
export interface Estimate {
  /** Number of values that are not null. */
  readonly n: number;
  readonly mean: number | null;
  readonly median: number | null;
  /** Half-width of the 95 % confidence interval of the mean (Student's t). Null for fewer than 2 values. */
  readonly ci95: number | null;
}

/**
 * Computes mean, median and confidence interval. A null stands for a run that never reached the state, or whose value
 * is unknown. Nulls are left out, and `n` does not count them.
 */
export function estimate(values: readonly (number | null)[]): Estimate {
  const sorted = values.filter(value => value !== null).sort((a, b) => a - b);
  const n = sorted.length;
  if (n === 0) return {n, mean: null, median: null, ci95: null};
  const mean = sorted.reduce((sum, value) => sum + value, 0) / n;
  const median = ((sorted[(n - 1) >> 1] ?? 0) + (sorted[n >> 1] ?? 0)) / 2;
  if (n < 2) return {n, mean, median, ci95: null};
  return {n, mean, median, ci95: halfWidth(sorted, mean, 0.975)};
}

/**
 * Computes the half-width of a confidence interval of the mean (Student's t). Null for fewer than 2 values. `p` is the
 * quantile at the upper end of the interval, such as 0.975 for 95 %.
 */
export function meanHalfWidth(values: readonly number[], p: number): number | null {
  if (values.length < 2) return null;
  return halfWidth(values, values.reduce((sum, value) => sum + value, 0) / values.length, p);
}

function halfWidth(values: readonly number[], mean: number, p: number): number {
  const n = values.length;
  const variance = values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / (n - 1);
  return studentQuantile(p, n - 1) * Math.sqrt(variance / n);
}

/**
 * Computes the two-sided p-value of a mean of `n` values that differs from the hypothesis by `distance`, which is at
 * least 0. `ci95` is the half-width of the mean's 95 % interval (Student's t).
 */
export function meanP(distance: number, ci95: number, n: number): number {
  if (distance === 0) return 1;
  if (ci95 === 0) return 0;
  const t = (distance / ci95) * studentQuantile(0.975, n - 1);
  return 2 * (1 - studentBelow(t, n - 1));
}

/** A test of whether one sample tends to be larger than another. */
export interface RankTest {
  /** Number of pairs (a, b) with a > b. Ties count half. */
  readonly u: number;
  /** Two-sided p-value: normal approximation with corrections for ties and continuity. Null if a sample is empty. */
  readonly p: number | null;
}

/** The rank test of Mann and Whitney (1947). @throws RangeError for NaN, which has no rank */
export function rankTest(a: readonly number[], b: readonly number[]): RankTest {
  if ([...a, ...b].some(Number.isNaN)) throw new RangeError('invalid value: NaN (it has no rank)');
  const ranked = [...a.map(value => ({value, isA: true})), ...b.map(value => ({value, isA: false}))];
  ranked.sort((x, y) => x.value - y.value);
  let [rankSum, tieTerm] = [0, 0];
  for (let start = 0; start < ranked.length; ) {
    let end = start;
    while (end < ranked.length && ranked[end]?.value === ranked[start]?.value) end += 1;
    const ties = end - start;
    rankSum += ((start + 1 + end) / 2) * ranked.slice(start, end).filter(entry => entry.isA).length;
    tieTerm += ties ** 3 - ties;
    start = end;
  }
  const u = rankSum - (a.length * (a.length + 1)) / 2;
  return {u, p: rankTestP(u, a.length, b.length, tieTerm)};
}

function rankTestP(u: number, n: number, m: number, tieTerm: number): number | null {
  if (n === 0 || m === 0) return null;
  const total = n + m;
  const variance = ((n * m) / 12) * (total + 1 - tieTerm / (total * Math.max(1, total - 1)));
  if (variance <= 0) return 1;
  const z = Math.max(0, Math.abs(u - (n * m) / 2) - 0.5) / Math.sqrt(variance);
  return Math.min(1, 2 * normalTail(z));
}

/** P(Z > z) of the standard normal distribution, z ≥ 0: Abramowitz & Stegun 26.2.17, error below 7.5·10⁻⁸. */
export function normalTail(z: number): number {
  const t = 1 / (1 + 0.2316419 * z);
  const series = t * (0.31938153 + t * (-0.356563782 + t * (1.781477937 + t * (-1.821255978 + t * 1.330274429))));
  return (series * Math.exp((-z * z) / 2)) / Math.sqrt(2 * Math.PI);
}

/** The t with P(T ≤ t) = p, for p > 0.5 and p < 1, found by bisection. */
function studentQuantile(p: number, degrees: number): number {
  let [low, high] = [0, 1000];
  // With 1 degree of freedom, t is larger than 1000 from p = 0.9997 on.
  while (studentBelow(high, degrees) < p) high *= 2;
  for (let i = 0; i < 60; i++) {
    const middle = (low + high) / 2;
    if (studentBelow(middle, degrees) < p) low = middle;
    else high = middle;
  }
  return (low + high) / 2;
}

/** P(T ≤ t), t ≥ 0, by the finite sums of Abramowitz & Stegun 26.7.3 and 26.7.4. */
function studentBelow(t: number, degrees: number): number {
  const angle = Math.atan(t / Math.sqrt(degrees));
  const [sine, cosine] = [Math.sin(angle), Math.cos(angle)];
  const isOdd = degrees % 2 === 1;
  let term = isOdd ? cosine : 1;
  let sum = degrees === 1 ? 0 : term;
  for (let k = isOdd ? 3 : 2; k <= degrees - 2; k += 2) {
    term *= (cosine * cosine * (k - 1)) / k;
    sum += term;
  }
  const within = isOdd ? (2 / Math.PI) * (angle + sine * sum) : sine * sum;
  return (1 + within) / 2;
}

/** A test of whether two samples have the same distribution. */
export interface DistributionTest {
  /** The largest distance between the two distribution functions, 0 to 1. */
  readonly d: number;
  /**
   * Probability of a distance at least as large by chance: the limit for large samples, with Stephens' correction for
   * small ones (1970). It is too large if values are tied.
   */
  readonly p: number;
}

/** The two-sample test of Kolmogorov and Smirnov. Null if a sample is empty. */
export function distributionTest(a: readonly number[], b: readonly number[]): DistributionTest | null {
  if (a.length === 0 || b.length === 0) return null;
  const d = Math.max(...[...a, ...b].map(value => Math.abs(shareUpTo(a, value) - shareUpTo(b, value))));
  const root = Math.sqrt((a.length * b.length) / (a.length + b.length));
  return {d, p: kolmogorovTail((root + 0.12 + 0.11 / root) * d)};
}

function shareUpTo(sample: readonly number[], value: number): number {
  return sample.filter(each => each <= value).length / sample.length;
}

/** The probability that Kolmogorov's statistic exceeds `distance`. */
function kolmogorovTail(distance: number): number {
  // For distances below 0.2 the sum would need many terms. The result is 1 with an error below 1e-10.
  if (distance < 0.2) return 1;
  let sum = 0;
  for (let k = 1; k <= TERMS; k++) sum += (k % 2 === 1 ? 2 : -2) * Math.exp(-2 * (k * distance) ** 2);
  return Math.min(1, Math.max(0, sum));
}

/** The number of terms that are summed. At a distance of 0.2, the hundredth term is below 1e-300. */
const TERMS = 100;
