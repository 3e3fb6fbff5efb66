import type {WriteLog} from '../pipelines/writeLog.ts';
import type {CaptureCrypto, CapturedConnection, CapturedPacket, SeenAt} from './capturedLoad.ts';
import {Acknowledged, type Range} from './coverage.ts';
import {fatesOf} from './fates.ts';
import {type FramePipe, isFramePipe, readFramePipe} from './framePipe.ts';
import {Heard, type Span} from './heard.ts';
import {isHttp1, readHttp1} from './http1Read.ts';
import {isHttp2, readHttp2} from './http2Read.ts';
import type {HttpRead} from './httpRead.ts';
import type {KeyLog} from './keyLog.ts';
import {knownFate} from './knownFate.ts';
import type {ConnectionPart, PartPacket} from './recordedPacket.ts';
import {SentData, type SentPiece} from './sentData.ts';
import type {FlowSegment, TcpFlow} from './tcpFlow.ts';
import type {TcpSegment} from './tcpSegment.ts';
import {isTls, openTls, type TlsProblem, type TlsSession} from './tlsSession.ts';
import {handshakeGaps} from './vantage.ts';

/** A TCP connection and what could not be read of it. */
export interface TcpPart extends ConnectionPart {
  /** The protocol of the application. Null if it is neither of these two, or if it cannot be read. */
  readonly http: 'http/1.1' | 'h2' | null;
  /** Why data under TLS could not be read: see {@link TlsSession.problem}. Undefined without TLS. */
  readonly problem: TlsProblem | undefined;
  /** Whether the capture lacks data in the middle of the connection. */
  readonly hasGap: boolean;
  /**
   * Whether the capture begins in the middle of the connection. Earlier messages are then missing, or none can be read.
   */
  readonly lacksBeginning: boolean;
  /** How many packets are larger than the connection allows. */
  readonly largePackets: number;
  /**
   * The requests and frames of the pipeline `catp`, if the connection carries them (`framePipe.ts`). The `exchange` of
   * a piece in {@link TcpPart.packets} is then the number of a request, as these messages state it.
   */
  readonly pipe: FramePipe | undefined;
}

/** Reads a TCP connection with the HTTP that it carries. */
export function readTcpPart(flow: TcpFlow, seenAt: SeenAt, keys: KeyLog, crypto: CaptureCrypto): TcpPart {
  const ends = {up: endOf(flow, 'up', seenAt), down: endOf(flow, 'down', seenAt)};
  const tls = isTls(ends.up.sent.bytes) ? openTls(ends.up.sent.bytes, ends.down.sent.bytes, keys, crypto) : undefined;
  const heard = {
    up: heardOf(ends.up, tls, 'up'),
    down: heardOf(ends.down, tls, 'down'),
  };
  const port = serverPort(flow);
  const host = tls?.serverName ? tls.serverName + (port === 443 ? '' : `:${port}`) : serverAddress(flow);
  const place = {scheme: tls === undefined ? 'http' : 'https', host} as const;
  const http = isHttp2(heard.up.bytes) ? 'h2' : isHttp1(heard.up.bytes) ? 'http/1.1' : null;
  const pipe = http === null && isFramePipe(heard.up.bytes) ? readFramePipe(heard.up, heard.down) : undefined;
  const read =
    http === null
      ? {...NOTHING, ...(pipe && {up: pipe.up, down: pipe.down})}
      : (http === 'h2' ? readHttp2 : readHttp1)(heard.up, heard.down, place, crypto);
  const logs = {up: heard.up.logOf(read.up), down: heard.down.logOf(read.down)};
  const most = flow.mss ?? USUAL_MSS;
  return {
    connection: connectionOf(flow, seenAt, tls, ends.up.sent, read),
    exchanges: read.exchanges,
    packets: packetsOf(flow, seenAt, ends, logs),
    notes: read.notes,
    http,
    problem: tls?.problem,
    hasGap: ends.up.sent.hasGap || ends.down.sent.hasGap,
    // the handshake of TLS and the preface of HTTP/2 are the first data of a connection
    lacksBeginning: tls === undefined && http !== 'h2' && isLate(flow),
    largePackets: flow.segments.filter(({segment}) => segment.bytes > most).length,
    pipe,
  };
}

/** Whether a capture has data of a connection, but not its handshake. */
function isLate({segments}: TcpFlow): boolean {
  return segments.some(({segment}) => segment.bytes > 0) && !segments.some(({segment}) => segment.isSyn);
}

const NOTHING: HttpRead = {exchanges: [], up: [], down: [], notes: []};

/** One end of a connection. */
interface End {
  readonly sent: SentData;
  /** What the other end acknowledged. */
  readonly acknowledged: Acknowledged;
  /** What the other end reported as received twice, in order of time. */
  readonly duplicates: readonly Range[];
  /**
   * Returns when the application at the other end could read all data before this offset, or null if the capture does
   * not show it.
   */
  readonly readNs: (end: number) => number | null;
  /**
   * When the application at the other end could read that this end sends no more. Null if the capture does not show it,
   * and undefined if the capture has no FIN at the end of the data.
   */
  readonly endNs: number | null | undefined;
}

function endOf(flow: TcpFlow, direction: 'down' | 'up', seenAt: SeenAt): End {
  const {segments} = flow;
  const own = segments.filter(each => each.direction === direction && each.segment.bytes > 0);
  const sent = new SentData(own.map(pieceOf));
  const acknowledged = new Acknowledged();
  const duplicates: Range[] = [];
  for (const each of segments) {
    const {segment, direction: from, acknowledged: until, sacks} = each;
    if (from === direction || !(until >= 0)) continue;
    acknowledged.add(until, sacks, timeOf(segment), segment.stamps?.echo);
    duplicates.push(...duplicateOf(each));
  }
  // Where a packet was recorded at its sender, only the acknowledgement shows that it has arrived.
  const isAtReceiver = seenAt === (direction === 'down' ? 'client' : 'server');
  const {length} = sent.bytes;
  const fin = segments.find(
    ({segment, direction: from, first}) => from === direction && segment.isFin && first + segment.bytes === length,
  );
  const ackedNs = acknowledged.inOrderNs(length + 1); // a FIN takes a sequence number (RFC 9293 §3.4)
  const endNs = fin && (isAtReceiver ? Math.max(timeOf(fin.segment), sent.inOrderNs(length)) : ackedNs);
  const known = {sent, acknowledged, duplicates, endNs};
  if (isAtReceiver) return {...known, readNs: end => sent.inOrderNs(end)};
  if (seenAt !== 'both') return {...known, readNs: end => acknowledged.inOrderNs(end)};
  // this program's own captures end when the page is complete, and the last acknowledgements may be missing
  const arrived = new SentData(
    own.filter(({segment}) => knownFate(segment.ip.recorded)?.fate === 'delivered').map(pieceOf),
  );
  const {answerNs, acknowledgementNs} = handshakeGaps(flow);
  const delayNs = (direction === 'up' ? answerNs : acknowledgementNs) || 0;
  const arrivedNs = (end: number): number | null =>
    end > arrived.bytes.length ? null : Math.max(arrived.inOrderNs(end) + delayNs, acknowledged.lastNs);
  return {...known, readNs: end => acknowledged.inOrderNs(end) ?? arrivedNs(end)};
}

/**
 * Returns the range that a segment reports as received twice, if it does: the first block of its selective
 * acknowledgement, if it is below the cumulative acknowledgement or within the second block (RFC 2883 §4).
 */
function duplicateOf({segment, acknowledged, sacks: [range, second]}: FlowSegment): readonly Range[] {
  if (range === undefined) return [];
  const [first, end] = range;
  const isWithin = second !== undefined && second[0] <= first && end <= second[1];
  return end > first && (end <= acknowledged || isWithin) ? [{first, end, atNs: timeOf(segment)}] : [];
}

function pieceOf({first, segment}: FlowSegment): SentPiece {
  return {first, data: segment.data.subarray(0, segment.bytes), atNs: timeOf(segment)};
}

/** Returns what the application of the other end heard: the content of TLS, or the stream itself. */
function heardOf(
  {sent, acknowledged, readNs, endNs}: End,
  tls: TlsSession | undefined,
  direction: 'down' | 'up',
): Heard {
  if (tls === undefined) {
    const edges = acknowledged.ends.filter(edge => edge > 0 && edge < sent.bytes.length);
    const ends = [...new Set([...sent.ends, ...edges])].sort((a, b) => a - b);
    const spans = ends.map((end, i): Span => {
      const at = ends[i - 1] ?? 0;
      return {at, bytes: sent.bytes.subarray(at, end), sentNs: sent.recordedNs(at), readNs: readNs(end)};
    });
    return new Heard(spans, endNs);
  }
  const spans = tls[direction].map(({from, to, content}): Span => {
    return {at: from + TLS_HEADER_BYTES, bytes: content, sentNs: sent.recordedNs(from), readNs: readNs(to)};
  });
  return new Heard(spans, tls.problem === undefined ? endNs : undefined);
}

function connectionOf(
  flow: TcpFlow,
  seenAt: SeenAt,
  tls: TlsSession | undefined,
  up: SentData,
  {exchanges}: HttpRead,
): CapturedConnection {
  const {segments} = flow;
  const syn = segments.find(({segment, direction}) => segment.isSyn && direction === 'up');
  const answered = segments.findIndex(({segment, direction}) => segment.isSyn && direction === 'down');
  const acknowledged = segments.find(
    ({segment, direction}, i) => i > answered && direction === 'up' && segment.acknowledgment !== undefined,
  );
  // if the capture was not made at the client, only the client's acknowledgement shows when the SYN/ACK arrived
  const connected = answered < 0 ? undefined : seenAt === 'client' ? segments[answered] : acknowledged;
  const readyAt = tls?.clientReadyAt;
  const [first] = exchanges;
  const port = serverPort(flow);
  const byName = tls?.serverName ? `https://${tls.serverName}${port === 443 ? '' : `:${port}`}` : null;
  return {
    origin: byName ?? /^https?:\/\/[^/]+/.exec(first?.url ?? '')?.[0] ?? null,
    hasTls: tls !== undefined,
    openNs: syn === undefined ? null : timeOf(syn.segment),
    connectedNs: connected === undefined ? null : timeOf(connected.segment),
    tlsNs: readyAt === undefined ? null : up.recordedNs(readyAt),
    streams: 1,
  };
}

function packetsOf(
  flow: TcpFlow,
  seenAt: SeenAt,
  ends: {readonly up: End; readonly down: End},
  logs: {readonly up: WriteLog; readonly down: WriteLog},
): readonly PartPacket[] {
  const fates = {up: fatesIn(flow, 'up', seenAt, ends.up), down: fatesIn(flow, 'down', seenAt, ends.down)};
  const repeats = new Map([...repeatsIn(flow, 'up', seenAt), ...repeatsIn(flow, 'down', seenAt)]);
  return flow.segments.map((each): PartPacket => {
    const {segment, direction, first} = each;
    const {ip, bytes} = segment;
    const chunk = {first, bytes, stream: 0, message: 0};
    return {
      row: ip.recorded.row,
      connection: 0,
      direction,
      bytes: ip.recorded.bytes,
      atNs: timeOf(segment),
      ...(knownFate(ip.recorded) ?? {fate: fates[direction].get(each) ?? null}),
      ecn: ip.ecn,
      kind: kindOf(segment),
      cumulativeAck: each.acknowledged,
      ...sackedTo(each, seenAt),
      chunks:
        bytes === 0
          ? []
          : [
              {
                ...chunk,
                retransmission: repeats.get(each) ?? false,
                pieces: logs[direction].piecesOf(chunk).map(piece => ({exchange: piece.object, bytes: piece.bytes})),
              },
            ],
    };
  });
}

/** Returns {@link CapturedPacket.sackedTo}. Ranges below the cumulative acknowledgement arrived twice (RFC 2883 §4). */
function sackedTo({acknowledged, sacks}: FlowSegment, seenAt: SeenAt): Pick<CapturedPacket, 'sackedTo'> {
  const ends = seenAt === 'both' ? [] : sacks.flatMap(([from, to]) => (from > acknowledged ? [to] : []));
  return ends.length === 0 ? {} : {sackedTo: Math.max(...ends)};
}

function kindOf({isReset, isSyn, isFin, bytes}: FlowSegment['segment']): CapturedPacket['kind'] {
  if (isReset) return 'abort';
  if (isSyn) return 'setUp';
  if (bytes > 0) return 'data';
  return isFin ? 'close' : 'acknowledgement';
}

type Fates = ReadonlyMap<FlowSegment, CapturedPacket['fate']>;

function fatesIn(flow: TcpFlow, direction: 'down' | 'up', seenAt: SeenAt, {acknowledged, duplicates}: End): Fates {
  const own = flow.segments.filter(each => each.direction === direction);
  const isAtReceiver = seenAt === (direction === 'down' ? 'client' : 'server');
  if (isAtReceiver) return new Map(own.map(each => [each, 'delivered']));
  const taking = own.filter(({segment}) => lengthOf(segment) > 0 && !segment.isReset);
  const ranges = taking.map(({first, segment}) => {
    return {first, end: first + lengthOf(segment), atNs: timeOf(segment), stamp: segment.stamps?.own};
  });
  const {answerNs, acknowledgementNs} = handshakeGaps(flow);
  const rttNs = (direction === 'up' ? answerNs : acknowledgementNs) || 0;
  const fates = fatesOf(ranges, {acknowledged, duplicates, rttNs});
  return new Map(taking.map((each, i) => [each, fates[i] ?? null]));
}

/** How many sequence numbers a segment takes (RFC 9293 §3.4). */
function lengthOf({bytes, isSyn, isFin}: FlowSegment['segment']): number {
  return bytes + (isSyn ? 1 : 0) + (isFin ? 1 : 0);
}

/**
 * Returns for each segment with data whether its data were sent before. If segments were recorded at the receiver and
 * one fills a gap, either its data were sent again, or later segments overtook it ({@link overtook}).
 */
function repeatsIn(flow: TcpFlow, direction: 'down' | 'up', seenAt: SeenAt): ReadonlyMap<FlowSegment, boolean> {
  const isAtReceiver = seenAt === (direction === 'down' ? 'client' : 'server');
  const {answerNs, acknowledgementNs} = handshakeGaps(flow);
  const rttNs = (direction === 'down' ? answerNs : acknowledgementNs) || 0;
  const repeats = new Map<FlowSegment, boolean>();
  const gaps: Gap[] = [];
  let highest = 0;
  for (const each of flow.segments) {
    const {first, segment} = each;
    // a segment without data also shows how much has been sent before it
    if (each.direction !== direction || segment.isReset) continue;
    const end = first + segment.bytes;
    if (first >= highest) {
      if (segment.bytes > 0) repeats.set(each, false);
      if (first > highest) gaps.push({from: highest, to: first, after: segment});
    } else if (segment.bytes > 0) {
      const gap = isAtReceiver ? gaps.find(({from, to}) => from <= first && end <= to) : undefined;
      repeats.set(each, gap === undefined || !overtook(gap.after, segment, rttNs));
      if (gap !== undefined) {
        const rest = [
          {...gap, to: first},
          {...gap, from: end},
        ].filter(({from, to}) => to > from);
        gaps.splice(gaps.indexOf(gap), 1, ...rest);
      }
    }
    if (gaps.length > MOST_GAPS) gaps.shift();
    highest = Math.max(highest, end);
  }
  return repeats;
}

interface Gap {
  readonly from: number;
  readonly to: number;
  /** The first segment after the gap. */
  readonly after: TcpSegment;
}

/**
 * Whether the segment that arrived first was sent second. Most senders number their packets in the identification of
 * IPv4. Without these numbers, the answer is yes if less than a quarter of the RTT lies between both arrivals, which is
 * RACK's limit (RFC 8985 §6.2).
 */
function overtook(first: TcpSegment, second: TcpSegment, rttNs: number): boolean {
  const [before, after] = [first.ip.identification, second.ip.identification];
  if (before !== 0 && after !== 0) return ((after - before) << 16) >> 16 < 0;
  return timeOf(second) - timeOf(first) < rttNs / 4;
}

function serverPort({segments}: TcpFlow): number {
  const [first] = segments;
  return (first?.direction === 'up' ? first.segment.toPort : first?.segment.fromPort) ?? 0;
}

function serverAddress({segments}: TcpFlow): string {
  const [first] = segments;
  if (first === undefined) return '';
  const {segment, direction} = first;
  const address = direction === 'up' ? segment.ip.to : segment.ip.from;
  const port = serverPort({segments} as TcpFlow);
  return `${address.includes(':') ? `[${address}]` : address}${port === 80 || port === 443 ? '' : `:${port}`}`;
}

function timeOf({ip}: FlowSegment['segment']): number {
  return ip.recorded.atNs;
}

const TLS_HEADER_BYTES = 5;
/** The largest segment over Ethernet with IPv4 (RFC 9293 §3.7.1). */
const USUAL_MSS = 1460;
/** The most gaps that are kept. Older ones are forgotten. */
const MOST_GAPS = 300;
