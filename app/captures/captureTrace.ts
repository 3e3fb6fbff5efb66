import {pipelineOf} from '../pipelines/index.ts';
import {
  type BlockedColumns,
  type ChunkColumns,
  DIRECTION,
  ECN,
  FATE,
  type GapReportColumns,
  PACKET_KIND,
  type PacketColumns,
  type SampleColumns,
  SENDER_STATE,
} from '../run/trace/columns.ts';
import type {
  ConnectionTrace,
  DeliveryColumns,
  Milestones,
  ObjectTrace,
  PieceColumns,
  TraceData,
} from '../run/trace/traceData.ts';
import {addressesOf} from './addresses.ts';
import {arrivalsOf, waitsOf} from './arrivals.ts';
import type {CapturedExchange, CapturedLoad, CapturedMilestones, CapturedPacket} from './capturedLoad.ts';
import {knownTimesOf} from './knownTimes.ts';

/**
 * Makes the trace of a captured load. Each exchange becomes the object with the same number. Two rules are the same as
 * for live loads. If a packet was recorded at its receiver, the time of its arrival also stands for the time of
 * sending. If the arrival of a packet is not known, its fate is `inFlight`, unless the capture shows that it was lost.
 * The times at which packets left queues are not known.
 */
export function captureTrace(load: CapturedLoad): TraceData {
  const packets = load.packets.map(each => ({...each, atNs: nsOf(each.atNs) ?? 0})).sort((a, b) => a.atNs - b.atNs);
  const arrivalNs = arrivalsOf(packets, load);
  const urls = addressesOf(load.exchanges.map(({url}) => url));
  const known = knownTimesOf(load);
  const objects = load.exchanges.map((exchange, i) => objectOf(exchange, urls[i] ?? '', known[i] ?? null, load));
  const milestones = load.milestones && milestonesOf(load.milestones);
  const open = objects.filter(({completeNs, failure}) => completeNs === null && failure?.kind !== 'status').length;
  const isComplete = open === 0 && objects.length > 0;
  return {
    pipeline: load.pipeline,
    outcome: isComplete ? 'complete' : 'partial',
    reason: isComplete ? null : reasonText(open, objects.length),
    connections: connectionsOf(load),
    streams: load.connections.reduce((sum, {streams}) => sum + countOf(streams), 0),
    setupNs: setUpNs(load),
    endNs: endNs(load, {objects, arrivalNs, isComplete, milestones}),
    ...(milestones === undefined ? {} : {milestones}),
    objects,
    deliveries: deliveriesOf(load.exchanges),
    packets: packetColumns(packets, arrivalNs, load),
    ...chunkColumns(packets, load),
    samples: sampleColumns(load),
    ...blockedColumns(packets, arrivalNs, load),
    ...gapReportColumns(packets),
  };
}

/** Returns the number of the endpoint on one side of a connection. As in computed loads, clients have even numbers. */
function endpointOf(connection: number, side: 'client' | 'server'): number {
  return 2 * connection + (side === 'client' ? 0 : 1);
}

function reasonText(open: number, all: number): string {
  if (all === 0) return 'the capture shows no request';
  const responses = open === 1 ? '1 response is' : `${open} responses are`;
  return `${responses} not complete in the capture`;
}

function objectOf(
  exchange: CapturedExchange,
  url: string,
  knownNs: number | null,
  {connections}: CapturedLoad,
): ObjectTrace {
  const {connection, stream, status} = exchange;
  const isKnown = connection !== null && connection >= 0 && connection < connections.length;
  const requestNs = nsOf(exchange.requestNs) ?? 0;
  const completeNs = laterNs(exchange.completeNs, requestNs);
  // as in other loads, an object that the server does not have is not needed for a complete load
  const isMissing = status === 404 && completeNs !== null;
  return {
    url,
    bytes: isMissing ? 0 : bodyBytesOf(exchange),
    connection: isKnown ? connection : null,
    stream: isKnown ? countOf(stream) : null,
    discoveredNs: Math.min(nsOf(knownNs) ?? requestNs, requestNs),
    requestNs,
    firstByteNs: laterNs(exchange.firstByteNs, requestNs),
    completeNs: isMissing ? null : completeNs,
    failedNs: isMissing ? completeNs : null,
    failure: isMissing ? {kind: 'status', status} : null,
  };
}

/**
 * Returns the size of the body as it was sent. In a truncated or damaged capture, the deliveries may have more bytes
 * than `bodyBytes`. The size is then that of the deliveries.
 */
function bodyBytesOf({bodyBytes, deliveries}: CapturedExchange): number {
  return deliveries.reduce((most, {bytes}) => Math.max(most, countOf(bytes)), countOf(bodyBytes));
}

function connectionsOf({connections}: CapturedLoad): readonly ConnectionTrace[] {
  const hasOrigins = new Set(connections.map(({origin}) => origin)).size > 1;
  return connections.map(({origin, streams}, i) => ({
    client: endpointOf(i, 'client'),
    server: endpointOf(i, 'server'),
    streams: countOf(streams),
    ...(hasOrigins && origin !== null ? {origin} : {}),
  }));
}

/** Returns the earliest time at which a connection could carry requests. Null if the capture does not show it. */
function setUpNs({connections, pipeline}: CapturedLoad): number | null {
  // only over TCP does TLS come after the transport's handshake: over QUIC it is a part of that handshake, and over SCTP
  // the handshake of DTLS comes before it
  const {acknowledges, numbers} = pipelineOf(pipeline);
  const isTlsLast = acknowledges === 'data' && numbers === 'byte';
  let firstNs = Number.POSITIVE_INFINITY;
  for (const {hasTls, connectedNs, tlsNs} of connections)
    firstNs = Math.min(firstNs, nsOf(hasTls && isTlsLast ? tlsNs : connectedNs) ?? firstNs);
  return firstNs === Number.POSITIVE_INFINITY ? null : firstNs;
}

interface Ends {
  readonly objects: readonly ObjectTrace[];
  readonly arrivalNs: Float64Array;
  readonly isComplete: boolean;
  readonly milestones: Milestones | undefined;
}

/** Returns when a complete load ended. If the load is not complete, returns the time of the last event. */
function endNs({packets, exchanges}: CapturedLoad, {objects, arrivalNs, isComplete, milestones}: Ends): number {
  let last = Math.max(0, milestones?.dclNs ?? 0, milestones?.loadNs ?? 0);
  for (const {completeNs, failedNs} of objects) last = Math.max(last, completeNs ?? failedNs ?? 0);
  if (isComplete) return last;
  for (const {requestNs} of objects) last = Math.max(last, requestNs ?? 0);
  for (const {deliveries} of exchanges) for (const {atNs} of deliveries) last = Math.max(last, nsOf(atNs) ?? 0);
  for (const {atNs} of packets) last = Math.max(last, nsOf(atNs) ?? 0);
  for (const ns of arrivalNs) last = Math.max(last, ns || 0);
  return last;
}

function milestonesOf({fcpNs, lcpNs, dclNs, loadNs}: CapturedMilestones): Milestones {
  const times = {fcpNs: nsOf(fcpNs), lcpNs: nsOf(lcpNs), dclNs: nsOf(dclNs), loadNs: nsOf(loadNs)};
  return {...times, lcpObject: null};
}

/**
 * Returns the deliveries of all bodies in order of time, without those of responses with status 404. If a capture shows
 * when a body was complete, but not when each of its bytes arrived, the bytes without a time count as delivered when the
 * body was complete.
 */
function deliveriesOf(exchanges: readonly CapturedExchange[]): DeliveryColumns {
  const rows: {readonly object: number; readonly atNs: number; readonly bytes: number; readonly first: number}[] = [];
  for (const [object, exchange] of exchanges.entries()) {
    if (exchange.status === 404) continue;
    const completeNs = laterNs(exchange.completeNs, nsOf(exchange.requestNs) ?? 0);
    const parts = [...exchange.deliveries].sort((a, b) => a.atNs - b.atNs);
    if (completeNs !== null) parts.push({atNs: completeNs, bytes: bodyBytesOf(exchange)});
    let [first, lastNs] = [0, 0];
    for (const {atNs, bytes} of parts) {
      if (!(bytes > first)) continue;
      lastNs = Math.max(lastNs, Math.min(nsOf(atNs) ?? 0, completeNs ?? Number.POSITIVE_INFINITY));
      rows.push({object, atNs: lastNs, bytes: countOf(bytes), first});
      first = countOf(bytes);
    }
  }
  rows.sort((a, b) => a.atNs - b.atNs);
  return {
    object: Uint32Array.from(rows, ({object}) => object),
    atNs: Float64Array.from(rows, ({atNs}) => atNs),
    bytes: Float64Array.from(rows, ({bytes}) => bytes),
    first: Float64Array.from(rows, ({first}) => first),
  };
}

function packetColumns(
  packets: readonly CapturedPacket[],
  arrivalNs: Float64Array,
  {seenAt}: CapturedLoad,
): PacketColumns {
  const {length} = packets;
  const isOut = (packet: CapturedPacket): boolean => packet.fate === 'lost' || packet.dropped !== undefined;
  const fates = packets.map((packet, row) => {
    if (isOut(packet)) return FATE[packet.dropped ?? 'lost'];
    return Number.isNaN(arrivalNs[row]) ? FATE.inFlight : FATE.delivered;
  });
  const isReceived = ({direction}: CapturedPacket): boolean =>
    seenAt !== 'both' && (seenAt === 'client') === (direction === 'down');
  return {
    endpoint: Uint32Array.from(packets, ({connection, direction}) =>
      endpointOf(connection, direction === 'up' ? 'client' : 'server'),
    ),
    direction: Uint8Array.from(packets, ({direction}) => DIRECTION[direction]),
    bytes: Uint32Array.from(packets, ({bytes}) => countOf(bytes)),
    sentNs: Float64Array.from(packets, ({atNs}) => atNs),
    leftNs: new Float64Array(length).fill(Number.NaN),
    fate: Uint8Array.from(fates),
    fateNs: Float64Array.from(packets, (packet, row) => (isOut(packet) ? packet.atNs : (arrivalNs[row] ?? Number.NaN))),
    copyNs: new Float64Array(length).fill(Number.NaN),
    ecn: Uint8Array.from(packets, ({ecn}) => ecn & 3),
    // a packet that arrives with CE was marked on its way
    marked: Uint8Array.from(packets, packet => (isReceived(packet) && (packet.ecn & 3) === ECN.ce ? 1 : 0)),
    kind: Uint8Array.from(packets, ({kind}) => PACKET_KIND[kind]),
    cumulativeAck: Float64Array.from(packets, ({cumulativeAck}) => nsOf(cumulativeAck) ?? Number.NaN),
  };
}

function chunkColumns(
  packets: readonly CapturedPacket[],
  {exchanges}: CapturedLoad,
): {readonly chunks: ChunkColumns; readonly chunkPieces: PieceColumns} {
  const rows = packets.flatMap(({chunks}, packet) => chunks.map(chunk => ({...chunk, packet})));
  return {
    chunks: {
      packet: Uint32Array.from(rows, ({packet}) => packet),
      first: Float64Array.from(rows, ({first}) => nsOf(first) ?? 0),
      bytes: Uint32Array.from(rows, ({bytes}) => countOf(bytes)),
      stream: Uint32Array.from(rows, ({stream}) => countOf(stream)),
      message: Uint32Array.from(rows, ({message}) => countOf(message)),
      retransmission: Uint8Array.from(rows, ({retransmission}) => (retransmission ? 1 : 0)),
    },
    chunkPieces: piecesOf(rows, exchanges.length),
  };
}

interface WithPieces {
  readonly pieces: readonly {readonly exchange: number; readonly bytes: number}[];
}

/** Returns the pieces of each row. Pieces of exchanges that the load does not have are left out. */
function piecesOf(rows: readonly WithPieces[], exchanges: number): PieceColumns {
  const pieces = rows.flatMap((row, i) =>
    row.pieces.filter(({exchange}) => exchange >= 0 && exchange < exchanges).map(piece => ({...piece, row: i})),
  );
  return {
    row: Uint32Array.from(pieces, ({row}) => row),
    object: Uint32Array.from(pieces, ({exchange}) => exchange),
    bytes: Uint32Array.from(pieces, ({bytes}) => countOf(bytes)),
  };
}

/** Returns the samples. Captured samples have neither timers nor counts of their expiries, so these columns are 0. */
function sampleColumns({samples: unsorted}: CapturedLoad): SampleColumns {
  const samples = [...unsorted].sort((a, b) => a.atNs - b.atNs);
  return {
    atNs: Float64Array.from(samples, ({atNs}) => nsOf(atNs) ?? 0),
    endpoint: Uint32Array.from(samples, ({connection, side}) => endpointOf(connection, side)),
    cwndBytes: Float64Array.from(samples, ({cwndBytes}) => nsOf(cwndBytes) ?? 0),
    ssthreshBytes: Float64Array.from(samples, ({ssthreshBytes}) => nsOf(ssthreshBytes) ?? Number.POSITIVE_INFINITY),
    flightBytes: Float64Array.from(samples, ({flightBytes}) => nsOf(flightBytes) ?? 0),
    srttNs: Float64Array.from(samples, ({srttNs}) => nsOf(srttNs) ?? 0),
    rtoNs: new Float64Array(samples.length),
    state: Uint8Array.from(samples, ({cwndBytes, ssthreshBytes}) =>
      // RFC 5681 §3.1
      cwndBytes < (nsOf(ssthreshBytes) ?? Number.POSITIVE_INFINITY)
        ? SENDER_STATE.slowStart
        : SENDER_STATE.congestionAvoidance,
    ),
    timeouts: new Uint32Array(samples.length),
    probes: new Uint32Array(samples.length),
  };
}

function blockedColumns(
  packets: readonly CapturedPacket[],
  arrivalNs: Float64Array,
  {pipeline, exchanges, seenAt}: CapturedLoad,
): {readonly blocked: BlockedColumns; readonly blockedPieces: PieceColumns} {
  // the waits are known only if packets were recorded at their receiver and have positions in bytes
  const isShown = seenAt !== 'both' && pipelineOf(pipeline).numbers === 'byte';
  const waits = isShown ? waitsOf(packets, arrivalNs) : [];
  const receiver = ({connection, direction}: CapturedPacket): number =>
    endpointOf(connection, direction === 'down' ? 'client' : 'server');
  return {
    blocked: {
      endpoint: Uint32Array.from(waits, ({packet}) => receiver(packet)),
      stream: Uint32Array.from(waits, ({chunk}) => countOf(chunk.stream)),
      first: Float64Array.from(waits, ({chunk}) => nsOf(chunk.first) ?? 0),
      bytes: Uint32Array.from(waits, ({chunk}) => countOf(chunk.bytes)),
      startNs: Float64Array.from(waits, ({startNs}) => startNs),
      endNs: Float64Array.from(waits, ({endNs}) => endNs),
    },
    blockedPieces: piecesOf(
      waits.map(({chunk}) => chunk),
      exchanges.length,
    ),
  };
}

function gapReportColumns(packets: readonly CapturedPacket[]): {readonly gapReports?: GapReportColumns} {
  const rows = packets.flatMap(({sackedTo}, packet) => {
    const end = nsOf(sackedTo ?? null);
    return end === null ? [] : [{packet, end}];
  });
  if (rows.length === 0) return {};
  const packet = Uint32Array.from(rows, row => row.packet);
  return {gapReports: {packet, end: Float64Array.from(rows, ({end}) => end)}};
}

/** Returns a time, size or position that a trace can hold. Null if the value is null, NaN, negative or too large. */
function nsOf(value: number | null): number | null {
  return value !== null && value >= 0 && value <= Number.MAX_SAFE_INTEGER ? value : null;
}

/** Like {@link nsOf}, but not before `leastNs`. */
function laterNs(value: number | null, leastNs: number): number | null {
  const ns = nsOf(value);
  return ns === null ? null : Math.max(ns, leastNs);
}

/** Returns a whole number that a column of 32 bits can hold. */
function countOf(value: number): number {
  return value >= 0 ? Math.min(Math.floor(value), MOST_COUNT) : 0;
}

const MOST_COUNT = 0xffff_ffff;
