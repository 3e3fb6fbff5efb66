import {ByteRanges} from '../byteRanges.ts';
import type {CapturedChunk, CapturedLoad, CapturedPacket} from '../capturedLoad.ts';

/** Data that were lost at least once, as the capture shows. */
export interface LostData {
  /** Index of the connection among the connections that carried requests. */
  readonly connection: number;
  readonly direction: 'down' | 'up';
  readonly stream: number;
  /** Offset of the data in the stream. */
  readonly first: number;
  readonly bytes: number;
  /** Whether this is the first packet of a handshake (a SYN), which has no data. */
  readonly isSetUp: boolean;
  /** The exchange that most of the data belong to. Null for handshakes. */
  readonly exchange: number | null;
  /** Offset of the data in all data of this exchange and direction. 0 without an exchange. */
  readonly offset: number;
  /** How many copies of the data the capture shows to be lost. On the way down, more of them may have been lost. */
  readonly copies: number;
  /**
   * When the loss began to show. On the way down: later data arrived, or a silence began. On the way up: the data were
   * sent for the first time.
   */
  readonly seenNs: number;
  /** When the data arrived (on the way down) or were last sent again (on the way up). */
  readonly repairedNs: number;
}

/**
 * Finds the data that were lost, in the order in which the losses began to show. A loss on the way down usually leaves
 * a gap: later data arrive first, and the gap is filled only after {@link OVERTAKEN} times the RTT. If it is filled
 * sooner, the missing data were not lost, but overtaken. If nothing followed the lost data, there is a silence instead
 * of a gap ({@link Silences}). A loss on the way up shows when the client sends the data or the SYN again, unless an
 * earlier packet with these data is known to have arrived. Connections without requests are left out. Chromium opens
 * such connections: if a connection is not ready after 250 ms, Chromium opens a second one and uses the one that is
 * ready first. The twin, which is the computed load that is fitted to this capture, does not always have the same
 * connections as the capture.
 * @param thinkNs the think time of the server, ns
 */
export function lostData(
  load: Pick<CapturedLoad, 'packets' | 'exchanges'>,
  rttNs: number,
  thinkNs: number,
): readonly LostData[] {
  const streams = new Map<string, Stream>();
  const lost: Omit<LostData, 'offset'>[] = [];
  const silences = new Silences(load, rttNs * SILENT_RTTS + thinkNs + SLACK_NS);
  const opened = new Map<number, number>();
  for (const packet of load.packets) {
    const {connection, direction, atNs} = packet;
    if (direction === 'up' && packet.kind === 'setUp' && packet.chunks.length === 0) {
      const sentNs = opened.get(connection);
      if (sentNs !== undefined && atNs - sentNs > REPEATED_NS)
        lost.push({connection, direction, ...NO_DATA, copies: 1, seenNs: sentNs, repairedNs: atNs});
      opened.set(connection, sentNs ?? atNs);
    } else if (direction === 'down') opened.delete(connection);
    const silentSinceNs = silences.add(packet);
    for (const chunk of packet.chunks) {
      const key = keyOf({connection, direction, stream: chunk.stream});
      const stream = streams.get(key) ?? new Stream();
      streams.set(key, stream);
      const isNeedless = direction === 'up' && stream.hasArrived(chunk);
      const found = stream.add(chunk, packet);
      const sinceNs = seenSince(found, direction, silentSinceNs, stream.firstNs(chunk.first) ?? atNs);
      const leastNs = direction === 'up' || sinceNs === silentSinceNs ? 0 : rttNs * OVERTAKEN;
      if (isNeedless || sinceNs === undefined || atNs - sinceNs <= leastNs) continue;
      const {first, bytes} = chunk;
      const [most] = chunk.pieces.toSorted((a, b) => b.bytes - a.bytes);
      const place = {stream: chunk.stream, first, bytes, isSetUp: false, exchange: most?.exchange ?? null, copies: 1};
      lost.push({connection, direction, ...place, seenNs: sinceNs, repairedNs: atNs});
    }
  }
  const used = new Set(load.exchanges.map(each => each.connection));
  const opening = [...used].filter(connection => connection !== null).toSorted((a, b) => a - b);
  return merged(lost)
    .filter(each => used.has(each.connection))
    .map(each => ({...each, offset: streams.get(keyOf(each))?.bytesBefore(each.exchange, each.first) ?? 0}))
    .map(each => ({...each, connection: opening.indexOf(each.connection)}))
    .toSorted((a, b) => a.seenNs - b.seenNs);
}

/** Returns since when a chunk was missing, as far as the client sees it. Undefined if the chunk was not missing. */
function seenSince(
  found: ReturnType<Stream['add']>,
  direction: 'down' | 'up',
  silentSinceNs: number | undefined,
  firstNs: number,
): number | undefined {
  if (direction === 'up') return found === 'again' ? firstNs : undefined;
  if (typeof found === 'object') return found.sinceNs;
  return found === 'new' ? silentSinceNs : undefined;
}

const NO_DATA = {stream: 0, first: 0, bytes: 0, isSetUp: true, exchange: null} as const;
/** A SYN is a repetition if it is sent more than this time after the first SYN. */
const REPEATED_NS = 50e6;
/**
 * A silence is longer than the think time of the server, plus this many RTTs, plus {@link SLACK_NS} for delayed
 * acknowledgements.
 */
const SILENT_RTTS = 1.5;
const SLACK_NS = 50e6;

/**
 * Finds silences: times in which a connection awaits a response but receives nothing, while the link is mostly idle.
 */
class Silences {
  readonly #leastNs: number;
  readonly #awaited = new Map<number, readonly {readonly fromNs: number; readonly untilNs: number}[]>();
  /** When each connection last received or sent data. */
  readonly #lastNs = new Map<number, number>();
  /** The times at which packets of any connection arrived. */
  readonly #arrivals: number[] = [];

  constructor({exchanges}: Pick<CapturedLoad, 'exchanges'>, leastNs: number) {
    this.#leastNs = leastNs;
    for (const {connection, requestNs, completeNs} of exchanges) {
      if (connection === null) continue;
      const span = {fromNs: requestNs, untilNs: completeNs ?? Number.POSITIVE_INFINITY};
      this.#awaited.set(connection, [...(this.#awaited.get(connection) ?? []), span]);
    }
  }

  /** Adds a packet. If it ends a silence of its connection, returns when the silence began. */
  add({connection, direction, atNs, chunks}: CapturedPacket): number | undefined {
    const sinceNs = this.#lastNs.get(connection);
    if (chunks.length > 0) this.#lastNs.set(connection, atNs);
    if (direction === 'up') return undefined;
    const isLong = chunks.length > 0 && sinceNs !== undefined && atNs - sinceNs > this.#leastNs;
    const isSilent = isLong && this.#isAwaited(connection, sinceNs, atNs) && this.#isIdle(sinceNs, atNs);
    this.#arrivals.push(atNs);
    return isSilent ? sinceNs : undefined;
  }

  #isAwaited(connection: number, fromNs: number, untilNs: number): boolean {
    const spans = this.#awaited.get(connection) ?? [];
    return spans.some(span => span.fromNs <= fromNs && span.untilNs >= untilNs);
  }

  /** Whether pauses in which no packet arrived on any connection fill more than half of the time. */
  #isIdle(fromNs: number, untilNs: number): boolean {
    let [idleNs, beforeNs] = [0, untilNs];
    for (let i = this.#arrivals.length - 1; i >= 0 && beforeNs > fromNs; i--) {
      const atNs = Math.max(fromNs, this.#arrivals[i] ?? 0);
      if (beforeNs - atNs > PAUSE_NS) idleNs += beforeNs - atNs;
      beforeNs = atNs;
    }
    if (beforeNs > fromNs) idleNs += beforeNs - fromNs; // nothing had arrived yet
    return idleNs > (untilNs - fromNs) / 2;
  }
}

/** The longest pause between packets on a busy link. */
const PAUSE_NS = 20e6;

function keyOf({connection, direction, stream}: Pick<LostData, 'connection' | 'direction' | 'stream'>): string {
  return `${direction}/${connection}/${stream}`;
}

/** Data that fill a gap within this share of the RTT were overtaken, not lost. */
const OVERTAKEN = 0.4;

/** The data of one stream in one direction that were seen so far. */
class Stream {
  #end = 0;
  /** Ranges that later data have skipped, and when these later data arrived. */
  #gaps: readonly {readonly from: number; readonly to: number; readonly sinceNs: number}[] = [];
  readonly #sentNs = new Map<number, number>();
  /** The ranges of packets that are known to have arrived. */
  readonly #arrived = new ByteRanges();
  /** The pieces of all chunks that brought new data, with their positions in the stream. */
  readonly #pieces: {readonly place: number; readonly exchange: number; readonly bytes: number}[] = [];

  /**
   * Adds a chunk. Returns `new` if its data begin at or after the end of all earlier data, the gap if they fill at
   * least a part of one, and `again` otherwise.
   */
  add(
    {first, bytes, pieces}: CapturedChunk,
    {atNs, fate}: CapturedPacket,
  ): 'new' | 'again' | {readonly sinceNs: number} {
    const end = first + bytes;
    if (fate === 'delivered') this.#arrived.add(first, end);
    if (!this.#sentNs.has(first)) this.#sentNs.set(first, atNs);
    const gap = this.#gaps.find(({from, to}) => from < end && first < to);
    if (first < this.#end && gap === undefined) return 'again';
    let place = first;
    for (const piece of pieces) {
      this.#pieces.push({...piece, place});
      place += piece.bytes;
    }
    if (gap === undefined) {
      if (first > this.#end) this.#gaps = [...this.#gaps, {from: this.#end, to: first, sinceNs: atNs}];
      this.#end = end;
      return 'new';
    }
    this.#gaps = this.#gaps.flatMap(each =>
      each.from >= end || first >= each.to
        ? [each]
        : [...(each.from < first ? [{...each, to: first}] : []), ...(end < each.to ? [{...each, from: end}] : [])],
    );
    this.#end = Math.max(this.#end, end);
    return gap;
  }

  /** Whether all data of a chunk are known to have arrived. */
  hasArrived({first, bytes}: CapturedChunk): boolean {
    return this.#arrived.covers(first, first + bytes);
  }

  firstNs(first: number): number | undefined {
    return this.#sentNs.get(first);
  }

  /** Returns how many bytes there are in those pieces of an exchange that begin before a position in the stream. */
  bytesBefore(exchange: number | null, before: number): number {
    return this.#pieces.reduce(
      (sum, {place, exchange: own, bytes}) => sum + (own === exchange && place < before ? bytes : 0),
      0,
    );
  }
}

/** The losses of one direction. */
export function lostOn(lost: readonly LostData[], direction: LostData['direction']): readonly LostData[] {
  return lost.filter(each => each.direction === direction);
}

/** Joins the losses of copies of the same data. */
function merged(lost: readonly Omit<LostData, 'offset'>[]): readonly Omit<LostData, 'offset'>[] {
  const kept = new Map<string, Omit<LostData, 'offset'>>();
  for (const each of lost) {
    // a SYN and the first data of a connection have the same position
    const key = `${keyOf(each)}/${each.first}/${each.isSetUp}`;
    const known = kept.get(key);
    if (known === undefined) kept.set(key, each);
    else kept.set(key, {...known, copies: known.copies + 1, repairedNs: Math.max(known.repairedNs, each.repairedNs)});
  }
  return [...kept.values()];
}
