/** The properties of the path from which the times of L06's model are computed. */
export interface Pace {
  readonly rttMs: number;
  /** s = MSS / R, the time that one packet takes on the link. R is the link's rate. */
  readonly serialisationMs: number;
}

/**
 * The number of windows in which `packets` packets are sent, if the first window has one packet and each further window
 * has twice as many as the one before. It is ⌈log2(`packets` + 1)⌉, as for L06's K and C (eq. 4, 5 and 8). L06 writes
 * O/MSS for the number of packets, which gives the same.
 */
export function windowsOf(packets: number): number {
  return Math.ceil(Math.log2(packets + 1));
}

/**
 * Q, how many times the sender would have to wait if its data never ended (L06 eq. 3). It waits once after each of the
 * first Q windows. L06 prints ⌈log2(1 + RTT/s)⌉ + 1. This function rounds the logarithm down instead. If it were
 * rounded up, Q would also count windows that are longer than a round trip, and a longer RTT would give a shorter time.
 */
export function stalledWindows({rttMs, serialisationMs}: Pace): number {
  return Math.floor(Math.log2(1 + rttMs / serialisationMs)) + 1;
}

/**
 * SC, the time in ms that the sender waits during a slow start of K windows (`windows`): v·(RTT + s) − (2^v − 1)·s with
 * v = min(Q, K − 1) (L06 eq. 2). Unlike in L06, v is at least 0. Otherwise, the time would be negative if there is
 * nothing to send.
 */
export function slowStartMs(windows: number, pace: Pace): number {
  const {rttMs, serialisationMs} = pace;
  const stalls = Math.max(0, Math.min(stalledWindows(pace), windows - 1));
  return stalls * (rttMs + serialisationMs) - (2 ** stalls - 1) * serialisationMs;
}

/**
 * A_th, the number of packets that are sent until the window reaches the threshold (L06 eq. 7). The threshold is a
 * number of packets.
 */
export function packetsUntil(threshold: number): number {
  const wholeWindows = 2 ** windowsOf(threshold) - 1;
  return Number.isInteger(Math.log2(threshold)) ? wholeWindows : wholeWindows + threshold;
}
