import {type Pace, packetsUntil, slowStartMs, windowsOf} from './slowStart.ts';

/** What a transfer is made of. */
export interface Transfer extends Pace {
  /** N; 0 and more. */
  readonly packets: number;
  /** p, 0 ≤ p < 1: of packets with data. */
  readonly lossRate: number;
  /** th at the start, packets. Differs: it is not printed what it is. */
  readonly initialThreshold: number;
}

/** O_T and its parts, ms. */
export interface TransferTime {
  /** Waiting of slow start, until the first loss or the end. */
  readonly slowStartMs: number;
  /** Of all packets on the link. */
  readonly sendingMs: number;
  /** L·RTT: behind the threshold. */
  readonly avoidanceMs: number;
  /** tot_hob: what TCP holds back behind losses. */
  readonly headOfLineMs: number;
  /** 3/2·RTT for each loss. */
  readonly recoveryMs: number;
  /** O_T, all of them. */
  readonly totalMs: number;
  /** The threshold is passed before the first loss: with it as large as at the start, L·RTT is far too much. */
  readonly passesThreshold: boolean;
}

/**
 * The time from the first packet of data to the last one's end (L06's algorithm, eq. 5–15): a leg for each expected
 * loss, a = ⌈N·p⌉ of them, and one for what is left.
 * Differs: step 12 goes on to the next loss with an x of its own, where the printed one would repeat the same.
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
  /** N and th for the next leg. */
  readonly left: number;
  readonly threshold: number;
}

/**
 * Until the loss of the packet x, and its repair: eq. 12 where x + 1 ≤ A_th, else eq. 13–15; after the first loss
 * without slow start.
 * Differs: N − x + 1 are left after every loss; printed is N − x + (y − b) in slow start, which counts what is sent behind
 * the loss once more.
 */
function legToLoss(left: number, loss: number, threshold: number, pace: Pace, isFirst: boolean): Leg {
  const {rttMs, serialisationMs} = pace;
  const beyond = packetsBeyond(loss, threshold);
  // eq. 15 has no HOB
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
 * What is left after the last loss, or everything.
 * Differs: it takes the time of its N packets, not of N + 1.
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

/** K of so many packets from the first on (L06 eq. 5), or of those until the threshold (eq. 14). */
function windowsUntil(packets: number, threshold: number): number {
  const most = packetsUntil(threshold);
  return packets + 1 <= most ? windowsOf(packets) : Math.ceil(Math.log2(most));
}

/** L = x − A_th, 0 before the threshold (L06 eq. 13): packets, a round trip each, as printed. */
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
