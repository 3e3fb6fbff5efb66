/**
 * The 95 % bootstrap interval of the median: from the 2.5 % to the 97.5 % quantile of the medians of all n^n samples
 * that can be drawn, with repetition, from the n values. The distribution of these medians is known in closed form
 * (Efron 1982, ch. 10), so no samples are drawn. The result is the limit for infinitely many random resamples. It is
 * null for fewer than 6 values: even the interval from the smallest to the largest value then covers the median with
 * a probability of less than 95 %.
 *
 * @param sorted the values in ascending order
 */
export function medianBootstrap(sorted: readonly number[]): readonly [from: number, to: number] | null {
  if (sorted.length < FEWEST_VALUES) return null;
  const resampled = resampledMedians(sorted.length);
  return [quantile(sorted, resampled, 0.025), quantile(sorted, resampled, 0.975)];
}

/**
 * The distribution of a resample's median. The median is the mean of two values of the sample, which are the same value
 * if n is odd. A place is an index, from 0, in the sorted sample.
 */
interface ResampledMedians {
  /** The smallest place that has a row. */
  readonly first: number;
  /**
   * A row for each place, from `first`. Its numbers are the probabilities that the lower of the two values is at this
   * place and the higher one is at most 0, 1, … places above it. Very unlikely places are left out.
   */
  readonly rows: readonly Float64Array[];
}

/**
 * The smallest double x for which at least this share of the resampled medians is at most x. It is found by bisection.
 */
function quantile(sorted: readonly number[], resampled: ResampledMedians, share: number): number {
  let [low, high] = [sorted[0] ?? 0, sorted.at(-1) ?? 0];
  if (shareUpTo(sorted, resampled, low) >= share) return low;
  for (;;) {
    const middle = low + (high - low) / 2;
    if (middle <= low || middle >= high) return high;
    if (shareUpTo(sorted, resampled, middle) >= share) high = middle;
    else low = middle;
  }
}

/** The share of the resamples whose median is at most `value`. */
function shareUpTo(sorted: readonly number[], {first, rows}: ResampledMedians, value: number): number {
  let share = 0;
  let higher = sorted.length - 1;
  for (let i = 0; i < rows.length; i++) {
    const lower = first + i;
    const own = sorted[lower] ?? 0;
    while (higher >= lower && (own + (sorted[higher] ?? 0)) / 2 > value) higher--;
    if (higher < lower) break;
    const row = rows[i] ?? NO_ROW;
    share += row[Math.min(higher - lower, row.length - 1)] ?? 0;
  }
  return share;
}

const known = new Map<number, ResampledMedians>();

function resampledMedians(n: number): ResampledMedians {
  const found = known.get(n) ?? computeMedians(n);
  known.set(n, found);
  return found;
}

function computeMedians(n: number): ResampledMedians {
  const k = Math.ceil(n / 2);
  const logWays = logChoose(n, k);
  const {first, weights} = placeWeights(n, k, logWays);
  const pairs = (own: number, i: number): readonly number[] => pairWeights(n, first + i, own, logWays);
  return {first, rows: weights.map((own, i) => summed(n % 2 === 1 ? [own] : pairs(own, i)))};
}

/**
 * For an even n, the probabilities that the lower middle value is at `lower` and the higher one 0, 1, … places above
 * it.
 */
function pairWeights(n: number, lower: number, own: number, logWays: number): readonly number[] {
  const middle = n / 2;
  // the probability that half of the resample is among the `below` lowest values, and half among the `above` highest
  const halves = (below: number, above: number): number => {
    return below === 0 || above === 0 ? 0 : Math.exp(logWays + middle * Math.log((below / n) * (above / n)));
  };
  const apart = (above: number): number => halves(lower + 1, above) - halves(lower, above);
  const weights = [own - apart(n - lower - 1)];
  for (let higher = lower + 1; higher < n; higher++) {
    const weight = apart(n - higher) - apart(n - higher - 1);
    weights.push(weight);
    if (weight < LEAST_WEIGHT) break;
  }
  return weights;
}

function summed(weights: readonly number[]): Float64Array {
  let sum = 0;
  return Float64Array.from(weights, weight => {
    sum += weight;
    return sum;
  });
}

/**
 * The probability, for each place, that the k-th smallest of n drawn values is the value at that place. Places that are
 * more than ten standard deviations from the middle are left out.
 */
function placeWeights(
  n: number,
  k: number,
  logWays: number,
): {readonly first: number; readonly weights: readonly number[]} {
  const far = 5 * Math.sqrt(n) + 1;
  const first = Math.max(0, Math.floor(n / 2 - far));
  const places = Math.min(n, Math.ceil(n / 2 + far)) - first;
  let before = atLeast(n, k, first / n, logWays);
  const weights = Array.from({length: places}, (_, i) => {
    const below = atLeast(n, k, (first + i + 1) / n, logWays);
    const weight = below - before;
    before = below;
    return weight;
  });
  return {first, weights};
}

/** P(Binomial(n, p) ≥ k); `logWays` is ln C(n, k). */
function atLeast(n: number, k: number, p: number, logWays: number): number {
  if (p <= 0 || p >= 1) return p <= 0 ? 0 : 1;
  let term = Math.exp(logWays + k * Math.log(p) + (n - k) * Math.log1p(-p));
  let sum = 0;
  for (let i = k; i <= n; i++) {
    sum += term;
    if (i > n * p && term < sum * 1e-18) break;
    term *= ((n - i) / (i + 1)) * (p / (1 - p));
  }
  return sum;
}

/** ln C(n, k). */
function logChoose(n: number, k: number): number {
  let log = 0;
  for (let i = 1; i <= k; i++) log += Math.log((n - k + i) / i);
  return log;
}

const NO_ROW = new Float64Array(0);
/** The smallest number of values for which there is an interval. */
export const FEWEST_VALUES = 6;
/** Smaller probabilities do not change any quantile. */
const LEAST_WEIGHT = 1e-15;
