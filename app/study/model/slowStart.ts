/** What every equation takes of the path. */
export interface Pace {
  readonly rttMs: number;
  /** s = MSS / R: what one packet takes on the link. */
  readonly serialisationMs: number;
}

/**
 * The windows that so many packets take when each has twice the packets of the one before, from one on:
 * K and C = ⌈log2(n + 1)⌉ (L06 eq. 4, 5, 8; O/MSS and its ⌈⌉ give the same).
 */
export function windowsOf(packets: number): number {
  return Math.ceil(Math.log2(packets + 1));
}

/**
 * Q: the windows after which the sender would wait, without an end of the data (L06 eq. 3).
 * Differs: rounded down. The printed ⌈log2(1 + RTT/s)⌉ + 1 counts windows that are longer than a round trip, so that
 * the time would fall where the RTT rises.
 */
export function stalledWindows({rttMs, serialisationMs}: Pace): number {
  return Math.floor(Math.log2(1 + rttMs / serialisationMs)) + 1;
}

/**
 * SC, the sender's waiting in slow start of so many windows, ms: v·(RTT + s) − (2^v − 1)·s, v = min(Q, K − 1)
 * (L06 eq. 2).
 * Differs: v is 0 at least; nothing to send would give a negative time.
 */
export function slowStartMs(windows: number, pace: Pace): number {
  const {rttMs, serialisationMs} = pace;
  const stalls = Math.max(0, Math.min(stalledWindows(pace), windows - 1));
  return stalls * (rttMs + serialisationMs) - (2 ** stalls - 1) * serialisationMs;
}

/** A_th: packets until the window has reached the threshold, which is in packets (L06 eq. 7). */
export function packetsUntil(threshold: number): number {
  const wholeWindows = 2 ** windowsOf(threshold) - 1;
  return Number.isInteger(Math.log2(threshold)) ? wholeWindows : wholeWindows + threshold;
}
