import {readTag, TAG_BYTES} from '../http/h1/tag.ts';
import type {CaptureCrypto, CapturedExchange, CapturedPacket, SeenAt} from './capturedLoad.ts';
import {Acknowledged} from './coverage.ts';
import {fatesOf} from './fates.ts';
import {Heard, type Owner, type Span} from './heard.ts';
import {isHttp1, readHttp1} from './http1Read.ts';
import {knownFate} from './knownFate.ts';
import {distance} from './numbers.ts';
import type {ConnectionPart, PartPacket} from './recordedPacket.ts';
import type {FlowPacket, SctpFlow} from './sctpFlow.ts';
import type {SctpChunk, SctpData} from './sctpPacket.ts';

/** Reads an SCTP association with the HTTP that its streams carry (paper N07, §4). */
export function readSctpPart(flow: SctpFlow, seenAt: SeenAt, crypto: CaptureCrypto): ConnectionPart {
  const sides = {up: new Side(seenAt === 'server'), down: new Side(seenAt === 'client')};
  const rows = flow.packets.map(packet => {
    const {direction, recorded} = packet;
    const other = direction === 'up' ? sides.down : sides.up;
    const {atNs} = recorded;
    const hasArrived = knownFate(recorded)?.fate === 'delivered';
    const chunks = packet.chunks.flatMap(chunk =>
      chunk.type === 'data' ? [sides[direction].send(chunk.data, atNs, hasArrived)] : [],
    );
    let cumulativeAck = Number.NaN;
    for (const chunk of packet.chunks) {
      if (chunk.type === 'init' || chunk.type === 'initAck') sides[direction].begin(chunk.tsn);
      if (chunk.type === 'sack' || chunk.type === 'shutdown')
        cumulativeAck = other.acknowledge(chunk.tsn, chunk.type === 'sack' ? chunk.gaps : [], atNs);
    }
    return {packet, chunks, cumulativeAck};
  });
  const setUp = setUpOf(flow, seenAt);
  if (seenAt === 'both') for (const side of Object.values(sides)) side.lastDelayNs = setUp.delayNs;
  const scheme = flow.hasDtls ? 'https' : 'http';
  const {exchanges, owners} = readStreams(sides.up, sides.down, scheme, crypto);
  const fates = {up: sides.up.fates(), down: sides.down.fates()};
  const packets = rows.map(({packet, chunks, cumulativeAck}): PartPacket => {
    const {recorded, ecn, direction} = packet;
    const [first] = chunks;
    return {
      row: recorded.row,
      connection: 0,
      direction,
      bytes: recorded.bytes,
      atNs: recorded.atNs,
      ...(knownFate(recorded) ?? {fate: first === undefined ? null : (fates[direction][first.row] ?? null)}),
      ecn,
      kind: kindOf(packet.chunks),
      cumulativeAck,
      chunks: chunks.map(({first, bytes, stream, message, retransmission}) => {
        const exchange = owners[direction].get(`${stream}/${message}`);
        const pieces = exchange === undefined ? [] : [{exchange, bytes}];
        return {first, bytes, stream, message, retransmission, pieces};
      }),
    };
  });
  const origin = /^https?:\/\/[^/]+/.exec(exchanges[0]?.url ?? '')?.[0] ?? null;
  const {openNs, connectedNs, streams} = setUp;
  const connection = {origin, hasTls: flow.hasDtls, openNs, connectedNs, tlsNs: null, streams};
  return {connection, exchanges, packets, notes: []};
}

/** Finds out when the association was set up at the client, and how many streams it has. */
function setUpOf({packets, hasDtls}: SctpFlow, seenAt: SeenAt) {
  const has = ({chunks}: FlowPacket, type: SctpChunk['type']): boolean => chunks.some(chunk => chunk.type === type);
  // the handshake of DTLS precedes that of the association (RFC 8261 §6.1)
  const first = packets.find(packet => has(packet, hasDtls ? 'dtls' : 'init'));
  const accepted = packets.findIndex(packet => has(packet, 'cookieAck'));
  const after = packets.find(({direction}, i) => i > accepted && direction === 'up');
  // a client may send data in the packet with COOKIE ECHO, before COOKIE ACK arrives (RFC 9260 §5.1)
  const early = packets.find(packet => has(packet, 'cookieEcho') && has(packet, 'data'));
  const connected = early ?? (accepted < 0 ? undefined : seenAt === 'client' ? packets[accepted] : after);
  const offers = packets.findIndex(each => has(each, 'initAck') && knownFate(each.recorded)?.fate === 'delivered');
  const offered = packets[offers];
  const echoed = offered && packets.find((packet, i) => i > offers && has(packet, 'cookieEcho'));
  const counts = packets.flatMap(({chunks}) =>
    chunks.flatMap(chunk => {
      if (chunk.type === 'init') return [chunk.outStreams];
      return chunk.type === 'initAck' ? [chunk.outStreams, chunk.inStreams] : [];
    }),
  );
  return {
    openNs: first?.recorded.atNs ?? null,
    connectedNs: connected?.recorded.atNs ?? null,
    streams: counts.reduce((least, count) => Math.min(least, count), counts[0] ?? 1),
    /** The time that INIT ACK needed to reach the client, which answers it immediately. 0 if this time is not known. */
    delayNs: offered && echoed ? echoed.recorded.atNs - offered.recorded.atNs : 0,
  };
}

interface SentChunk {
  readonly first: number;
  readonly bytes: number;
  readonly stream: number;
  readonly message: number;
  readonly retransmission: boolean;
  /** Index among all chunks that the side sent. */
  readonly row: number;
}

interface Message {
  readonly number: number;
  readonly parts: Uint8Array[];
  /** When the first fragment was recorded for the first time. */
  readonly sentNs: number;
  /** The offset of each fragment's TSN: its distance from the initial TSN. */
  readonly offsets: number[];
  isWhole: boolean;
}

/** A fragment of a message. Its offset counts the bytes of all messages of the stream. */
interface MessageSpan extends Span {
  readonly message: number;
  /** Index of the fragment in its message. */
  readonly fragment: number;
}

/** What one end sent. */
class Side {
  readonly #isAtReceiver: boolean;
  #initial: number | undefined;
  /** The initial TSNs of all INITs or INIT ACKs. */
  readonly #offered: number[] = [];
  /** The offset of the next new TSN. Offsets of TSNs count from the initial TSN. */
  #next = 0;
  readonly #ranges: {first: number; end: number; atNs: number}[] = [];
  /** For each TSN, when the first copy that arrived was sent. Empty if the capture does not say what arrived. */
  readonly #arrived = new Map<number, number>();
  /**
   * The time that the handshake's INIT ACK needed to arrive. It is defined only for this program's own captures. They
   * end when the page is complete, so the last acknowledgements may be missing. If data arrived and their
   * acknowledgement is missing, they count as arrived this long after they were sent, but not before the last
   * acknowledgement.
   */
  lastDelayNs: number | undefined;
  readonly #acknowledged = new Acknowledged();
  /** For each TSN, the number of its message, and when it was recorded for the first time. */
  readonly #sent = new Map<number, {readonly message: number; readonly atNs: number}>();
  /**
   * For each stream, its messages in order of time, and those that are not complete. After a reset of the stream, the
   * numbers of messages on the wire begin again at 0: `newest` is the largest number since the last reset, and `before`
   * is how many numbers were used before this reset.
   */
  readonly streams = new Map<
    number,
    {messages: Message[]; before: number; newest: number; open: Map<number, Message>}
  >();

  constructor(isAtReceiver: boolean) {
    this.#isAtReceiver = isAtReceiver;
  }

  /**
   * Notes an initial TSN. Each INIT ACK of a server offers another one, and the client answers only one INIT ACK (RFC
   * 9260 §5.2.3), so only the server's first data show which initial TSN it uses.
   */
  begin(tsn: number): void {
    if (this.#sent.size > 0 || this.#offered.length === MOST_OFFERS) return;
    this.#offered.push(tsn);
    this.#initial = tsn;
  }

  send(data: SctpData, atNs: number, hasArrived: boolean): SentChunk {
    const initial = this.#sent.size === 0 || this.#initial === undefined ? this.#nearest(data.tsn) : this.#initial;
    this.#initial = initial;
    const first = this.#next + distance(initial + this.#next, data.tsn);
    const row = this.#ranges.push({first, end: first + 1, atNs}) - 1;
    const known = this.#sent.get(first);
    if (hasArrived && !this.#arrived.has(first)) this.#arrived.set(first, atNs);
    // where packets were recorded at the receiver, a lost chunk is seen for the first time when it is sent again
    const retransmission = known !== undefined || first < this.#next;
    const message = known?.message ?? this.#add(data, first, atNs);
    if (known === undefined) this.#sent.set(first, {message, atNs});
    this.#next = Math.max(this.#next, first + 1);
    return {first, bytes: data.size, stream: data.stream, message, retransmission, row};
  }

  /** Returns how many chunks are acknowledged in order. NaN if the initial TSN is not known. */
  acknowledge(tsn: number, gaps: readonly (readonly [number, number])[], atNs: number): number {
    if (this.#initial === undefined) return Number.NaN;
    const count = this.#next + distance(this.#initial + this.#next, tsn) + 1;
    const ranges = gaps.map(([first, last]) => [count - 1 + first, count + last] as const);
    this.#acknowledged.add(count, ranges, atNs);
    return count;
  }

  /** Returns the offered initial TSN that is nearest to the TSN of the first data, or this TSN if none was offered. */
  #nearest(tsn: number): number {
    const [first = tsn, ...others] = this.#offered;
    const far = (offer: number): number => Math.abs(distance(offer, tsn));
    return others.reduce((best, offer) => (far(offer) < far(best) ? offer : best), first);
  }

  fates(): readonly CapturedPacket['fate'][] {
    if (this.#isAtReceiver) return this.#ranges.map(() => 'delivered');
    return fatesOf(this.#ranges, {acknowledged: this.#acknowledged, duplicates: [], rttNs: 0});
  }

  /** Returns the fragments of a stream's messages, up to the first message that is incomplete. */
  spansOf(stream: number): readonly MessageSpan[] {
    const spans: MessageSpan[] = [];
    let at = 0;
    let readNs: number | null = 0;
    for (const {number: message, parts, sentNs, offsets, isWhole} of this.streams.get(stream)?.messages ?? []) {
      if (!isWhole) break;
      for (const offset of offsets) {
        const atNs = this.#isAtReceiver ? (this.#sent.get(offset)?.atNs ?? null) : this.#readNs(offset);
        readNs = atNs === null || readNs === null ? null : Math.max(readNs, atNs);
      }
      for (const [fragment, bytes] of parts.entries()) {
        spans.push({at, bytes, sentNs, readNs, message, fragment});
        at += bytes.length;
      }
    }
    return spans;
  }

  #readNs(offset: number): number | null {
    const sentNs = this.#arrived.get(offset);
    const ackedNs = this.#acknowledged.firstNs(offset);
    if (ackedNs !== null || sentNs === undefined || this.lastDelayNs === undefined) return ackedNs;
    return Math.max(sentNs + this.lastDelayNs, this.#acknowledged.lastNs);
  }

  /**
   * Adds new data to its message. Returns the number of the message in the stream. This number goes on after a reset.
   */
  #add({stream, message, begins, ends, fragment, bytes, size}: SctpData, first: number, atNs: number): number {
    const known = this.streams.get(stream);
    const state = known ?? {messages: [], before: 0, newest: -1, open: new Map<number, Message>()};
    if (known === undefined) this.streams.set(stream, state);
    // after a reset, a stream counts its messages from 0 again (RFC 6525 §5.2.7); it also does so after the largest
    // number
    if (begins && message === 0 && state.newest >= 0) {
      state.before += state.newest + 1;
      state.newest = -1;
    }
    state.newest = Math.max(state.newest, message);
    const number = state.before + message;
    let own = begins ? undefined : state.open.get(number);
    if (own === undefined) {
      own = {number, parts: [], sentNs: atNs, offsets: [], isWhole: false};
      state.open.set(number, own);
      state.messages.push(own);
    }
    const isInOrder =
      fragment === undefined
        ? own.offsets.length === 0 || own.offsets.at(-1) === first - 1
        : fragment === own.parts.length;
    if (isInOrder && bytes.length === size && (begins || own.parts.length > 0)) {
      own.parts.push(bytes);
      own.offsets.push(first);
      if (ends) own.isWhole = true;
    }
    if (ends) state.open.delete(number);
    return number;
  }
}

type MessageOwners = Map<string, number>;

/** Reads HTTP/1.1 on each stream. */
function readStreams(up: Side, down: Side, scheme: 'http' | 'https', crypto: CaptureCrypto) {
  const exchanges: CapturedExchange[] = [];
  const owners = {up: new Map<string, number>(), down: new Map<string, number>()} satisfies Record<
    string,
    MessageOwners
  >;
  for (const stream of up.streams.keys()) {
    for (const [asked, answered] of conversations(up.spansOf(stream), down.spansOf(stream))) {
      const [client, server] = [new Heard(asked), new Heard(answered)];
      if (!isHttp1(client.bytes)) continue;
      const read = readHttp1(client, server, {scheme, host: ''}, crypto);
      const before = exchanges.length;
      for (const exchange of read.exchanges) exchanges.push({...exchange, stream});
      note(owners.up, stream, asked, read.up, before);
      note(owners.down, stream, answered, read.down, before);
    }
  }
  return numberedByTime(exchanges, owners);
}

type Spans = readonly MessageSpan[];

/**
 * Returns what both ends said on a stream, as one or more conversations. Usually there is one. A server that sends
 * several responses at the same time puts the number of the request before each message, as a tag (app/http/h1/tag.ts).
 * Each request is then a conversation of its own. A message that is too short for a number is left out.
 */
function conversations(asked: Spans, answered: Spans): readonly (readonly [Spans, Spans])[] {
  if (!isTagged(answered)) return [[asked, answered]];
  const requests = new Map<number, MessageSpan[]>();
  for (const span of asked) spansAt(requests, span.message).push(span);
  const responses = new Map<number, MessageSpan[]>();
  let own: MessageSpan[] | undefined;
  for (const span of answered) {
    const tagged = span.fragment === 0 ? readTag(span.bytes) : undefined;
    if (span.fragment === 0) own = tagged && spansAt(responses, tagged.request);
    own?.push(tagged === undefined ? span : {...span, at: span.at + TAG_BYTES, bytes: tagged.data});
  }
  return [...requests.values()]
    .slice(0, MOST_TAGGED)
    .map((request, number) => [request, responses.get(number) ?? []] as const);
}

/** Whether the first message begins with a number and a response. The number may be a fragment of its own. */
function isTagged([first, second]: Spans): boolean {
  if (first === undefined || first.bytes[0] === LETTER_H) return false;
  const after = readTag(first.bytes)?.data;
  const isAlone = after?.length === 0 && second?.message === first.message;
  return (isAlone ? second.bytes : after)?.[0] === LETTER_H;
}

/** Returns the list for a number. Adds an empty list if there is none yet. */
function spansAt(lists: Map<number, MessageSpan[]>, number: number): MessageSpan[] {
  const list = lists.get(number) ?? [];
  lists.set(number, list);
  return list;
}

/** Notes the exchange to which the first byte of each message belongs. */
function note(into: MessageOwners, stream: number, spans: Spans, owners: readonly Owner[], before: number): void {
  let [at, next] = [0, 0];
  for (const {message, bytes} of spans) {
    while (next < owners.length && (owners[next]?.end ?? 0) <= at) next += 1;
    const exchange = owners[next]?.exchange ?? null;
    const key = `${stream}/${message}`;
    if (exchange !== null && bytes.length > 0 && !into.has(key)) into.set(key, before + exchange);
    at += bytes.length;
  }
}

/** Sorts exchanges by the times of their requests. */
function numberedByTime(
  exchanges: readonly CapturedExchange[],
  owners: {readonly up: MessageOwners; readonly down: MessageOwners},
) {
  const order = Array.from(exchanges.keys()).sort(
    (a, b) => (exchanges[a]?.requestNs ?? 0) - (exchanges[b]?.requestNs ?? 0),
  );
  const numbers = new Map(order.map((old, number) => [old, number]));
  const renumbered = (of: MessageOwners): MessageOwners =>
    new Map(Array.from(of, ([key, exchange]) => [key, numbers.get(exchange) ?? 0]));
  return {
    exchanges: order.flatMap(old => exchanges[old] ?? []),
    owners: {up: renumbered(owners.up), down: renumbered(owners.down)},
  };
}

/** Returns the kind of a packet: the first of `RANKS` that one of its chunks has, as in `chunk.rs` of netsim. */
function kindOf(chunks: readonly SctpChunk[]): CapturedPacket['kind'] {
  const kinds = new Set(chunks.map(({type}) => KINDS[type]));
  return RANKS.find(kind => kinds.has(kind)) ?? 'control';
}

const RANKS = ['data', 'abort', 'setUp', 'close', 'control', 'acknowledgement'] as const;
const KINDS: {readonly [type in SctpChunk['type']]: (typeof RANKS)[number]} = {
  data: 'data',
  dtls: 'setUp',
  init: 'setUp',
  initAck: 'setUp',
  cookieEcho: 'setUp',
  cookieAck: 'setUp',
  sack: 'acknowledgement',
  shutdown: 'close',
  close: 'close',
  abort: 'abort',
  other: 'control',
};
const LETTER_H = 72;
/** The most initial TSNs that are kept of an end. Packets of a handshake are repeated eight times (RFC 9260 §16). */
const MOST_OFFERS = 100;
/** The most requests that are read of a stream whose messages have tags. */
const MOST_TAGGED = 1000;
