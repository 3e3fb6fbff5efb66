/** How the capacity or the delay of a link changes over time. Times are in ms and begin at 0. */
export type LinkTrace =
  /**
   * Times at which the link can deliver 1504 bytes (Mahimahi's format), in ascending order. Each packet counts as 4
   * bytes larger than it is. The trace lasts until the last of these times.
   */
  | {readonly kind: 'opportunities'; readonly timesMs: Uint32Array}
  /**
   * Values, each with the time from which it holds. The times increase from 0. The values are bits per second for a
   * capacity, and ms for a delay.
   */
  | {readonly kind: 'steps'; readonly rows: readonly Step[]; readonly periodMs: number};

export type Step = readonly [atMs: number, value: number];

/** Returns how long a trace lasts, in ms. */
export function periodMs(trace: LinkTrace): number {
  return trace.kind === 'steps' ? trace.periodMs : (trace.timesMs.at(-1) ?? 0);
}

/** Bytes that a delivery opportunity can carry (`PACKET_SIZE` in Mahimahi's `link_queue.hh`). */
export const OPPORTUNITY_BYTES = 1504;

/** Returns the mean of a trace's values over time. Each delivery opportunity counts as fully used. */
export function meanValue(trace: LinkTrace): number {
  if (trace.kind === 'opportunities') return (trace.timesMs.length * OPPORTUNITY_BYTES * 8e3) / periodMs(trace);
  const areas = trace.rows.map(([atMs, value], row) => value * ((trace.rows[row + 1]?.[0] ?? trace.periodMs) - atMs));
  return areas.reduce((sum, area) => sum + area, 0) / trace.periodMs;
}

/** Reports the first rule that the rows of steps break. Undefined if they break none. */
export function stepsProblem(rows: readonly Step[], period: number, most: number): string | undefined {
  if (rows.length === 0) return 'there are no values';
  if (rows.length > MOST_STEPS) return `there are ${rows.length} values (at most ${MOST_STEPS})`;
  let before = Number.NEGATIVE_INFINITY;
  for (const [atMs, value] of rows) {
    if (!(atMs > before)) return `the time ${atMs} ms follows ${before} ms: times must increase`;
    if (!(value >= 0 && value <= most)) return `the value at ${atMs} ms is ${value}: must be 0 to ${most}`;
    before = atMs;
  }
  if (rows[0]?.[0] !== 0) return `the first time is ${rows[0]?.[0]} ms: must be 0`;
  if (!(period <= LONGEST_MS)) return `it lasts ${period} ms: must be at most ${LONGEST_MS} ms`;
  if (!(period > before)) return `it lasts ${period} ms: must be more than ${before} ms, the time of its last value`;
  return rows.every(([, value]) => value === 0) ? 'all its values are 0' : undefined;
}

/** The largest number of delivery opportunities in a trace: an hour at 6 Mbit/s, or some minutes at 100 Mbit/s. */
export const MOST_OPPORTUNITIES = 2_000_000;
export const MOST_STEPS = 100_000;
/** The longest trace: a day. */
export const LONGEST_MS = 86_400_000;
/** The largest rate that the network core accepts. */
export const MOST_BPS = 1e12;
/** The largest one-way delay that the network core accepts. */
export const MOST_DELAY_MS = 3_600_000;
