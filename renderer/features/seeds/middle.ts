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
 * The median, the quartiles and the interval of the times of all runs, ms. A time is null if the event never came in
 * the run, which counts as later than any time, so that a side is not judged by the few runs in which the event did
 * come. The result is null without runs.
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

/** Makes a value infinite if it was interpolated between a time and {@link NEVER_MS}. */
function orNever(ms: number): number {
  return ms < NEVER_MS / 8 ? ms : Number.POSITIVE_INFINITY;
}

/** The time of an event that never came: finite, so that it can be interpolated, and longer than any run. */
const NEVER_MS = 1e15;
