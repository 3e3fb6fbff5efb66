/** A mean over seeds, or what was made of several, with its 95 % interval. */
export interface Measured {
  /** Null if no run has it. */
  readonly value: number | null;
  /** Half-width of the interval; null without one, as of a single run. */
  readonly half: number | null;
  /** Runs that have it. */
  readonly n: number;
  /** Runs that there are. */
  readonly runs: number;
}

/** The same in another unit. */
export function scaled({value, half, ...counts}: Measured, factor: number): Measured {
  return {
    value: value === null ? null : value * factor,
    half: half === null ? null : half * Math.abs(factor),
    ...counts,
  };
}

/** Of times in ms. */
export function inSeconds(measured: Measured): Measured {
  return scaled(measured, 1e-3);
}

/**
 * The difference of two of different cells, as if they came from runs of their own. They share seeds, so what is bad luck
 * in one is in the other: the interval is, if anything, too wide.
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
 * a / b by the delta method. With their difference seed by seed what they have in common counts: the covariance is
 * (var a + var b − var (a − b)) / 2; without it, or where runs are missing in one of them, they count as independent.
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
 * The mean of several of different cells; null values are left out. They share seeds, how much is not known: the
 * interval is as wide as if all moved together.
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
