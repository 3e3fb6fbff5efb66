import {type Frame, readFrame} from '../http/datagrams/datagramFrame.ts';
import {readDatagramRequest} from '../http/datagrams/datagramRequest.ts';
import {originOf} from '../page/url.ts';
import type {CaptureCrypto, CapturedChunk, CapturedExchange} from './capturedLoad.ts';
import {frameExchange} from './frameExchange.ts';
import {type Answer, firstNumbers, RequestNumbers} from './frameNumbers.ts';
import type {ArrivedFrame, FramePipe, SentRequest} from './framePipe.ts';
import {type KnownArrival, type KnownFate, knownArrival, knownFate} from './knownFate.ts';
import {type ConnectionPart, type PartPacket, renumbered, type UdpDatagram} from './recordedPacket.ts';

/** A TCP connection of a load over bare datagrams. */
export interface LoadPipe {
  readonly part: ConnectionPart;
  readonly pipe: FramePipe;
  /**
   * Whether the client opened the connection. The other connections were opened by the adapter of paper C03 (§5), a
   * host that fetches the page over TCP and forwards it in datagrams (`wiredStage.ts`).
   */
  readonly isClients: boolean;
}

/** What was read from the datagrams, or from one TCP connection, of a load over bare datagrams. */
export interface FramesPart extends ConnectionPart {
  /** `catp` if the load has TCP connections or frames that only this pipeline sends. */
  readonly pipeline: 'udp' | 'catp';
}

/** Whether a datagram is a request or a frame of HTTP in bare datagrams (`datagramFrame.ts`). */
export function isOfFrames({direction, payload}: UdpDatagram): boolean {
  if (direction === 'down') return readFrame(payload) !== undefined;
  return payload[0] === LETTER_G && readDatagramRequest(payload) !== undefined;
}

/**
 * Reads HTTP in bare datagrams (paper C03, §4) in a capture of this program. Such a capture records each packet at its
 * sender. The first part of the result is that of the datagrams. The parts of the TCP connections follow. The chunks of
 * all parts refer to the exchanges of the first part.
 */
export function readFramesParts(
  datagrams: readonly UdpDatagram[],
  pipes: readonly LoadPipe[],
  crypto: CaptureCrypto,
): readonly [FramesPart, ...FramesPart[]] {
  const rows = datagrams.map(rowOf);
  const own = pipes.filter(({isClients}) => isClients);
  const reliable = own.flatMap(({pipe}) => pipe.requests);
  const overUdp = rows.flatMap(({asked, bytes, atNs}) => (asked === undefined ? [] : [{asked, bytes, sentNs: atNs}]));
  const requests = [...reliable, ...overUdp].sort((a, b) => a.sentNs - b.sentNs);
  const arrived = rows.filter(({hasArrived}) => hasArrived);
  const isTimed = arrived.every(({arrival}) => arrival !== undefined);
  const frames = [
    ...own.flatMap(({pipe}) => pipe.frames),
    ...arrived.flatMap(({frame, atNs, arrival}): readonly ArrivedFrame[] =>
      frame === undefined ? [] : [{frame, sentNs: atNs, readNs: arrival?.firstNs ?? null}],
    ),
  ];
  const {exchanges, numbers, isCached} = readExchanges(requests, frames, crypto);
  const [firstPacket] = datagrams;
  const beginNs = firstPacket?.packet.atNs ?? null;
  const origin = originOf(exchanges[0]?.url ?? '') ?? null;
  const all = [...rows.map(({frame}) => frame), ...pipes.flatMap(({pipe}) => pipe.frames.map(({frame}) => frame))];
  const isSplit = pipes.length > 0 || all.some(frame => frame?.continues || (frame?.abstractFrames ?? 0) > 0);
  const pipeline = isSplit ? 'catp' : 'udp';
  const first: FramesPart = {
    // datagrams need no handshake
    connection: {origin, hasTls: false, openNs: beginNs, connectedNs: beginNs, tlsNs: null, streams: 1},
    exchanges,
    packets: packetsOf(rows, chunksOf(rows, reliable, numbers)),
    notes: [...(isTimed ? [] : [TIMES_NOTE]), ...(isCached ? [CACHED_NOTE] : [])],
    pipeline,
  };
  const others = pipes.map(({part, isClients}): FramesPart => {
    const packets = part.packets.map(packet => {
      // bytes of an adapter's requests belong to no exchange
      const isCounted = isClients || packet.direction === 'down';
      const chunks = renumbered(packet, request => (isCounted ? numbers.get(request) : undefined));
      return {...packet, chunks};
    });
    return {...part, connection: {...part.connection, origin}, packets, exchangesOf: first, pipeline};
  });
  return [first, ...others];
}

interface Row {
  readonly datagram: UdpDatagram;
  readonly atNs: number;
  /** Undefined if the capture does not state the fate of the datagram. */
  readonly fate: KnownFate | undefined;
  /** Whether the datagram arrived, and the file has all of it. */
  readonly hasArrived: boolean;
  /** Undefined if the capture does not say when the datagram arrived. */
  readonly arrival: KnownArrival | undefined;
  /** What the file has of the payload of the datagram. */
  readonly bytes: Uint8Array;
  /** Size of this payload on the wire. */
  readonly size: number;
  readonly asked: SentRequest['asked'] | undefined;
  readonly frame: Frame | undefined;
}

function rowOf(datagram: UdpDatagram): Row {
  const {direction, packet, payload} = datagram;
  const isWhole = packet.data.length >= packet.bytes;
  const fate = knownFate(packet);
  return {
    datagram,
    atNs: packet.atNs,
    fate,
    arrival: knownArrival(packet),
    hasArrived: isWhole && fate?.fate === 'delivered',
    bytes: payload,
    size: payload.length + Math.max(packet.bytes - packet.data.length, 0),
    asked: direction === 'up' && isWhole ? readDatagramRequest(payload) : undefined,
    frame: direction === 'down' ? readFrame(payload) : undefined,
  };
}

/**
 * Reads the exchanges in the order of the numbers of their requests. `numbers` maps these numbers to indices of
 * exchanges.
 */
function readExchanges(requests: readonly SentRequest[], frames: readonly ArrivedFrame[], crypto: CaptureCrypto) {
  const asked = new Map<number, SentRequest>();
  for (const request of requests) {
    if (!asked.has(request.asked.request)) asked.set(request.asked.request, request);
  }
  const answers = new Map<number, ArrivedFrame[]>();
  for (const each of frames) {
    const list = answers.get(each.frame.request) ?? [];
    answers.set(each.frame.request, list);
    list.push(each);
  }
  const exchanges: CapturedExchange[] = [];
  const numbers = new Map<number, number>();
  let isCached = false;
  for (const [number, request] of [...asked].sort(([a], [b]) => a - b)) {
    const read = frameExchange(request, answers.get(number) ?? [], crypto);
    if (read === undefined) continue;
    numbers.set(number, exchanges.push(read.exchange) - 1);
    isCached ||= read.isCached;
  }
  return {exchanges, numbers, isCached};
}

/**
 * Returns the data of each datagram, with the number that its sender gives it: the client numbers requests, and the
 * server numbers frames.
 */
function chunksOf(
  rows: readonly Row[],
  reliable: readonly SentRequest[],
  exchanges: ReadonlyMap<number, number>,
): readonly CapturedChunk[] {
  const requests = requestsOf(rows);
  const first = firstNumbers(answersOf(rows, reliable));
  const messages = {up: 0, down: 0};
  const sent = new Set<string>();
  return rows.map((row): CapturedChunk => {
    const {size: bytes, datagram, asked, frame} = row;
    const message = messages[datagram.direction]++;
    const exchange = exchanges.get((asked ?? frame)?.request ?? -1);
    const chunk = {bytes, message, pieces: exchange === undefined ? [] : [{exchange, bytes}]};
    const request = requests.get(row);
    if (frame === undefined)
      return {...chunk, first: request?.number ?? message, stream: 0, retransmission: request?.isRepeat ?? false};
    const key = `${frame.request} ${frame.index}`;
    const retransmission = sent.has(key);
    sent.add(key);
    return {...chunk, first: (first.get(frame.request) ?? 0) + frame.index, stream: frame.request, retransmission};
  });
}

/** Returns the number of each request over UDP. */
function requestsOf(rows: readonly Row[]) {
  const counted = new RequestNumbers();
  const numbers = new Map<Row, ReturnType<RequestNumbers['numbersOf']>[number]>();
  const asking = rows.filter(({asked}) => asked !== undefined);
  for (let from = 0; from < asking.length; ) {
    let to = from;
    while (to < asking.length && asking[to]?.atNs === asking[from]?.atNs) to += 1;
    const together = asking.slice(from, to);
    const found = counted.numbersOf(together.flatMap(({asked}) => asked ?? []));
    for (const [i, row] of together.entries()) {
      const number = found[i];
      if (number !== undefined) numbers.set(row, number);
    }
    from = to;
  }
  return numbers;
}

function answersOf(rows: readonly Row[], reliable: readonly SentRequest[]): readonly Answer[] {
  const answers = new Map<number, {-readonly [K in keyof Answer]: Answer[K]}>();
  const answerOf = (request: number) => {
    const answer = answers.get(request) ?? {request, askedNs: Number.POSITIVE_INFINITY, askedBy: 0, frames: 0};
    answers.set(request, answer);
    return answer;
  };
  for (const {asked, sentNs} of reliable) {
    const answer = answerOf(asked.request);
    answer.askedNs = Math.min(answer.askedNs, sentNs);
  }
  for (const [place, {asked, frame, atNs, hasArrived, arrival}] of rows.entries()) {
    if (asked !== undefined && hasArrived) {
      const answer = answerOf(asked.request);
      const askedNs = arrival?.firstNs ?? atNs;
      if (askedNs < answer.askedNs) [answer.askedNs, answer.askedBy] = [askedNs, place];
    }
    if (frame === undefined) continue;
    const answer = answerOf(frame.request);
    answer.frames ||= frame.frames;
  }
  return [...answers.values()];
}

function packetsOf(rows: readonly Row[], chunks: readonly CapturedChunk[]): readonly PartPacket[] {
  return rows.map(({datagram: {packet, direction, ecn}, fate, arrival}, i): PartPacket => {
    const chunk = chunks[i];
    return {
      row: packet.row,
      connection: 0,
      direction,
      bytes: packet.bytes,
      atNs: packet.atNs,
      ...(fate ?? {fate: null}),
      ...(arrival === undefined ? {} : {arrivedNs: arrival.atNs}),
      ecn,
      kind: 'data',
      cumulativeAck: Number.NaN,
      chunks: chunk === undefined ? [] : [chunk],
    };
  });
}

const LETTER_G = 71;
const TIMES_NOTE =
  'The capture does not say when datagrams arrived, and nothing acknowledges them, so the times of responses are not known.';
const CACHED_NOTE =
  "The tags of the HTML were in the client's cache, so the capture does not have them, and the HTML cannot be shown.";
