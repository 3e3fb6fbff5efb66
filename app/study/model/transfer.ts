import {type Pace, packetsUntil, slowStartMs, windowsOf} from './slowStart.ts';

/** The parameters of a transfer. */
export interface Transfer extends Pace {
  /** N, the number of packets with data; at least 0. */
  readonly packets: number;
  /** p, the probability that a packet with data is lost, 0 ≤ p < 1. */
  readonly lossRate: number;
  /** th, the slow start threshold at the start, in packets. L06 does not print its value. */
  readonly initialThreshold: number;
}

/** The duration O_T of a transfer and its parts, in ms. */
export interface TransferTime {
  /** The time that the sender waits in slow start, until the first loss or the end of the transfer. */
  readonly slowStartMs: number;
  /** The time that all packets together take on the link. */
  readonly sendingMs: number;
  /** L·RTT, the time of congestion avoidance. L is the number of packets after the window has reached the threshold. */
  readonly avoidanceMs: number;
  /** tot_hob, the time for which TCP holds back data that arrived after a lost packet (head-of-line blocking). */
  readonly headOfLineMs: number;
  /** The time of loss recovery: 3/2·RTT for each loss. */
  readonly recoveryMs: number;
  /** O_T, the sum of all parts. */
  readonly totalMs: number;
  /**
   * Whether the window exceeds the threshold before the first loss, or before the end if nothing is lost. The threshold
   * then still has its large initial value, and L·RTT is far too long.
   */
  readonly passesThreshold: boolean;
}

/**
 * The time from the start of the first packet with data to the end of the last one (L06's algorithm, eq. 5–15). The
 * transfer has one leg for each of the a = ⌈N·p⌉ expected losses, and one for the packets after the last loss. Step 12
 * of L06's algorithm, as printed, uses the x of the first loss for all losses. Here, x is computed again for each loss.
 */
export function transferTime({lossRate, initialThreshold, ...transfer}: Transfer): TransferTime {
  let [left, threshold] = [transfer.packets, initialThreshold];
  const legs: Leg[] = [];
  const losses = Math.ceil(transfer.packets * lossRate);
  for (let i = 0; i < losses; i++) {
    const leg = legToLoss(left, expectedLoss(left, lossRate), threshold, transfer, i === 0);
    legs.push(leg);
    ({left, threshold} = leg);
  }
  legs.push(lastLeg(left, threshold, transfer, losses === 0));
  return sumOf(legs);
}

interface Leg extends Omit<TransferTime, 'totalMs' | 'passesThreshold'> {
  /** The number of packets (N) and the threshold (th) with which the next leg begins. */
  readonly left: number;
  readonly threshold: number;
}

/**
 * The leg up to the loss of packet x and its repair: eq. 12 if x + 1 ≤ A_th, otherwise eq. 13–15. Only the first leg
 * has a slow start. Here, N − x + 1 packets are left after every loss. For a loss in slow start, L06 prints
 * N − x + (y − b) instead, which counts the packets sent after the lost one twice.
 */
function legToLoss(left: number, loss: number, threshold: number, pace: Pace, isFirst: boolean): Leg {
  const {rttMs, serialisationMs} = pace;
  const beyond = packetsBeyond(loss, threshold);
  // eq. 15, for a first leg beyond the threshold, has no term for head-of-line blocking (HOB)
  const hasWindow = !isFirst || loss + 1 <= packetsUntil(threshold);
  const window = lossWindow(loss, left);
  const raised = hasWindow ? Math.max(threshold, window.packets) : threshold; // eq. 9
  return {
    slowStartMs: isFirst ? slowStartMs(windowsUntil(loss, threshold), pace) : 0,
    sendingMs: (loss + 1) * serialisationMs,
    avoidanceMs: beyond * rttMs,
    headOfLineMs: hasWindow ? headOfLineMs(window, serialisationMs) : 0,
    recoveryMs: 1.5 * rttMs,
    left: left - loss + 1,
    threshold: Math.ceil((raised + beyond) / 2),
  };
}

/**
 * The leg after the last loss, or the whole transfer if there is no loss. L06 counts the time of N + 1 packets here,
 * although N packets are left. We count the time of N packets.
 */
function lastLeg(left: number, threshold: number, pace: Pace, isFirst: boolean): Leg {
  return {
    slowStartMs: isFirst ? slowStartMs(windowsUntil(left, threshold), pace) : 0,
    sendingMs: left * pace.serialisationMs,
    avoidanceMs: packetsBeyond(left, threshold) * pace.rttMs,
    headOfLineMs: 0,
    recoveryMs: 0,
    left: 0,
    threshold,
  };
}

/**
 * K, the number of slow start windows in which the first `packets` packets are sent (L06 eq. 5). If the window reaches
 * the threshold before all of them are sent, K counts only the windows until then (eq. 14).
 */
function windowsUntil(packets: number, threshold: number): number {
  const most = packetsUntil(threshold);
  return packets + 1 <= most ? windowsOf(packets) : Math.ceil(Math.log2(most));
}

/**
 * L = x − A_th, the number of packets after the threshold, or 0 before it (L06 eq. 13). As printed in L06, each of
 * these packets takes a round trip.
 */
function packetsBeyond(packets: number, threshold: number): number {
  return Math.max(0, packets - packetsUntil(threshold));
}

function sumOf(legs: readonly Leg[]): TransferTime {
  const of = (pick: (leg: Leg) => number): number => legs.reduce((sum, leg) => sum + pick(leg), 0);
  const parts = {
    slowStartMs: of(leg => leg.slowStartMs),
    sendingMs: of(leg => leg.sendingMs),
    avoidanceMs: of(leg => leg.avoidanceMs),
    headOfLineMs: of(leg => leg.headOfLineMs),
    recoveryMs: of(leg => leg.recoveryMs),
  };
  const totalMs = Object.values(parts).reduce((sum, part) => sum + part, 0);
  return {...parts, totalMs, passesThreshold: (legs[0]?.avoidanceMs ?? 0) > 0};
}

/**
 * x, the expected position of the first lost packet among `packets` packets (L06 eq. 1). Positions count from 1. Each
 * packet is lost with probability `lossRate`. If no packet is lost, the position is `packets` + 1. At rate 0 the result
 * is the limit of the formula.
 */
export function expectedLoss(packets: number, lossRate: number): number {
  if (lossRate === 0) return packets + 1;
  // 1 − (1 − p)^N, computed without this subtraction, which would give 0 for very small rates
  const some = -Math.expm1(packets * Math.log1p(-lossRate));
  return some / lossRate + 1 - some;
}

/** The window in which packet number `loss` of `packets` packets is lost, if slow start lasts until this loss. */
export interface LossWindow {
  /** y, the number of packets in the window (L06 eq. 9). */
  readonly packets: number;
  /** b, the number of packets sent in the window up to and including the lost one (L06 eq. 10). */
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
 * HOB, the time in ms for which data waits because of the loss: (y − b)·s (L06 eq. 11). Unlike in L06, the time is at
 * least 0, because a loss that is expected after the last packet delays nothing.
 */
export function headOfLineMs({packets, sent}: LossWindow, serialisationMs: number): number {
  return Math.max(0, packets - sent) * serialisationMs;
}
