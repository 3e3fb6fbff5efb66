import {firstAbove} from '../base/order.ts';
import type {CapturedPacket} from './capturedLoad.ts';
import type {Acknowledged} from './coverage.ts';

/** A packet that takes a range of its sender's sequence numbers, recorded at its sender. */
export interface SentRange {
  readonly first: number;
  readonly end: number;
  readonly atNs: number;
}

/**
 * Finds out which packets arrived, from what was sent again and when it was acknowledged. A packet is lost if all of its
 * range was sent again, and the acknowledgement came so late that it can only be that of the repeated range. If only a
 * part was sent again, the fate is not known. `ranges` must be in order of time. `rttNs` is the shortest round trip from
 * the place of the capture to the receiver.
 */
export function fatesOf(
  ranges: readonly SentRange[],
  acknowledged: Acknowledged,
  rttNs: number,
): readonly CapturedPacket['fate'][] {
  const fates = new Map<number, CapturedPacket['fate']>();
  const judge = (row: number, fate: CapturedPacket['fate']): unknown =>
    fates.set(row, fates.has(row) && fates.get(row) !== fate ? null : fate);
  /** The ends of the ranges that were new when they were sent, and the last packet that carried each end. */
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

/** An acknowledgement that comes after less than this share of the shortest round trip is that of an earlier packet. */
const EARLIEST_ANSWER = 0.9;
/** The most earlier packets that one packet repeats. A packet of the largest size joins 44 of Ethernet. */
const MOST_JOINED = 100;
