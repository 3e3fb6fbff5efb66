import {firstAbove} from '../base/order.ts';
import type {CapturedPacket} from './capturedLoad.ts';
import type {Acknowledged, Range} from './coverage.ts';
import {distance} from './numbers.ts';

/** A packet that was recorded at its sender, and the range of sequence numbers that it takes. */
export interface SentRange extends Range {
  /** The packet's timestamp (RFC 7323 §3.2). Undefined if it has none. */
  readonly stamp?: number | undefined;
}

/** What the receiver of packets said about them. */
export interface Answers {
  readonly acknowledged: Acknowledged;
  /** The ranges that the receiver reported as received twice (RFC 2883), in order of time. */
  readonly duplicates: readonly Range[];
  /** The shortest round trip from the place of the capture to the receiver. */
  readonly rttNs: number;
}

/**
 * Finds out which packets arrived. If the range of a packet was not sent again, the packet arrived if the range was
 * acknowledged. If the range was sent again, the packet arrived if the receiver reported that the repetition brought
 * nothing new, or if the acknowledgement answers the earlier packet. An acknowledgement answers the earlier packet if
 * it echoes a timestamp that is older than that of the repetition (RFC 3522 §3.2) or, without timestamps, if it comes
 * too early to be an answer to the repetition. If the acknowledgement answers the repetition, the packet was lost, or,
 * if only a part of its range was sent again, its fate is not known. Without an acknowledgement, the fate is not known
 * either. `ranges` must be in order of time.
 */
export function fatesOf(ranges: readonly SentRange[], answers: Answers): readonly CapturedPacket['fate'][] {
  const {acknowledged, rttNs} = answers;
  const needless = needlessOf(ranges, answers);
  const isNeedless = (row: number, at: number): boolean =>
    needless.get(row)?.some(({first, end}) => first <= at && at < end) ?? false;
  const fates = new Map<number, CapturedPacket['fate']>();
  const judge = (row: number, fate: CapturedPacket['fate']): unknown =>
    fates.set(row, fates.has(row) && fates.get(row) !== fate ? null : fate);
  const carriers = new Carriers();
  for (const [row, range] of ranges.entries()) {
    const {first, end, atNs, stamp} = range;
    let isNeeded = end > carriers.highest;
    for (const {last, row: carrier} of carriers.add(range, row)) {
      const earlier = ranges[carrier];
      const ackedNs = acknowledged.firstNs(last);
      if (ackedNs === null) isNeeded = true;
      else if (earlier !== undefined) {
        const echo = acknowledged.echoOf(first, last);
        const isStamped = stamp !== undefined && stamp !== earlier.stamp && !Number.isNaN(echo);
        const isEarly = isStamped ? distance(stamp, echo) < 0 : ackedNs < atNs + EARLIEST_ANSWER * rttNs;
        const isOfEarlier = isEarly || isNeedless(row, last);
        const isWhole = first <= earlier.first && earlier.end <= end;
        judge(carrier, isOfEarlier ? 'delivered' : isWhole ? 'lost' : null);
        isNeeded ||= !isOfEarlier;
      }
    }
    // if the receiver had all of the data already, only its report shows that this packet arrived
    if (!isNeeded) judge(row, needless.has(row) ? 'delivered' : null);
  }
  return ranges.map(({first, end}, row) => {
    const fate = fates.get(row);
    if (fate !== undefined) return fate;
    return acknowledged.firstNs(first) === null || acknowledged.firstNs(end - 1) === null ? null : 'delivered';
  });
}

/**
 * Finds the packets that brought data although the receiver already had them. The result maps the index of each such
 * packet to the ranges of these data. Each report of a duplicate is assigned to the last packet with these data that
 * was sent early enough to cause the report.
 */
function needlessOf(ranges: readonly SentRange[], {duplicates, rttNs}: Answers): ReadonlyMap<number, readonly Range[]> {
  const needless = new Map<number, Range[]>();
  const carriers = new Carriers();
  let next = 0;
  for (const duplicate of duplicates) {
    for (let range = ranges[next]; range !== undefined; range = ranges[next]) {
      if (range.atNs + EARLIEST_ANSWER * rttNs > duplicate.atNs) break;
      carriers.add(range, next);
      next += 1;
    }
    for (const {row} of carriers.of(duplicate)) {
      const known = needless.get(row) ?? [];
      if (known.length < MOST_JOINED) known.push(duplicate);
      needless.set(row, known);
    }
  }
  return needless;
}

/** Knows which packet was the last one to carry each byte. Add the packets in order of time. */
class Carriers {
  /**
   * The ends of the ranges that were new when they were sent, and for each end the last packet that carried the byte
   * before this end.
   */
  readonly #ends: number[] = [];
  readonly #rows: number[] = [];

  /** The end of the furthest range. */
  get highest(): number {
    return this.#ends.at(-1) ?? Number.NEGATIVE_INFINITY;
  }

  /** Yields the last byte of each part of a range that was sent before, with the last packet that carried it. */
  *of({first, end}: Range): Generator<{readonly last: number; readonly row: number; readonly part: number}> {
    const from = firstAbove(this.#ends, first);
    for (let part = from; part < this.#ends.length && part < from + MOST_JOINED; part++) {
      const last = Math.min(this.#ends[part] ?? 0, end) - 1;
      yield {last, row: this.#rows[part] ?? 0, part};
      if (end <= last + 1) return;
    }
  }

  /** Adds a packet. Returns what {@link of} yields for its range before the packet is added. */
  add(range: Range, row: number): readonly {readonly last: number; readonly row: number}[] {
    const before = [...this.of(range)];
    for (const {last, part} of before) if (last + 1 === this.#ends[part]) this.#rows[part] = row;
    if (range.end > this.highest) {
      this.#ends.push(range.end);
      this.#rows.push(row);
    }
    return before;
  }
}

/**
 * If an acknowledgement follows a packet sooner than this share of the shortest round trip, it answers an earlier
 * packet.
 */
const EARLIEST_ANSWER = 0.9;
/**
 * The largest number of earlier packets that one packet can repeat. The largest IP packet has the data of 44 packets of
 * Ethernet. The same limit holds for the reports of duplicates that are kept for one packet.
 */
const MOST_JOINED = 100;
