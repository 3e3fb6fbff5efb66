import {firstAbove} from '../../base/order.ts';
import type {ObjectDeliveries} from './traceIndex.ts';

/** A range of a body in bytes. `end` is exclusive. */
export interface ByteRange {
  readonly first: number;
  readonly end: number;
}

/**
 * Returns the ranges of an object that are available at t, merged and in byte order. An object that arrives in
 * order has no range before its first bytes arrive, and then one range that begins at 0.
 */
export function shownRanges({atNs, bytes, first}: ObjectDeliveries, tNs: number): readonly ByteRange[] {
  const rows = firstAbove(atNs, tNs);
  const ranges: {first: number; end: number}[] = [];
  let [had, isSorted] = [0, true];
  for (let row = 0; row < rows; row++) {
    const [from = 0, total = 0] = [first[row], bytes[row]];
    const last = ranges.at(-1);
    if (last?.end === from) last.end += total - had;
    else {
      isSorted &&= last === undefined || last.end < from;
      ranges.push({first: from, end: from + total - had});
    }
    had = total;
  }
  return isSorted ? ranges : merged(ranges);
}

function merged(ranges: readonly {first: number; end: number}[]): readonly ByteRange[] {
  const joined: {first: number; end: number}[] = [];
  for (const {first, end} of [...ranges].sort((a, b) => a.first - b.first)) {
    const last = joined.at(-1);
    if (last !== undefined && first <= last.end) last.end = Math.max(last.end, end);
    else joined.push({first, end});
  }
  return joined;
}
