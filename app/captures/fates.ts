import {firstAbove} from '../base/order.ts';
import type {CapturedPacket} from './capturedLoad.ts';
import type {Acknowledged} from './coverage.ts';

/** A packet that was recorded at its sender, and the range of sequence numbers that it takes. */
export interface SentRange {
  readonly first: number;
  readonly end: number;
  readonly atNs: number;
}

/**
 * Finds out which packets arrived. If the range of a packet was not sent again, the packet arrived if the range was
 * acknowledged. If the range was sent again, the time of the acknowledgement decides. The packet arrived if the
 * acknowledgement came too early to be an answer to the repetition. Otherwise it was lost, or, if only a part of its
 * range was sent again, its fate is not known. `ranges` must be in order of time. `rttNs` is the shortest round trip
 * from the place of the capture to the receiver.
 */
export function fatesOf(
  ranges: readonly SentRange[],
  acknowledged: Acknowledged,
  rttNs: number,
): readonly CapturedPacket['fate'][] {
  const fates = new Map<number, CapturedPacket['fate']>();
  const judge = (row: number, fate: CapturedPacket['fate']): unknown =>
    fates.set(row, fates.has(row) && fates.get(row) !== fate ? null : fate);
  /** The ends of the ranges that were new when they were sent, and for each end the last packet that carried it. */
  const [ends, carriers]: [number[], number[]] = [[], []];
  for (const [row, {first, end, atNs}] of ranges.entries()) {
    const highest = ends.at(-1) ?? Number.NEGATIVE_INFINITY;
    const from = firstAbove(ends, first);
    let isNeeded = end > highest;
    for (let i = from; i < ends.length && i < from + MOST_JOINED; i++) {
      const [last, carrier] = [Math.min(ends[i] ?? 0, end) - 1, carriers[i] ?? 0];
      const earlier = ranges[carrier];
      const ackedNs = acknowledged.firstNs(last);
      if (ackedNs === null) isNeeded = true;
      else if (earlier !== undefined) {
        const isOfEarlier = ackedNs < atNs + EARLIEST_ANSWER * rttNs;
        const isWhole = first <= earlier.first && earlier.end <= end;
        judge(carrier, isOfEarlier ? 'delivered' : isWhole ? 'lost' : null);
        isNeeded ||= !isOfEarlier;
      }
      if (last + 1 === ends[i]) carriers[i] = row;
      if (end <= last + 1) break;
    }
    // if the receiver had all of the data already, nothing shows whether this packet arrived
    if (!isNeeded) judge(row, null);
    if (end > highest) {
      ends.push(end);
      carriers.push(row);
    }
  }
  return ranges.map(({first, end}, row) => {
    const fate = fates.get(row);
    if (fate !== undefined) return fate;
    return acknowledged.firstNs(first) === null || acknowledged.firstNs(end - 1) === null ? null : 'delivered';
  });
}

/**
 * If an acknowledgement follows a packet sooner than this share of the shortest round trip, it answers an earlier
 * packet.
 */
const EARLIEST_ANSWER = 0.9;
/**
 * The most earlier packets that one packet can repeat. The largest IP packet has the data of 44 packets of Ethernet.
 */
const MOST_JOINED = 100;
