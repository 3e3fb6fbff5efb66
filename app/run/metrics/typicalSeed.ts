import type {Visual} from '../quality/visual.ts';
import {type Clock, onClock} from './clock.ts';
import type {PaneMetrics} from './metrics.ts';
import {type Quartiles, quartiles} from './quartiles.ts';

/**
 * The values that are compared between seeds, by name. A value is null if the load never reached the state on which the
 * value depends.
 */
export interface Figures {
  readonly [metric: string]: number | null;
}

/** The run of one seed: the values of each pane, or null if the pane is incomplete. */
export interface SeedFigures {
  readonly seed: number;
  readonly panes: readonly (Figures | null)[];
}

/** The quartiles of a metric over all complete seeds, and the value of the typical seed, in ms. */
export interface TypicalFigure extends Quartiles {
  readonly value: number;
}

export interface Typical {
  readonly seed: number;
  /** Number of all runs, complete or not. */
  readonly seeds: number;
  /**
   * Number of runs that are complete and have all values in every pane. The quartiles cover these, and the typical run
   * is one of them.
   */
  readonly complete: number;
  /** Whether all values of the typical seed lie within the quartiles. False only if no seed has this property. */
  readonly isInside: boolean;
  /** The seed's distance from the medians, as {@link findTypical} computes it. */
  readonly distance: number;
  readonly panes: readonly {readonly [metric: string]: TypicalFigure}[];
}

/** Returns the times by which a pane's runs are compared ({@link timesOn}). Null if the pane is incomplete. */
export function timesOf({outcome, finishMs, pageTimeMs, pPageMs}: PaneMetrics, clock: Clock): Figures | null {
  if (outcome !== 'complete') return null;
  return timesOn(clock, {finishMs, pageTimeMs, p25PageMs: pPageMs[25], p50PageMs: pPageMs[50], p75PageMs: pPageMs[75]});
}

/** The times of a complete load, in ms. {@link PaneMetrics} explains them. */
interface LoadTimes {
  readonly finishMs: number | null;
  readonly pageTimeMs: number | null;
  readonly p25PageMs: number | null;
  readonly p50PageMs: number | null;
  readonly p75PageMs: number | null;
}

/**
 * Returns the time when every object is complete, and the times when every object has 25, 50 and 75 % of its bytes (N07
 * §3.1, §5). The times are on this clock, in ms. On the clock `first-request`, these are T and PPage.
 */
export function timesOn(clock: Clock, load: LoadTimes): Figures {
  const {finishMs, pageTimeMs, p25PageMs, p50PageMs, p75PageMs} = load;
  if (clock === 'first-request') return {pageTimeMs, p25PageMs, p50PageMs, p75PageMs};
  const since = (ms: number | null): number | null => onClock(ms, load, clock);
  return {finishMs, p25FinishMs: since(p25PageMs), p50FinishMs: since(p50PageMs), p75FinishMs: since(p75PageMs)};
}

/** The run of one seed, with visual metrics if they are known. */
interface SeenRun {
  readonly seed: number;
  readonly panes: readonly {
    readonly times: Figures | null;
    readonly visual?: Pick<Visual, 'speedIndexMs'> | null | undefined;
  }[];
}

/** Returns the values to compare. They include the Speed Index if any run has one. */
export function figuresOf(runs: readonly SeenRun[]): readonly SeedFigures[] {
  const isSeen = runs.some(({panes}) => panes.some(({visual}) => visual?.speedIndexMs != null));
  return runs.map(({seed, panes}) => ({
    seed,
    panes: panes.map(({times, visual}) =>
      times === null || !isSeen ? times : {...times, speedIndexMs: visual?.speedIndexMs ?? null},
    ),
  }));
}

/**
 * Finds the seed that is nearest to the medians of all values of all panes: the one with the smallest Σ ((value −
 * median) / (q3 − q1))². Only seeds that are complete and have all values in every pane are considered. Seeds whose
 * values all lie within the quartiles are preferred. If there are none, the other considered seeds are used. If several
 * seeds are equally near, the smallest number is chosen. Null if no seed is considered.
 */
export function findTypical(runs: readonly SeedFigures[]): Typical | null {
  const complete = runs.flatMap(({seed, panes}) => {
    return panes.every(isWhole) ? [{seed, panes}] : [];
  });
  const [first] = complete;
  if (first === undefined) return null;
  const columns = first.panes.flatMap((figures, pane) => {
    return Object.keys(figures).map(metric => columnOf(complete, pane, metric));
  });
  const candidates = complete.map(({seed, panes}) => {
    const values = columns.map(({pane, metric}) => panes[pane]?.[metric] ?? 0);
    const distance = columns.reduce((sum, column, i) => sum + distanceOf(column, values[i] ?? 0), 0);
    return {seed, values, distance, isInside: columns.every((column, i) => isWithin(column, values[i] ?? 0))};
  });
  const inside = candidates.filter(({isInside}) => isInside);
  const {seed, values, distance, isInside} = (inside.length > 0 ? inside : candidates).reduce((best, each) => {
    const isNearer = each.distance < best.distance;
    return isNearer || (each.distance === best.distance && each.seed < best.seed) ? each : best;
  });
  const panes = first.panes.map((_, number) => {
    const own = columns.flatMap(({pane, metric, q1, median, q3}, i) => {
      return pane === number ? [[metric, {value: values[i] ?? 0, q1, median, q3}] as const] : [];
    });
    return Object.fromEntries(own);
  });
  return {seed, seeds: runs.length, complete: complete.length, isInside, distance, panes};
}

/** One value of one pane over all seeds. */
interface Column extends Quartiles {
  readonly pane: number;
  readonly metric: string;
  /**
   * The unit of distance: q3 − q1. If that is 0, the whole range is used, which is 0 if all seeds have the same value.
   */
  readonly spread: number;
}

function columnOf(
  complete: readonly {readonly panes: readonly WholeFigures[]}[],
  pane: number,
  metric: string,
): Column {
  const values = complete.map(({panes}) => panes[pane]?.[metric] ?? 0);
  const middle = quartiles(values) ?? {q1: 0, median: 0, q3: 0};
  const range =
    values.reduce((most, value) => Math.max(most, value), Number.NEGATIVE_INFINITY) -
    values.reduce((least, value) => Math.min(least, value), Number.POSITIVE_INFINITY);
  return {pane, metric, ...middle, spread: middle.q3 - middle.q1 || range};
}

function distanceOf({median, spread}: Column, value: number): number {
  return spread === 0 ? 0 : ((value - median) / spread) ** 2;
}

function isWithin({q1, q3}: Quartiles, value: number): boolean {
  return q1 <= value && value <= q3;
}

interface WholeFigures {
  readonly [metric: string]: number;
}

function isWhole(figures: Figures | null): figures is WholeFigures {
  return figures !== null && Object.values(figures).every(value => value !== null);
}
