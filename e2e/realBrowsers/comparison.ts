import {estimate} from '../../app/run/metrics/statistics.ts';
import {FEWEST_VALUES} from '../../app/study/experiment/bootstrap.ts';

/** The loads of one cell, real or computed. All times are in ms from the navigation's start. */
export interface CellLoads {
  readonly finishMs: readonly (number | null)[];
  readonly fcpMs: readonly (number | null)[];
  readonly lcpMs: readonly (number | null)[];
  /** For each object of the page, the time at which it had arrived in each load. Null if it never arrived. */
  readonly completions: readonly (readonly (number | null)[])[];
}

/**
 * A computed time divided by the real one, with a 95 % interval for the uncertainty of both. The computed and the real
 * load with one seed are a pair, because the path loses nearly the same packets of both. So it hardly matters if the
 * seeds happen to lose more or fewer packets than usual.
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

/**
 * Compares computed loads with real ones. `computed` has a load for each real load, in the same order and with the same
 * seed, or only one load if the path loses nothing.
 */
export function compare(real: CellLoads, computed: CellLoads): Comparison {
  const finish = estimate(real.finishMs);
  const theirs = real.completions.map(medianOf);
  const ours = computed.completions.map(medianOf);
  const pairs = pairsOf(ours, theirs);
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

/** A time in a computed load, and the same time in a real load. */
type Pair = readonly [own: number, their: number];

/** The times that are known on both sides. */
function pairsOf(ours: readonly (number | null)[], theirs: readonly (number | null)[]): readonly Pair[] {
  return ours.flatMap((own, i) => {
    const their = theirs[i] ?? null;
    return own === null || their === null ? [] : [[own, their] as const];
  });
}

function medianOf(values: readonly (number | null)[]): number | null {
  return estimate(values).median;
}

/** The computed and the real times of the seeds for which both are known. */
function pairsBySeed(computed: readonly (number | null)[], real: readonly (number | null)[]): readonly Pair[] {
  const [only = null] = computed;
  return pairsOf(computed.length === 1 ? real.map(() => only) : computed, real);
}

/**
 * Returns the ratio of the medians, with the interval of a bootstrap of the pairs. Null for fewer than 6 pairs, as in
 * `medianBootstrap`.
 */
function medianRatio(computed: readonly (number | null)[], real: readonly (number | null)[]): Ratio | null {
  const pairs = pairsBySeed(computed, real);
  if (pairs.length < FEWEST_VALUES) return null;
  const random = randomNumbers();
  const ratios = Array.from({length: RESAMPLES}, () =>
    ratioOfMedians(pairs.map((pair, _, all) => all[Math.floor(random() * all.length)] ?? pair)),
  ).sort((a, b) => a - b);
  const at = (share: number): number => ratios[Math.round(share * (RESAMPLES - 1))] ?? Number.NaN;
  return {ratio: ratioOfMedians(pairs), from: at(0.025), to: at(0.975)};
}

function ratioOfMedians(pairs: readonly Pair[]): number {
  return (
    (medianOf(pairs.map(([own]) => own)) ?? Number.NaN) / (medianOf(pairs.map(([, their]) => their)) ?? Number.NaN)
  );
}

/** Returns the ratio of the means, with the interval of a ratio estimator (Cochran 1977, §6.4). */
function meanRatio(computed: readonly (number | null)[], real: readonly (number | null)[]): Ratio | null {
  const pairs = pairsBySeed(computed, real);
  const [own, their] = [estimate(pairs.map(([time]) => time)).mean, estimate(pairs.map(([, time]) => time)).mean];
  if (own === null || their === null) return null;
  const ratio = own / their;
  const {ci95} = estimate(pairs.map(([ownMs, theirMs]) => ownMs - ratio * theirMs));
  return ci95 === null ? null : {ratio, from: ratio - ci95 / their, to: ratio + ci95 / their};
}

/** Numbers from 0 to 1, always the same sequence (a linear congruential generator, Numerical Recipes §7.1). */
function randomNumbers(): () => number {
  let state = 1;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

const RESAMPLES = 1000;

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
