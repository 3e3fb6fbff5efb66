/** The parameters of C03's formulas for expected silent times. */
export interface SilencePath {
  /** p, the probability that a packet is lost, 0 ≤ p < 1. */
  readonly lossRate: number;
  /** D, the link's delay. */
  readonly delayMs: number;
  /** TO, TCP's retransmission timeout. */
  readonly timeoutMs: number;
}

/** The expected times during which nothing changes on a page, in ms. */
export interface ExpectedSilence {
  /**
   * The silent time of TCP after a loss: the smaller of `timeoutMs` and `threeArrivalsMs`. The silence ends with the
   * timeout, or when three acknowledgements have reported the loss.
   */
  readonly tcpMs: number;
  /** The expected time until the timeout. */
  readonly timeoutMs: number;
  /** The expected time until three acknowledgements have reported the loss. */
  readonly threeArrivalsMs: number;
  /** The silent time of CATP after a loss. It ends when the next packet arrives. */
  readonly catpMs: number;
}

/**
 * The silent times by the formulas that C03 prints (§6): min(TO / (1 − p), (3 + p) / (1 − p)²·D) for TCP, and D / (1 −
 * p) for CATP.
 * @throws RangeError unless 0 ≤ p < 1.
 */
export function printedSilence({lossRate: p, delayMs, timeoutMs}: SilencePath): ExpectedSilence {
  requireRate(p);
  return silence(timeoutMs / (1 - p), ((3 + p) / (1 - p) ** 2) * delayMs, delayMs / (1 - p));
}

/**
 * The silent times that follow from the sums in C03 if the sums are computed correctly. An arrival takes 1 / (1 − p)
 * packets on average, so three arrivals take 3·D / (1 − p). The probability of exactly k timeouts is p^k·(1 − p), so
 * the timeouts take p·TO / (1 − p) on average.
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
