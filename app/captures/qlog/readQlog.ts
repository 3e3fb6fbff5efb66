import {findPipeline, type PipelineName} from '../../pipelines/index.ts';
import type {
  CapturedChunk,
  CapturedConnection,
  CapturedExchange,
  CapturedLoad,
  CapturedPacket,
  CapturedSample,
  ReadCapture,
} from '../capturedLoad.ts';
import {numberOf, textOf} from '../jsonFields.ts';
import type {KnownFate} from '../knownFate.ts';
import {acknowledgedPieces} from '../quic/acknowledgedPieces.ts';
import type {SentPiece} from '../quic/arrivals.ts';
import {lostFates} from '../quic/lostFates.ts';
import {type QuicDatagram, quicPackets} from '../quic/quicPackets.ts';
import {pageFirst} from '../requestOrder.ts';
import {plainPackets} from './plainPackets.ts';
import {qlogExchanges} from './qlogExchanges.ts';
import {type QlogEvent, type QlogTrace, readQlogFile} from './qlogFile.ts';
import {DatagramSizes, datagramsOf, hasHandshake, loggedPacket, lostPacket} from './qlogPackets.ts';
import {readSamples} from './qlogSamples.ts';

/**
 * Reads a qlog file of a QUIC stack, or one of this program (`interleave qlog`). Each trace of the file is a load, as
 * one end saw it. If a log lacks the sizes of IP packets, they are computed for IPv4 from those of datagrams or QUIC
 * packets.
 */
export function readQlog(text: string): ReadCapture {
  const file = readQlogFile(text);
  if (!file.ok) return file;
  const loads = file.traces.flatMap(trace => loadOf(trace, file.notes) ?? []);
  const [first, ...others] = loads;
  if (first === undefined) return {ok: false, message: 'The qlog file has no packets and no requests.'};
  return {ok: true, loads: [first, ...others]};
}

/** Returns the load of a trace. Undefined if the trace has neither packets nor requests. */
function loadOf({vantage, events}: QlogTrace, notes: readonly string[]): CapturedLoad | undefined {
  const groups = new Map<string, QlogEvent[]>();
  for (const event of events) {
    const group = groups.get(event.group) ?? [];
    groups.set(event.group, group);
    group.push(event);
  }
  const pipeline = pipelineOf(events);
  const isServer = vantage === 'server';
  const parts = [...groups.values()]
    .map(each => partOf(each, pipeline, isServer))
    .filter(({packets, exchanges}) => packets.length + exchanges.length > 0);
  if (parts.length === 0) return undefined;
  const startNs = parts.reduce((least, {beginNs}) => Math.min(least, beginNs), Number.POSITIVE_INFINITY);
  const hasRequests = parts.some(({exchanges}) => exchanges.length > 0);
  return {
    kind: 'qlog',
    pipeline,
    seenAt: vantage,
    ...joined(parts, startNs),
    notes: hasRequests ? notes : [...notes, 'The qlog file has no events of HTTP, so the requests are not known.'],
  };
}

/**
 * Returns the pipeline of a log. In logs of this program, the events of packets have the name of the pipeline as
 * namespace, unless they are QUIC packets. All other logs are logs of HTTP/3.
 */
function pipelineOf(events: readonly QlogEvent[]): PipelineName {
  const namespace = events.find(({name}) => name === 'packet_sent' || name === 'packet_received')?.namespace;
  const found = findPipeline(namespace);
  return found === undefined ? 'h3' : (found.name as PipelineName);
}

interface Part {
  readonly connection: CapturedConnection;
  readonly exchanges: readonly CapturedExchange[];
  readonly packets: readonly CapturedPacket[];
  readonly samples: readonly CapturedSample[];
  readonly beginNs: number;
}

function partOf(events: readonly QlogEvent[], pipeline: PipelineName, isServer: boolean): Part {
  const isOwn = events.some(({namespace, name}) => name.startsWith('packet_') && namespace === pipeline);
  const known = droppedPackets(events);
  const side = isServer ? 'server' : 'client';
  const part = isOwn
    ? {...plainPackets(events, {pipeline, isServer, known}), exchanges: []}
    : quicPart(events, {isServer, known});
  const {packets, exchanges} = part;
  const times = [packets[0]?.atNs, exchanges[0]?.requestNs].flatMap(ns => ns ?? []);
  const origin = /^[^:]+:\/\/[^/]+/.exec(exchanges[0]?.url ?? '')?.[0] ?? null;
  return {
    connection: {
      origin,
      hasTls: pipeline === 'h3',
      openNs: packets.find(({direction}) => direction === 'up')?.atNs ?? null,
      connectedNs: part.connectedNs,
      tlsNs: null,
      streams: pipeline === 'h3' ? streamLimit(events, isServer) : 1,
    },
    exchanges,
    packets,
    samples: readSamples(events, side),
    beginNs: times.length === 0 ? Number.POSITIVE_INFINITY : Math.min(...times),
  };
}

function quicPart(
  events: readonly QlogEvent[],
  {isServer, known}: {readonly isServer: boolean; readonly known: ReadonlyMap<number, KnownFate>},
): Pick<Part, 'packets' | 'exchanges'> & {readonly connectedNs: number | null} {
  const sizes = new DatagramSizes();
  for (const event of events) if (DATAGRAM_EVENTS.has(event.name)) sizes.handleEvent(event);
  const logged = events.filter(({name}) => name === 'packet_sent' || name === 'packet_received').map(loggedPacket);
  let sent = 0;
  const datagrams = datagramsOf(logged, {isServer, sizes}).map((datagram): QuicDatagram => {
    if (datagram.known !== undefined) return datagram;
    sent += 1;
    return {...datagram, known: known.get(sent - 1)};
  });
  const lost = new Set(events.filter(({name}) => name === 'packet_lost').map(({data}) => lostPacket(data)));
  const fates = lostFates(datagrams, lost);
  const frames = events.filter(({name}) => name === 'frame_created' || name === 'frame_parsed');
  const down = isServer ? acknowledgedPieces(datagrams) : piecesOf(datagrams, 'down');
  const exchanges = qlogExchanges({frames, up: piecesOf(datagrams, 'up'), down}, {connection: 0, isServer});
  const byStream = new Map(exchanges.map(({stream}, index) => [stream, index]));
  return {
    exchanges,
    packets: quicPackets(datagrams, fates, stream => byStream.get(stream)),
    connectedNs: connectedNs(datagrams),
  };
}

function piecesOf(datagrams: readonly QuicDatagram[], direction: 'down' | 'up'): readonly SentPiece[] {
  const own = datagrams.filter(datagram => datagram.direction === direction);
  return own.flatMap(({atNs, packets}) =>
    packets.flatMap(({frames}) => frames).flatMap(frame => (frame.kind === 'stream' ? [{...frame, atNs}] : [])),
  );
}

/**
 * Returns when the client sent its last message of the handshake, in a Handshake packet; in a server's log, when this
 * message arrived. Null if the log does not show it.
 */
function connectedNs(datagrams: readonly QuicDatagram[]): number | null {
  const up = datagrams.filter(({direction}) => direction === 'up');
  const finished = up.find(({packets}) =>
    packets.some(({space, frames}) => space === 'handshake' && hasHandshake(frames)),
  );
  return finished?.atNs ?? null;
}

/** Reads the number of streams that the server grants, from its transport parameters. */
function streamLimit(events: readonly QlogEvent[], isServer: boolean): number {
  const owner = isServer ? 'local' : 'remote';
  const parameters = events.find(
    ({name, data}) => name === 'parameters_set' && (data['owner'] ?? data['initiator']) === owner,
  );
  return numberOf(parameters?.data['initial_max_streams_bidi']) ?? 0;
}

/**
 * Returns the packets that the path dropped, by their numbers among the packets that this end sent, from 0. Logs of
 * this program have a marker for each dropped packet.
 */
function droppedPackets(events: readonly QlogEvent[]): ReadonlyMap<number, KnownFate> {
  const dropped = new Map<number, KnownFate>();
  for (const {name, data} of events) {
    if (name !== 'marker' || data['type'] !== 'packet_dropped') continue;
    const [, number, reason] = /^packet (\d+) was (.+)$/.exec(textOf(data['message']) ?? '') ?? [];
    const kind = DROP_REASONS.get(reason ?? '');
    if (kind !== undefined) dropped.set(Number(number), {fate: 'lost', dropped: kind});
  }
  return dropped;
}

/** Joins the connections of a load. */
function joined(
  parts: readonly Part[],
  startNs: number,
): Pick<CapturedLoad, 'connections' | 'exchanges' | 'packets' | 'samples'> {
  const moved = (ns: number | null) => (ns === null ? null : ns - startNs);
  const all = pageFirst(
    parts.flatMap(({exchanges}, connection) => exchanges.map((exchange, own) => ({exchange, connection, own}))),
  );
  const numbers = new Map(all.map(({connection, own}, number) => [`${connection} ${own}`, number]));
  const chunkOf = (chunk: CapturedChunk, connection: number): CapturedChunk => ({
    ...chunk,
    pieces: chunk.pieces.map(({exchange, bytes}) => ({exchange: numbers.get(`${connection} ${exchange}`) ?? 0, bytes})),
  });
  return {
    connections: parts.map(({connection}) => ({
      ...connection,
      openNs: moved(connection.openNs),
      connectedNs: moved(connection.connectedNs),
    })),
    exchanges: all.map(({exchange, connection}) => ({
      ...exchange,
      connection,
      requestNs: exchange.requestNs - startNs,
      firstByteNs: moved(exchange.firstByteNs),
      completeNs: moved(exchange.completeNs),
      deliveries: exchange.deliveries.map(({atNs, bytes}) => ({atNs: atNs - startNs, bytes})),
    })),
    packets: parts
      .flatMap(({packets}, connection) =>
        packets.map(packet => ({
          ...packet,
          connection,
          atNs: packet.atNs - startNs,
          chunks: packet.chunks.map(chunk => chunkOf(chunk, connection)),
        })),
      )
      .sort((a, b) => a.atNs - b.atNs),
    samples: parts
      .flatMap(({samples}, connection) => samples.map(sample => ({...sample, connection, atNs: sample.atNs - startNs})))
      .sort((a, b) => a.atNs - b.atNs),
  };
}

const DATAGRAM_EVENTS: ReadonlySet<string> = new Set([
  'datagrams_sent',
  'datagrams_received',
  'udp_datagrams_sent',
  'udp_datagrams_received',
]);
/** The texts are those of the qlog export (`qlogEvents.ts`). */
const DROP_REASONS: ReadonlyMap<string, CapturedPacket['dropped'] & string> = new Map([
  ['lost by the path', 'lost'],
  ['dropped by the full queue', 'queueFull'],
  ['dropped by the queue to signal congestion', 'early'],
  ['dropped by the policer', 'policed'],
  ['lost because the client had left the path', 'handedOver'],
]);
