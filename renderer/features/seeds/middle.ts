import {medianInterval, quartiles} from '../../../app/run/metrics/quartiles.ts';

/**
 * The quartiles of the times at which an event happened in many runs, ms. A quartile is infinite if it falls on runs in
 * which the event never happened.
 */
export interface Middle {
  readonly q1: number;
  readonly median: number;
  readonly q3: number;
  /** The median's 95 % confidence interval; null for fewer than 6 runs. */
  readonly interval: readonly [from: number, to: number] | null;
}

/**
 * The median, the quartiles and the median's interval of the times of all runs, ms. A time is null if the event never
 * happened in the run. Such a run counts as later than any time, so that a side is not judged only by the runs in which
 * the event happened. The result is null without runs.
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

/** Makes a value infinite if it is {@link NEVER_MS}, or was interpolated between a time and {@link NEVER_MS}. */
function orNever(ms: number): number {
  return ms < NEVER_MS / 8 ? ms : Number.POSITIVE_INFINITY;
}

/** Stands for an event that never happened. It is finite, so that it can be interpolated, and longer than any run. */
const NEVER_MS = 1e15;
