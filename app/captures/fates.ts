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
 * range was sent again, and the acknowledgement came so late that it can only be that of the repeated range. `ranges`
 * must be in order of time. `rttNs` is the shortest round trip from the place of the capture to the receiver.
 */
export function fatesOf(
  ranges: readonly SentRange[],
  acknowledged: Acknowledged,
  rttNs: number,
): readonly CapturedPacket['fate'][] {
  const fates = ranges.map((): CapturedPacket['fate'] | undefined => undefined);
  /** The ranges that were new when they were sent, by their ends, which ascend. */
  const [newEnds, newRows]: [number[], number[]] = [[], []];
  /** The last packet with this end. */
  const lastByEnd = new Map<number, number>();
  for (const [row, {first, end, atNs}] of ranges.entries()) {
    const isNew = first >= (newEnds.at(-1) ?? Number.NEGATIVE_INFINITY);
    const before = isNew ? undefined : (lastByEnd.get(end) ?? newRows[firstAbove(newEnds, end - 1)]);
    const earlier = before === undefined ? undefined : ranges[before];
    const ackedNs = acknowledged.firstNs(end - 1);
    if (before !== undefined && earlier !== undefined && ackedNs !== null) {
      const isOfEarlier = ackedNs < atNs + EARLIEST_ANSWER * rttNs;
      const isWhole = earlier.first >= first && earlier.end <= end;
      fates[before] = isOfEarlier ? 'delivered' : isWhole ? 'lost' : null;
      if (isOfEarlier) fates[row] = null;
    }
    if (end > (newEnds.at(-1) ?? Number.NEGATIVE_INFINITY)) {
      newEnds.push(end);
      newRows.push(row);
    }
    lastByEnd.set(end, row);
  }
  return ranges.map(({end}, row) => {
    const fate = fates[row];
    return fate === undefined ? (acknowledged.firstNs(end - 1) === null ? null : 'delivered') : fate;
  });
}

/** An acknowledgement that comes after less than this share of the shortest round trip is that of an earlier packet. */
const EARLIEST_ANSWER = 0.9;
