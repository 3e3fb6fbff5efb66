/** What C03's expected silent times depend on. */
export interface SilencePath {
  /** p, 0 ≤ p < 1. */
  readonly lossRate: number;
  /** D, the link's delay. */
  readonly delayMs: number;
  /** TO, of TCP's retransmissions. */
  readonly timeoutMs: number;
}

/** How long nothing is to be expected to change on a page, ms. */
export interface ExpectedSilence {
  /** TCP's: until the timeout, or until three acknowledgements tell of the loss, whichever is sooner. */
  readonly tcpMs: number;
  readonly timeoutMs: number;
  readonly threeArrivalsMs: number;
  /** CATP's: until the next packet arrives. */
  readonly catpMs: number;
}

/** As printed: TCP min(TO / (1 − p), (3 + p) / (1 − p)²·D), CATP D / (1 − p) (C03 §6). @throws RangeError unless 0 ≤ p < 1. */
export function printedSilence({lossRate: p, delayMs, timeoutMs}: SilencePath): ExpectedSilence {
  requireRate(p);
  return silence(timeoutMs / (1 - p), ((3 + p) / (1 - p) ** 2) * delayMs, delayMs / (1 - p));
}

/**
 * With the sums that are printed worked out: three arrivals, of which each takes 1 / (1 − p) packets on average, are
 * there after 3·D / (1 − p); k timeouts with probability p^k·(1 − p) take p·TO / (1 − p) on average.
 * @throws RangeError unless 0 ≤ p < 1.
 */
export function correctedSilence({lossRate: p, delayMs, timeoutMs}: SilencePath): ExpectedSilence {
  requireRate(p);
  return silence((p * timeoutMs) / (1 - p), (3 * delayMs) / (1 - p), delayMs / (1 - p));
}

function silence(timeoutMs: number, threeArrivalsMs: number, catpMs: number): ExpectedSilence {
  return {tcpMs: Math.min(timeoutMs, threeArrivalsMs), timeoutMs, threeArrivalsMs, catpMs};
}

function requireRate(lossRate: number): void {
  if (!(lossRate >= 0 && lossRate < 1))
    throw new RangeError(`invalid lossRate: ${lossRate} (must be from 0 to below 1)`);
}
