import {medianInterval, quartiles} from '../../../app/run/metrics/quartiles.ts';

/** The quartiles of runs, ms; infinite if the event never came in so many runs. */
export interface Middle {
  readonly q1: number;
  readonly median: number;
  readonly q3: number;
  /** The median's 95 % confidence interval; null for fewer than 6 runs. */
  readonly interval: readonly [from: number, to: number] | null;
}

/**
 * Of the times of all runs, ms, null where it never came: that is later than any time. So a side that often never has
 * it is not told by those few runs in which it was quick. Null of none.
 */
export function middleOf(times: readonly (number | null)[]): Middle | null {
  const values = times.map(ms => ms ?? NEVER_MS);
  const middle = quartiles(values);
  if (middle === null) return null;
  const [q1, median, q3] = [middle.q1, middle.median, middle.q3].map(orNever);
  const [from, to] = medianInterval(values)?.map(orNever) ?? [];
  const interval = from === undefined || to === undefined ? null : ([from, to] as const);
  return {q1: q1 ?? 0, median: median ?? 0, q3: q3 ?? 0, interval};
}

/** A value that is interpolated between a time and never is never. */
function orNever(ms: number): number {
  return ms < NEVER_MS / 8 ? ms : Number.POSITIVE_INFINITY;
}

/** Stands for never. It is finite, so that it can be interpolated: no run takes thirty thousand years. */
const NEVER_MS = 1e15;
