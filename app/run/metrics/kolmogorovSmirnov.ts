/** Whether two samples are of one distribution. */
export interface DistributionTest {
  /** The largest distance between their two distribution functions, 0 to 1. */
  readonly d: number;
  /**
   * Of a distance as large by chance: the limit of large samples, with Stephens' correction for small ones (1970). Too
   * large where values are tied.
   */
  readonly p: number;
}

/** The test of Kolmogorov and Smirnov for two samples; null if one is empty. */
export function distributionTest(a: readonly number[], b: readonly number[]): DistributionTest | null {
  if (a.length === 0 || b.length === 0) return null;
  const d = Math.max(...[...a, ...b].map(value => Math.abs(shareUpTo(a, value) - shareUpTo(b, value))));
  const root = Math.sqrt((a.length * b.length) / (a.length + b.length));
  return {d, p: kolmogorovTail((root + 0.12 + 0.11 / root) * d)};
}

function shareUpTo(sample: readonly number[], value: number): number {
  return sample.filter(each => each <= value).length / sample.length;
}

/** Kolmogorov's distribution, beyond `distance`. */
function kolmogorovTail(distance: number): number {
  // the sum needs many terms there, and is 1 to more digits than anybody reads
  if (distance < 0.2) return 1;
  let sum = 0;
  for (let k = 1; k <= TERMS; k++) sum += (k % 2 === 1 ? 2 : -2) * Math.exp(-2 * (k * distance) ** 2);
  return Math.min(1, Math.max(0, sum));
}

/** At 0.2 the hundredth is below 1e-300. */
const TERMS = 100;
