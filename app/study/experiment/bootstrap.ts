/**
 * The 95 % bootstrap interval of the median, from the 2.5 % to the 97.5 % quantile of the medians of all n^n samples
 * that can be drawn, with repetition, from the n values. Their distribution is known in closed form (Efron 1982, ch.
 * 10), so nothing is drawn: this is what random resamples come to in the end. Null for fewer than 6 values, which no
 * interval within their range covers with 95 %.
 *
 * @param sorted in ascending order
 */
export function medianBootstrap(sorted: readonly number[]): readonly [from: number, to: number] | null {
  if (sorted.length < FEWEST) return null;
  const resampled = resampledMedians(sorted.length);
  return [quantile(sorted, resampled, 0.025), quantile(sorted, resampled, 0.975)];
}

/** Which two order statistics, from 0, the median of a resample is the mean of, and how likely. */
interface ResampledMedians {
  /** The least place of the lower of the two. */
  readonly first: number;
  /** One for each place of the lower: how likely the higher is at most 0, 1, … places above it. */
  readonly rows: readonly Float64Array[];
}

/** The least median that at least that share of the resamples do not exceed: a double, found between all doubles. */
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

/** Of the resamples, those whose median is at most `value`. */
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

/** How likely the two in the middle of a resample of an even n are at `lower` and 0, 1, … places above. */
function pairWeights(n: number, lower: number, own: number, logWays: number): readonly number[] {
  const middle = n / 2;
  // half of the resample among the `below` lowest, half among the `above` highest
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
 * How likely the k-th smallest of n drawn is the value at each place, from 0; places farther from the middle than ten
 * standard deviations are left out.
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
const FEWEST = 6;
/** What is rarer moves no quantile. */
const LEAST_WEIGHT = 1e-15;
