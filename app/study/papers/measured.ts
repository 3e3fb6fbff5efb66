/** A mean over seeds, or a number computed from several means, with its 95 % confidence interval. */
export interface Measured {
  /** Null if no run has a value. */
  readonly value: number | null;
  /** Half-width of the interval; null if there is none, for example for a single run. */
  readonly half: number | null;
  /** Number of runs that have a value. */
  readonly n: number;
  /** Number of all runs. */
  readonly runs: number;
}

/** Multiplies a number and its interval by `factor`, for example to convert the unit. */
export function scaled({value, half, ...counts}: Measured, factor: number): Measured {
  return {
    value: value === null ? null : value * factor,
    half: half === null ? null : half * Math.abs(factor),
    ...counts,
  };
}

/** Converts a time in ms to seconds. */
export function inSeconds(measured: Measured): Measured {
  return scaled(measured, 1e-3);
}

/**
 * The difference of two numbers, which are treated as independent. In fact most of them come from the same seeds, and
 * are then positively correlated. The interval is therefore rather too wide than too narrow.
 */
export function minus(a: Measured, b: Measured): Measured {
  const isThere = a.value !== null && b.value !== null;
  return {
    value: isThere ? a.value - b.value : null,
    half: a.half === null || b.half === null ? null : Math.hypot(a.half, b.half),
    n: Math.min(a.n, b.n),
    runs: Math.min(a.runs, b.runs),
  };
}

/**
 * The quotient a / b, with an interval by the delta method. The covariance is (var a + var b − var (a − b)) / 2, where
 * `difference` is the mean of a − b, computed seed by seed. If `difference` is null or leaves out runs of a or of b,
 * then a and b are treated as independent.
 */
export function quotient(a: Measured, b: Measured, difference: Measured | null): Measured {
  const counts = {n: Math.min(a.n, b.n), runs: Math.min(a.runs, b.runs)};
  if (a.value === null || b.value === null || b.value === 0) return {value: null, half: null, ...counts};
  const value = a.value / b.value;
  if (a.half === null || b.half === null) return {value, half: null, ...counts};
  const isPaired = difference !== null && difference.n === a.n && difference.n === b.n;
  const shared = isPaired ? (a.half ** 2 + b.half ** 2 - (difference.half ?? 0) ** 2) / 2 : 0;
  const variance = a.half ** 2 + (value * b.half) ** 2 - 2 * value * shared;
  return {value, half: Math.sqrt(Math.max(0, variance)) / Math.abs(b.value), ...counts};
}

/**
 * The mean of numbers from different cells. Numbers that are null are left out. The cells share their seeds and are
 * correlated to an unknown degree, so the interval is as wide as for full correlation.
 */
export function meanOf(all: readonly Measured[]): Measured {
  const there = all.filter(({value}) => value !== null);
  const mean = (of: (one: Measured) => number): number => {
    return there.reduce((sum, one) => sum + of(one), 0) / there.length;
  };
  const isWhole = there.length > 0 && there.every(({half}) => half !== null);
  return {
    value: there.length === 0 ? null : mean(({value}) => value ?? 0),
    half: isWhole ? mean(({half}) => half ?? 0) : null,
    n: all.reduce((total, {n}) => total + n, 0),
    runs: all.reduce((total, {runs}) => total + runs, 0),
  };
}
