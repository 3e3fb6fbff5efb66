import {estimate} from '../../app/run/metrics/statistics.ts';
import {medianBootstrap} from '../../app/study/experiment/bootstrap.ts';

/** The loads of one cell, real or computed. All times are in ms from the navigation's start. */
export interface CellLoads {
  readonly finishMs: readonly (number | null)[];
  readonly fcpMs: readonly (number | null)[];
  readonly lcpMs: readonly (number | null)[];
  /** For each object of the page, the time at which it had arrived in each load. Null if it never arrived. */
  readonly completions: readonly (readonly (number | null)[])[];
}

/**
 * A computed time divided by the real one, with a 95 % interval. For medians, the interval takes only the sample of
 * real loads into account. For means, it takes both samples into account.
 */
export interface Ratio {
  readonly ratio: number;
  readonly from: number;
  readonly to: number;
}

/** How computed loads of a cell compare with real ones. A value is null if too few loads have the times it needs. */
export interface Comparison {
  /** Number of real loads. */
  readonly loads: number;
  /** Median of the real page times, ms. */
  readonly realMs: number | null;
  readonly median: Ratio | null;
  readonly mean: Ratio | null;
  readonly fcp: Ratio | null;
  readonly lcp: Ratio | null;
  /**
   * Spearman's rank correlation between real and computed loads, over the median times at which the objects arrive.
   * Null if fewer than three objects arrive in both, or if all times of one side are equal.
   */
  readonly order: number | null;
  /**
   * The same correlation between every second real load and the others. It says how well any model could do, because
   * the order can differ between real loads. Null also if there are fewer than four loads.
   */
  readonly realOrder: number | null;
  /** The number of objects that arrive in both real and computed loads, and the number that arrive in any load. */
  readonly objects: {readonly common: number; readonly all: number};
}

export function compare(real: CellLoads, computed: CellLoads): Comparison {
  const finish = estimate(real.finishMs);
  const theirs = real.completions.map(medianOf);
  const ours = computed.completions.map(medianOf);
  const pairs = pairsOf(theirs, ours);
  const [odd, even] = [0, 1].map(half =>
    real.completions.map(times => medianOf(times.filter((_, load) => load % 2 === half))),
  );
  return {
    loads: finish.n,
    realMs: finish.median,
    median: medianRatio(computed.finishMs, real.finishMs),
    mean: meanRatio(computed.finishMs, real.finishMs),
    fcp: medianRatio(computed.fcpMs, real.fcpMs),
    lcp: medianRatio(computed.lcpMs, real.lcpMs),
    order: rankCorrelation(pairs),
    realOrder: real.finishMs.length < 4 ? null : rankCorrelation(pairsOf(odd ?? [], even ?? [])),
    objects: {common: pairs.length, all: theirs.filter((time, i) => time !== null || ours[i] !== null).length},
  };
}

/** The times of the objects that arrived on both sides. */
function pairsOf(
  theirs: readonly (number | null)[],
  ours: readonly (number | null)[],
): readonly (readonly [number, number])[] {
  return theirs.flatMap((time, i) => {
    const own = ours[i] ?? null;
    return time === null || own === null ? [] : [[time, own] as const];
  });
}

function medianOf(values: readonly (number | null)[]): number | null {
  return estimate(values).median;
}

function medianRatio(computed: readonly (number | null)[], real: readonly (number | null)[]): Ratio | null {
  const [own, their] = [medianOf(computed), medianOf(real)];
  const interval = medianBootstrap(real.filter(value => value !== null).sort((a, b) => a - b));
  if (own === null || their === null || interval === null) return null;
  const [low, high] = interval;
  return {ratio: own / their, from: own / high, to: own / low};
}

/** The interval takes the errors of both means as independent and normal (delta method). */
function meanRatio(computed: readonly (number | null)[], real: readonly (number | null)[]): Ratio | null {
  const [own, their] = [estimate(computed), estimate(real)];
  if (own.mean === null || their.mean === null || their.ci95 === null) return null;
  const ratio = own.mean / their.mean;
  const half = ratio * Math.hypot((own.ci95 ?? 0) / own.mean, their.ci95 / their.mean);
  return {ratio, from: ratio - half, to: ratio + half};
}

/**
 * Spearman's ρ of pairs. Ties have the mean of their ranks. Null for fewer than three pairs, or if all values of a side
 * are equal.
 */
export function rankCorrelation(pairs: readonly (readonly [number, number])[]): number | null {
  if (pairs.length < 3) return null;
  const [a, b] = [ranks(pairs.map(([value]) => value)), ranks(pairs.map(([, value]) => value))];
  const middle = (pairs.length + 1) / 2;
  let [product, first, second] = [0, 0, 0];
  for (const [i, rank] of a.entries()) {
    const [x, y] = [rank - middle, (b[i] ?? 0) - middle];
    product += x * y;
    first += x * x;
    second += y * y;
  }
  return first === 0 || second === 0 ? null : product / Math.sqrt(first * second);
}

function ranks(values: readonly number[]): readonly number[] {
  const sorted = [...values].sort((a, b) => a - b);
  return values.map(value => (sorted.indexOf(value) + sorted.lastIndexOf(value)) / 2 + 1);
}
