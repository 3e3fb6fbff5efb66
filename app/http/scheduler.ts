import {scanEnds} from '../page/scanEnds.ts';
import type {Priority} from './priority.ts';

/**
 * Decides which of several responses is written next, in every protocol that multiplexes.
 *
 * - `first-come` and `round-robin` follow RFC 9218 §10: the most urgent response first. Among responses of equal
 *   urgency, incremental ones take turns and others follow one another.
 * - `weighted`: all take turns. Each step of urgency halves a response's share.
 * - `scan-aware`: the most urgent first. Among responses of equal urgency, those that lack their first scan come first,
 *   then those that lack their second, and so on, and among these the one with the fewest bytes. The server must know
 *   where the scans of pictures end.
 *
 * A first scan shows the whole picture, and most pictures can then be recognised. Some also need part of their second
 * scan, and the server cannot know which ones or how much. It therefore begins each second scan with half a packet
 * before it continues any. With whole packets, the last picture would wait for the second scans of all others. But each
 * turn costs a header, which delays everything after it. No turn is therefore shorter than that, and only first scans
 * end their turn; later scans share packets.
 */
export type SchedulerName = 'first-come' | 'round-robin' | 'weighted' | 'scan-aware';

/** A response that is to be written. */
export interface Scheduled {
  readonly priority: Priority;
  /**
   * Byte offsets of the body at which useful parts end, ascending. The last is the body's length, which is the only
   * entry for a body without parts.
   */
  readonly scanEnds: readonly number[];
}

/**
 * Chooses the next response. Call {@link ResponseScheduler.next}, then {@link ResponseScheduler.handleWritten} with the
 * number of bytes written. Among equals, the one added first wins.
 */
export class ResponseScheduler {
  readonly #name: SchedulerName;
  readonly #entries = new Map<number, Entry>();
  /** The `share` of the response that was written last. */
  #now = 0;

  constructor(name: SchedulerName) {
    this.#name = name;
  }

  /** Adds a response. `id` must be new. */
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

  /** The next response among those that can be written, and the most bytes of its turn. Undefined if none can. */
  next(canWrite: (id: number) => boolean): {readonly id: number; readonly mostBytes: number} | undefined {
    let entry: Entry | undefined;
    for (const rival of this.#entries.values()) {
      if ((entry === undefined || this.#isBefore(rival, entry)) && canWrite(rival.id)) entry = rival;
    }
    if (entry === undefined) return undefined;
    const mostBytes = this.#name === 'scan-aware' ? turnBytes(entry) : Number.POSITIVE_INFINITY;
    return {id: entry.id, mostBytes};
  }

  /** Called when `bytes` bytes of a response's body have been written. */
  handleWritten(id: number, bytes: number): void {
    const entry = this.#entries.get(id);
    if (entry === undefined) return;
    this.#now = Math.max(this.#now, entry.share);
    entry.written += bytes;
    entry.share += this.#name === 'weighted' ? bytes * 2 ** entry.priority.urgency : 1;
  }

  /**
   * Whether response `a` is to be written before response `b`. If they are equal, the one that was added first remains
   * chosen.
   */
  #isBefore(a: Entry, b: Entry): boolean {
    if (this.#name === 'weighted') return a.share < b.share;
    if (a.priority.urgency !== b.priority.urgency) return a.priority.urgency < b.priority.urgency;
    if (this.#name === 'scan-aware') return scanOf(a) < scanOf(b) || (scanOf(a) === scanOf(b) && a.written < b.written);
    // RFC 9218 §10 does not say how incremental and other responses share. Here the one added first wins.
    return a.priority.isIncremental && b.priority.isIncremental && a.share < b.share;
  }
}

function turnBytes(entry: Entry): number {
  const {scanEnds, written} = entry;
  const scan = scanOf(entry);
  const [start, end] = [scanEnds[scan - 1] ?? 0, scanEnds[scan] ?? Number.POSITIVE_INFINITY];
  // A turn that ran past the first scan may already have begun the second.
  if (scan === 1 && written - start < PACKET_BYTES / 4) return PACKET_BYTES / 2;
  return Math.max(end - written, scan === 0 ? PACKET_BYTES / 2 : PACKET_BYTES);
}

/** Index of the first incomplete scan. */
function scanOf({scanEnds, written}: Entry): number {
  const scan = scanEnds.findIndex(end => end > written);
  return scan < 0 ? scanEnds.length : scan;
}

/** The scan ends of a body. They are determined once, because most loads of a body differ only in their seed. */
export function scanEndsOf(body: Uint8Array): readonly number[] {
  const known = knownScanEnds.get(body);
  if (known !== undefined) return known;
  const ends = scanEnds(body);
  knownScanEnds.set(body, ends);
  return ends;
}

/** About as many bytes of a body as one packet carries. */
const PACKET_BYTES = 1400;

const knownScanEnds = new WeakMap<Uint8Array, readonly number[]>();

interface Entry extends Scheduled {
  readonly id: number;
  written: number;
  /** The number of turns that the response has had, or the weighted number of bytes. */
  share: number;
}
