import {windowsOf} from './slowStart.ts';

/**
 * x: the number, from 1 on, of the packet of the next loss that is to be expected among so many: every one is lost
 * with probability `lossRate`, and where none is, it is one more than there are (L06 eq. 1). At rate 0 its limit.
 */
export function expectedLoss(packets: number, lossRate: number): number {
  if (lossRate === 0) return packets + 1;
  // 1 − (1 − p)^N, of which a difference would leave nothing at small rates
  const some = -Math.expm1(packets * Math.log1p(-lossRate));
  return some / lossRate + 1 - some;
}

/** The window in which the packet `loss` of `packets` is lost, as if slow start had gone on until then. */
export interface LossWindow {
  /** y: its packets (L06 eq. 9). */
  readonly packets: number;
  /** b: sent in it until the loss, with the lost one (L06 eq. 10). */
  readonly sent: number;
}

/** @see LossWindow */
export function lossWindow(loss: number, packets: number): LossWindow {
  const windows = windowsOf(loss); // eq. 8
  const full = 2 ** (windows - 1);
  return {
    packets: packets < 2 ** windows ? full - (2 ** windows - packets) + 1 : full,
    sent: loss + 1 - full,
  };
}

/**
 * HOB, what waits behind the loss, in ms: (y − b)·s (L06 eq. 11).
 * Differs: 0 at least; a loss that is expected behind the last packet holds up nothing.
 */
export function headOfLineMs({packets, sent}: LossWindow, serialisationMs: number): number {
  return Math.max(0, packets - sent) * serialisationMs;
}
