import {scanEnds} from '../page/scanEnds.ts';
import type {Priority} from './priority.ts';

/**
 * Which of several responses is written next, the same for all that multiplex.
 *
 * - `first-come`: one after the other. `round-robin`: a piece of each in turn. Both are RFC 9218 §10, as the requests
 *   ask: the most urgent first; of one urgency one after the other, or, those that are incremental, in turn.
 * - `weighted`: all in turn; with each step of urgency a response gets half the share.
 * - `scan-aware`: the most urgent first; of one urgency, all that lacks its first scan, then all that lacks its second,
 *   and so on, whichever has the least first: a server that knows where pictures' scans end.
 *
 * A first scan shows the whole picture, mostly so that it can be recognised; some need a part of their second scan, and
 * which and how much a server cannot know. So each second scan is begun, with half a packet, before one goes on: with
 * whole packets the last to be recognisable has waited for all others' second scans. But each turn has a header, which
 * delays all that follows: so none is shorter, and only first scans have turns end where they do; later ones share
 * packets.
 */
export type SchedulerName = 'first-come' | 'round-robin' | 'weighted' | 'scan-aware';

/** A response that is to be written. */
export interface Scheduled {
  readonly priority: Priority;
  /** Where a part ends that is of use by itself, bytes of the body, rising; the last is all. One for what has none. */
  readonly scanEnds: readonly number[];
}

/**
 * Gives who writes next: {@link ResponseScheduler.next}, then {@link ResponseScheduler.handleWritten} with what was
 * written. Of equals, the one that was added first.
 */
export class ResponseScheduler {
  readonly #name: SchedulerName;
  readonly #entries = new Map<number, Entry>();
  /** Of the one that wrote last. */
  #now = 0;

  constructor(name: SchedulerName) {
    this.#name = name;
  }

  /** One more, by a number that none of the others has. */
  add(id: number, scheduled: Scheduled): void {
    // it has had its share until now
    this.#entries.set(id, {id, ...scheduled, written: 0, share: this.#now});
  }

  remove(id: number): void {
    this.#entries.delete(id);
  }

  reprioritize(id: number, priority: Priority): void {
    const entry = this.#entries.get(id);
    if (entry !== undefined) this.#entries.set(id, {...entry, priority});
  }

  /** Whose turn it is of those that can write, and the most that is of its turn; undefined if none can. */
  next(canWrite: (id: number) => boolean): {readonly id: number; readonly mostBytes: number} | undefined {
    let entry: Entry | undefined;
    for (const rival of this.#entries.values()) {
      if ((entry === undefined || this.#isBefore(rival, entry)) && canWrite(rival.id)) entry = rival;
    }
    if (entry === undefined) return undefined;
    const mostBytes = this.#name === 'scan-aware' ? turnBytes(entry) : Number.POSITIVE_INFINITY;
    return {id: entry.id, mostBytes};
  }

  /** Bytes of its body. */
  handleWritten(id: number, bytes: number): void {
    const entry = this.#entries.get(id);
    if (entry === undefined) return;
    this.#now = Math.max(this.#now, entry.share);
    entry.written += bytes;
    entry.share += this.#name === 'weighted' ? bytes * 2 ** entry.priority.urgency : 1;
  }

  /** Of equals the first stays. */
  #isBefore(a: Entry, b: Entry): boolean {
    if (this.#name === 'weighted') return a.share < b.share;
    if (a.priority.urgency !== b.priority.urgency) return a.priority.urgency < b.priority.urgency;
    if (this.#name === 'scan-aware') return scanOf(a) < scanOf(b) || (scanOf(a) === scanOf(b) && a.written < b.written);
    // RFC 9218 §10 leaves it open how both kinds share: here by who came first
    return a.priority.isIncremental && b.priority.isIncremental && a.share < b.share;
  }
}

function turnBytes(entry: Entry): number {
  const {scanEnds, written} = entry;
  const scan = scanOf(entry);
  const [start, end] = [scanEnds[scan - 1] ?? 0, scanEnds[scan] ?? Number.POSITIVE_INFINITY];
  // a turn that ran over from the first scan may have begun the second well enough
  if (scan === 1 && written - start < PACKET_BYTES / 4) return PACKET_BYTES / 2;
  return Math.max(end - written, scan === 0 ? PACKET_BYTES / 2 : PACKET_BYTES);
}

/** Which scan is not whole yet. */
function scanOf({scanEnds, written}: Entry): number {
  const scan = scanEnds.findIndex(end => end > written);
  return scan < 0 ? scanEnds.length : scan;
}

/** Of a body, looked for once: most loads of it differ in the seed alone. */
export function scanEndsOf(body: Uint8Array): readonly number[] {
  const known = knownScanEnds.get(body);
  if (known !== undefined) return known;
  const ends = scanEnds(body);
  knownScanEnds.set(body, ends);
  return ends;
}

/** Of a body, about as many as a packet carries. */
const PACKET_BYTES = 1400;

const knownScanEnds = new WeakMap<Uint8Array, readonly number[]>();

interface Entry extends Scheduled {
  readonly id: number;
  written: number;
  /** Turns or weighed bytes that it has had. */
  share: number;
}
