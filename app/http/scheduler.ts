import {scanEnds} from '../page/scanEnds.ts';
import type {Priority} from './priority.ts';
import type {ResponseOrder} from './responseOrder.ts';

/**
 * Decides which of several responses is written next. For SCTP with `first-come` or `round-robin`, the network core
 * decides (native/netsim/src/sctp/scheduler.rs).
 *
 * - `first-come` and `round-robin` follow RFC 9218 §10: the most urgent response is written first. Among responses of
 *   equal urgency, incremental responses take turns, and the others are written one after the other.
 * - `weighted`: all responses take turns. Each step to a less urgent level halves a response's share.
 * - `scan-aware`: the most urgent response is written first. Among responses of equal urgency, those whose first scan
 *   is incomplete precede those whose second scan is incomplete, and so on. Among responses in the same scan, the one
 *   with the fewest bytes written is next. A scan is a part of a progressive picture that refines the whole picture.
 *   The server must know where the scans of pictures end.
 *
 * With `scan-aware`, turns differ in length. A first scan shows the whole picture, and most pictures can then be
 * recognised. Some pictures also need part of their second scan, and the server cannot know which ones or how much. The
 * first turn in a second scan is therefore only half a packet long, so that other pictures do not have to wait for a
 * whole second scan. Shorter turns would cost more headers, and each header delays all data after it. All other turns
 * end at the end of the current scan, but have at least half a packet in a first scan and a whole packet in later
 * scans, so that short scans share packets.
 */
export type SchedulerName = 'first-come' | 'round-robin' | 'weighted' | 'scan-aware';

/** A response that waits to be written. */
export interface Scheduled {
  readonly priority: Priority;
  /**
   * Offsets at which a scan ends, ascending. Over HTTP/2 and HTTP/3 they count from the start of the body, over SCTP
   * from the start of the head. The last entry is the end of the body. It is the only entry for a body without scans.
   */
  readonly scanEnds: readonly number[];
}

/** Orders responses as {@link SchedulerName} says. Among equal responses, the one that was added first is chosen. */
export class ResponseScheduler implements ResponseOrder {
  readonly #name: SchedulerName;
  readonly #entries = new Map<number, Entry>();
  /** The largest {@link Entry.share} that a response had when it was written. */
  #now = 0;

  constructor(name: SchedulerName) {
    this.#name = name;
  }

  add(id: number, scheduled: Scheduled): void {
    // A new response starts with the current share, as if it had taken part from the start.
    this.#entries.set(id, {id, ...scheduled, written: 0, share: this.#now});
  }

  remove(id: number): void {
    this.#entries.delete(id);
  }

  reprioritize(id: number, priority: Priority): void {
    const entry = this.#entries.get(id);
    if (entry !== undefined) this.#entries.set(id, {...entry, priority});
  }

  /** Does nothing. These schedulers use the priorities of RFC 9218 only. */
  depend(): void {}

  next(canWrite: (id: number) => boolean): {readonly id: number; readonly mostBytes: number} | undefined {
    let entry: Entry | undefined;
    for (const rival of this.#entries.values()) {
      if ((entry === undefined || this.#isBefore(rival, entry)) && canWrite(rival.id)) entry = rival;
    }
    if (entry === undefined) return undefined;
    const mostBytes = this.#name === 'scan-aware' ? turnBytes(entry) : Number.POSITIVE_INFINITY;
    return {id: entry.id, mostBytes};
  }

  handleWritten(id: number, bytes: number): void {
    const entry = this.#entries.get(id);
    if (entry === undefined) return;
    this.#now = Math.max(this.#now, entry.share);
    entry.written += bytes;
    entry.share += this.#name === 'weighted' ? bytes * 2 ** entry.priority.urgency : 1;
  }

  /**
   * Returns whether response `a` must be written before response `b`. It returns false if they are equal, so that the
   * one that was added first remains chosen.
   */
  #isBefore(a: Entry, b: Entry): boolean {
    if (this.#name === 'weighted') return a.share < b.share;
    if (a.priority.urgency !== b.priority.urgency) return a.priority.urgency < b.priority.urgency;
    if (this.#name === 'scan-aware') return scanOf(a) < scanOf(b) || (scanOf(a) === scanOf(b) && a.written < b.written);
    // RFC 9218 §10 does not say how incremental and other responses share. Here the response that was added first is
    // written first.
    return a.priority.isIncremental && b.priority.isIncremental && a.share < b.share;
  }
}

function turnBytes(entry: Entry): number {
  const {scanEnds, written} = entry;
  const scan = scanOf(entry);
  const [start, end] = [scanEnds[scan - 1] ?? 0, scanEnds[scan] ?? Number.POSITIVE_INFINITY];
  // The previous turn may have ended after the first scan, so that the second scan has already begun.
  if (scan === 1 && written - start < PACKET_BYTES / 4) return PACKET_BYTES / 2;
  return Math.max(end - written, scan === 0 ? PACKET_BYTES / 2 : PACKET_BYTES);
}

/** Returns the index of the first incomplete scan. */
function scanOf({scanEnds, written}: Entry): number {
  const scan = scanEnds.findIndex(end => end > written);
  return scan < 0 ? scanEnds.length : scan;
}

/**
 * Returns the scan ends of a body. They are determined once for each body, because most loads of a page differ only in
 * their seed.
 */
export function scanEndsOf(body: Uint8Array): readonly number[] {
  const known = knownScanEnds.get(body);
  if (known !== undefined) return known;
  const ends = scanEnds(body);
  knownScanEnds.set(body, ends);
  return ends;
}

/** The number of bytes of a body that one packet carries, approximately. */
const PACKET_BYTES = 1400;

const knownScanEnds = new WeakMap<Uint8Array, readonly number[]>();

interface Entry extends Scheduled {
  readonly id: number;
  written: number;
  /**
   * The number of turns that the response has had. For `weighted`: the number of its bytes written, multiplied by 2 to
   * the power of its urgency. In both cases the count begins at the value that `#now` had when the response was added.
   */
  share: number;
}
