import {isUnidirectional} from '../run/packets/http3Frames.ts';
import {SentSections, type WholeStreams} from '../run/packets/sentSections.ts';
import {SentStream} from '../run/packets/sentStream.ts';
import {FATE} from '../run/trace/columns.ts';
import type {Trace} from '../run/trace/trace.ts';
import {deemedLost} from './deemedLost.ts';
import {ENCODER_STREAM, type LoggedFrame, type LoggedStream, loggedStream} from './http3Frames.ts';
import type {QlogEvent} from './qlogEvents.ts';
import {type LoggedPacket, QuicPackets} from './quicPackets.ts';

/**
 * Returns events for the packets that one end of a QUIC connection sent and received, and for those with stream data
 * that it deemed lost. `own` and `peer` are the numbers of the end and of the other end. `packets` holds the run's
 * unencrypted packets in the order of the trace's rows. Each QUIC packet in a datagram and each HTTP/3 frame has its
 * own event. `noticed` holds the other events of the end. In the result, they follow the events of received packets and
 * precede those of sent packets.
 */
export function quicEvents(
  trace: Trace,
  packets: readonly Uint8Array[],
  {own, peer, noticed}: {readonly own: number; readonly peer: number; readonly noticed: readonly QlogEvent[]},
): readonly QlogEvent[] {
  const [ours, theirs] = [new SentPackets(trace, packets, own), new SentPackets(trace, packets, peer)];
  const [ourStreams, theirStreams] = [loggedStreams(ours.whole, theirs.whole), loggedStreams(theirs.whole, ours.whole)];
  const {fateNs, sentNs} = trace.data.packets;
  const lost = deemedLost(trace, own).flatMap(({packet, atNs}) =>
    ours
      .of(packet)
      .filter(({pieces}) => pieces.length > 0)
      .map(({type, number}) => ({
        atNs,
        name: 'quic:packet_lost',
        category: 'recovery',
        data: {header: {packet_type: type, packet_number: number}},
      })),
  );
  const received = theirs.rows
    .filter(row => trace.data.packets.fate[row] === FATE.delivered)
    .sort((a, b) => (fateNs[a] ?? 0) - (fateNs[b] ?? 0) || a - b);
  return [
    ...received.flatMap(row => packetEvents('quic:packet_received', fateNs[row] ?? 0, theirs.of(row))),
    ...parsedFrames(trace, theirs, {streams: theirStreams, received}),
    ...lost,
    ...noticed,
    ...createdFrames(trace, ours, ourStreams),
    ...ours.rows.flatMap(row => packetEvents('quic:packet_sent', sentNs[row] ?? 0, ours.of(row))),
  ];
}

function packetEvents(name: string, atNs: number, packets: readonly LoggedPacket[]): readonly QlogEvent[] {
  return packets.map(({type, number, header, bytes, payloadBytes, frames}) => ({
    atNs,
    name,
    category: 'transport',
    data: {
      header: {packet_type: type, ...(number === null ? {} : {packet_number: number}), ...header},
      raw: {length: bytes, payload_length: payloadBytes},
      frames,
    },
  }));
}

/**
 * Returns an event for each HTTP/3 frame that the end sent, and for the type of each unidirectional stream. The time of
 * an event is the time at which the frame's or stream's first byte was sent.
 */
function createdFrames(
  {data: {packets}}: Trace,
  sent: SentPackets,
  streams: ReadonlyMap<number, LoggedStream>,
): readonly QlogEvent[] {
  const events: QlogEvent[] = [];
  const reached = new Map<number, number>();
  for (const row of sent.rows) {
    for (const {stream: id, offset, bytes} of sent.of(row).flatMap(({pieces}) => pieces)) {
      const stream = streams.get(id);
      const before = reached.get(id) ?? 0;
      const end = Math.max(before, offset + bytes.length);
      reached.set(id, end);
      const atNs = packets.sentNs[row] ?? 0;
      if (stream !== undefined && before === 0 && end > 0) events.push(...typeEvent(id, stream, 'local', atNs));
      const begun = stream?.frames.filter(({from}) => from >= before && from < end) ?? [];
      events.push(...begun.map(frame => frameEvent('http3:frame_created', atNs, id, frame)));
    }
  }
  return events;
}

/**
 * Returns an event for each HTTP/3 frame that the end received, and for the type of each unidirectional stream. The
 * time of a frame's event is the time at which the end could begin to read the frame. The content of a DATA frame is
 * read as it arrives, so the event has the time at which the frame's type and length have arrived. Other frames are
 * read when they are complete. A HEADERS frame and the frames after it also wait for entries of QPACK's table.
 */
function parsedFrames(
  {data: {packets}}: Trace,
  sent: SentPackets,
  {streams, received}: {readonly streams: ReadonlyMap<number, LoggedStream>; readonly received: readonly number[]},
): readonly QlogEvent[] {
  const arrived = new Map<number, Arrived>();
  const events: QlogEvent[] = [];
  const endOf = (id: number) => arrived.get(id)?.end ?? 0;
  const encoder = [...streams].find(([, {type}]) => type === ENCODER_STREAM)?.[0] ?? -1;
  /** The frames that have not been read, by stream. */
  const unread = new Map([...streams].map(([id, {frames}]) => [id, [...frames]]));
  const read = (id: number, atNs: number) => {
    const frames = unread.get(id) ?? [];
    for (let [next] = frames; next !== undefined; [next] = frames) {
      if (next.readAt > endOf(id) || next.needsEncoderBytes > endOf(encoder)) break;
      frames.shift();
      events.push(frameEvent('http3:frame_parsed', atNs, id, next));
    }
  };
  for (const row of received) {
    for (const {stream: id, offset, bytes} of sent.of(row).flatMap(({pieces}) => pieces)) {
      const progress = arrived.get(id) ?? new Arrived();
      arrived.set(id, progress);
      const before = progress.end;
      progress.add(offset, offset + bytes.length);
      const stream = streams.get(id);
      const atNs = packets.fateNs[row] ?? 0;
      if (stream !== undefined && before === 0 && progress.end > 0)
        events.push(...typeEvent(id, stream, 'remote', atNs));
      for (const each of id === encoder ? unread.keys() : [id]) read(each, atNs);
    }
  }
  return events;
}

function typeEvent(
  id: number,
  {type}: LoggedStream,
  initiator: 'local' | 'remote',
  atNs: number,
): readonly QlogEvent[] {
  if (!isUnidirectional(id) || type === undefined) return [];
  const data = {initiator, stream_id: id, stream_type: type};
  return [{atNs, name: 'http3:stream_type_set', category: 'http', data}];
}

function frameEvent(name: string, atNs: number, id: number, {bytes, payloadBytes, frame}: LoggedFrame): QlogEvent {
  const raw = {length: bytes, payload_length: payloadBytes};
  // qvis needs `byte_length`.
  return {
    atNs,
    name,
    category: 'http',
    data: {stream_id: id, byte_length: payloadBytes, frame: {...frame, raw}},
  };
}

function loggedStreams(own: WholeStreams, peer: WholeStreams): ReadonlyMap<number, LoggedStream> {
  const sections = new SentSections(own, peer);
  return new Map([...own].map(([id, whole]) => [id, loggedStream(id, whole, sections)]));
}

/** Determines the offset up to which a stream has arrived without a gap. */
class Arrived {
  end = 0;
  #beyond: readonly (readonly [from: number, to: number])[] = [];

  add(from: number, to: number): void {
    this.#beyond = [...this.#beyond, [from, to]];
    for (let next = this.#next(); next !== undefined; next = this.#next()) this.end = next[1];
    this.#beyond = this.#beyond.filter(([, to]) => to > this.end);
  }

  #next() {
    return this.#beyond.find(([from, to]) => from <= this.end && to > this.end);
  }
}

/** The packets and streams that one end of a connection sent. */
class SentPackets {
  /** The rows of the end's datagrams in the trace's packets. */
  readonly rows: readonly number[];
  /** All bytes of each stream. */
  readonly whole: WholeStreams;
  readonly #packets = new Map<number, readonly LoggedPacket[]>();

  constructor({data: {packets}}: Trace, bytes: readonly Uint8Array[], endpoint: number) {
    this.rows = Array.from(packets.endpoint.keys()).filter(row => packets.endpoint[row] === endpoint);
    const reader = new QuicPackets();
    const streams = new Map<number, SentStream>();
    for (const row of this.rows) {
      const read = reader.read(bytes[row] ?? new Uint8Array(0));
      this.#packets.set(row, read);
      for (const {stream, offset, bytes: piece} of read.flatMap(({pieces}) => pieces)) {
        const sent = streams.get(stream) ?? new SentStream();
        streams.set(stream, sent);
        sent.add(offset, piece);
      }
    }
    this.whole = new Map([...streams].map(([id, {whole}]) => [id, whole]));
  }

  of(row: number): readonly LoggedPacket[] {
    return this.#packets.get(row) ?? [];
  }
}
