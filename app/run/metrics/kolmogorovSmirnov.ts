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
  // Below 0.2 the sum would need many terms, and it is 1 to more digits than anybody reads.
  if (distance < 0.2) return 1;
  let sum = 0;
  for (let k = 1; k <= TERMS; k++) sum += (k % 2 === 1 ? 2 : -2) * Math.exp(-2 * (k * distance) ** 2);
  return Math.min(1, Math.max(0, sum));
}

/** At 0.2 the hundredth term is below 1e-300. */
const TERMS = 100;
