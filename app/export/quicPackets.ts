import type {Json} from '../base/json.ts';
import {Broken, ByteReader} from '../run/packets/part.ts';
import {ACK_DELAY_EXPONENT} from '../run/packets/quicFrameParts.ts';
import {CONNECTION_ID_BYTES, LONG_HEADER, TAG_BYTES} from '../run/packets/quicPacketParts.ts';
import {UDP_HEADER_BYTES, wholeNumber} from '../run/packets/quicParts.ts';

/** A QUIC packet as a qlog file contains it. The names are those of draft-ietf-quic-qlog-quic-events-13. */
export interface LoggedPacket {
  readonly type: PacketType;
  /** The packet number. It is null for Retry and Version Negotiation packets, which have no number. */
  readonly number: number | null;
  readonly header: Fields;
  /** Size of the packet in bytes, including its header and authentication tag. */
  readonly bytes: number;
  readonly payloadBytes: number;
  readonly frames: readonly Json[];
  /** The contents of the packet's STREAM frames. */
  readonly pieces: readonly StreamPiece[];
}

/** The data of a STREAM frame. */
export interface StreamPiece {
  readonly stream: number;
  readonly offset: number;
  readonly bytes: Uint8Array;
}

type PacketType = 'initial' | '0RTT' | 'handshake' | 'retry' | '1RTT' | 'version_negotiation';

/**
 * Reads the packets that one end sent. They must be read in the order in which they were sent, because a packet
 * contains only the last bytes of its number. The other bytes follow from the number of the packet before it.
 */
export class QuicPackets {
  readonly #next = new Map<string, number>();

  /** Reads the QUIC packets of an IP packet. It stops before the first invalid QUIC packet. */
  read(packet: Uint8Array): readonly LoggedPacket[] {
    const found: LoggedPacket[] = [];
    const datagram = new ByteReader(packet.subarray(ipHeaderBytes(packet) + UDP_HEADER_BYTES));
    try {
      while (datagram.left > 0) found.push(this.#readPacket(datagram));
    } catch (error) {
      if (!(error instanceof Broken)) throw error;
    }
    return found;
  }

  #readPacket(datagram: ByteReader): LoggedPacket {
    const before = datagram.left;
    const first = datagram.number(1, 'first byte');
    if (first < LONG_HEADER) {
      const dcid = hex(datagram.take(CONNECTION_ID_BYTES, 'Destination Connection ID'));
      const body = new ByteReader(datagram.rest());
      return this.#readBody('1RTT', first, body, {header: {dcid}, bytes: before});
    }
    const version = datagram.number(4, 'Version');
    const [dcid = '', scid = ''] = ['dcid', 'scid'].map(name =>
      hex(datagram.take(datagram.number(1, `${name} Length`), name)),
    );
    const header = {version: version.toString(16).padStart(8, '0'), scid, dcid};
    const type = version === 0 ? 'version_negotiation' : (LONG_TYPES[(first >> 4) & 3] ?? 'retry');
    if (type === 'version_negotiation' || type === 'retry') {
      const payloadBytes = datagram.rest().length;
      return {type, number: null, header, bytes: before, payloadBytes, frames: [], pieces: []};
    }
    if (type === 'initial') datagram.take(datagram.varint('Token Length'), 'Token');
    const length = datagram.varint('Length');
    const body = new ByteReader(datagram.take(length, 'packet'));
    return this.#readBody(type, first, body, {header, bytes: before - datagram.left});
  }

  #readBody(
    type: PacketType,
    first: number,
    body: ByteReader,
    {header, bytes}: Pick<LoggedPacket, 'header' | 'bytes'>,
  ): LoggedPacket {
    const numberBytes = ((first & 3) + 1) as 1 | 2 | 3 | 4;
    const space = type === '0RTT' ? '1RTT' : type;
    const read = body.number(numberBytes, 'Packet Number');
    const number = wholeNumber(this.#next.get(space) ?? 0, read, numberBytes);
    this.#next.set(space, number + 1);
    const payload = new ByteReader(body.take(Math.max(body.left - TAG_BYTES, 0), 'Packet Payload'));
    const payloadBytes = payload.left;
    const pieces: StreamPiece[] = [];
    const frames: Json[] = [];
    while (payload.left > 0) frames.push(sizedFrame(payload, pieces));
    return {type, number, header, bytes, payloadBytes, frames, pieces};
  }
}

/**
 * Reads a frame and adds the field `frame_size`, which is the size of the whole frame. qvis needs this field to draw a
 * packet's frames. It was part of qlog up to draft 02.
 */
function sizedFrame(bytes: ByteReader, pieces: StreamPiece[]): Json {
  const before = bytes.left;
  const frame = readFrame(bytes, pieces);
  return {...frame, frame_size: before - bytes.left};
}

/** Reads a frame (RFC 9000 §19). */
function readFrame(bytes: ByteReader, pieces: StreamPiece[]): Fields {
  const before = bytes.left;
  const type = bytes.varint('Type');
  if (type >= STREAM && type < STREAM + 8) return readStream(type, bytes, pieces);
  const numbers = NUMBERS.get(type);
  if (numbers !== undefined) {
    const [name, fields, more] = numbers;
    const values = fields.map(field => [field, bytes.varint(field)] as const);
    return {frame_type: name, ...more, ...Object.fromEntries(values)};
  }
  switch (type) {
    case 0x00: {
      while (bytes.next === 0) bytes.take(1, 'PADDING');
      return {frame_type: 'padding', raw: {length: before - bytes.left}};
    }
    case 0x02:
    case 0x03:
      return readAck(type, bytes);
    case 0x06: {
      const offset = bytes.varint('Offset');
      const {length} = sized(bytes, 'Crypto Data');
      return {frame_type: 'crypto', offset, length, raw: {payload_length: length}};
    }
    case 0x07:
      return {frame_type: 'new_token', token: {raw: {length: sized(bytes, 'Token').length}}};
    case 0x18: {
      const [sequence_number, retire_prior_to] = [bytes.varint('Sequence Number'), bytes.varint('Retire Prior To')];
      const connection_id = hex(bytes.take(bytes.number(1, 'Length'), 'Connection ID'));
      const stateless_reset_token = hex(bytes.take(16, 'Stateless Reset Token'));
      return {
        frame_type: 'new_connection_id',
        sequence_number,
        retire_prior_to,
        connection_id,
        stateless_reset_token,
      };
    }
    case 0x1a:
    case 0x1b:
      return {
        frame_type: type === 0x1a ? 'path_challenge' : 'path_response',
        data: hex(bytes.take(8, 'Data')),
      };
    case 0x1c:
    case 0x1d: {
      const error_code = bytes.varint('Error Code');
      if (type === 0x1c) bytes.varint('Frame Type');
      const reason = sized(bytes, 'Reason Phrase');
      const error_space = type === 0x1c ? 'transport' : 'application';
      return {
        frame_type: 'connection_close',
        error_space,
        error: 'unknown',
        error_code,
        reason: String.fromCharCode(...reason),
      };
    }
    case 0xaf: // draft-ietf-quic-ack-frequency-04 §4
      for (const field of ['sequence', 'threshold', 'delay', 'reordering']) bytes.varint(field);
      return {frame_type: 'unknown', frame_type_bytes: type, raw: {length: before - bytes.left}};
    case 0x1f: // draft-ietf-quic-ack-frequency-04 §5
      return {frame_type: 'unknown', frame_type_bytes: type, raw: {length: 1}};
    default:
      throw new Broken('unknown frame type');
  }
}

function readStream(type: number, bytes: ByteReader, pieces: StreamPiece[]): Fields {
  const stream = bytes.varint('Stream ID');
  const offset = (type & 0x04) === 0 ? 0 : bytes.varint('Offset');
  const data = (type & 0x02) === 0 ? bytes.rest() : sized(bytes, 'Stream Data');
  pieces.push({stream, offset, bytes: data});
  const {length} = data;
  const fin = (type & 0x01) === 0 ? {} : {fin: true};
  return {frame_type: 'stream', stream_id: stream, offset, length, ...fin, raw: {payload_length: length}};
}

/** Reads the rest of an ACK frame (RFC 9000 §19.3). */
function readAck(type: number, bytes: ByteReader): Fields {
  let last = bytes.varint('Largest Acknowledged');
  const delay = bytes.varint('ACK Delay');
  const count = bytes.varint('ACK Range Count');
  const ranges: (readonly number[])[] = [];
  for (let range = 0; range <= count; range++) {
    if (range > 0) last -= bytes.varint('Gap') + 2;
    const first = last - bytes.varint('ACK Range Length');
    if (first < 0) throw new Broken('a range of packets below number 0');
    ranges.unshift(first === last ? [last] : [first, last]);
    last = first;
  }
  if (type === 0x03) for (const name of ['ECT0', 'ECT1', 'ECN-CE']) bytes.varint(name);
  return {frame_type: 'ack', ack_delay: (delay * 2 ** ACK_DELAY_EXPONENT) / 1000, acked_ranges: ranges};
}

function sized(bytes: ByteReader, of: string): Uint8Array {
  return bytes.take(bytes.varint('Length'), of);
}

function hex(bytes: Uint8Array): string {
  return Array.from(bytes, byte => byte.toString(16).padStart(2, '0')).join('');
}

/** Returns the header size of an IPv4 packet (RFC 791 §3.1). */
function ipHeaderBytes(packet: Uint8Array): number {
  return ((packet[0] ?? 0) & 15) * 4;
}

type Fields = {readonly [field: string]: Json};
type Numbers = readonly [name: string, fields: readonly string[], more?: Fields];

/** The frames whose fields are all variable-length integers, by frame type. */
const NUMBERS: ReadonlyMap<number, Numbers> = new Map<number, Numbers>([
  [0x01, ['ping', []]],
  [0x04, ['reset_stream', ['stream_id', 'error_code', 'final_size'], {error: 'unknown'}]],
  [0x05, ['stop_sending', ['stream_id', 'error_code'], {error: 'unknown'}]],
  [0x10, ['max_data', ['maximum']]],
  [0x11, ['max_stream_data', ['stream_id', 'maximum']]],
  [0x12, ['max_streams', ['maximum'], {stream_type: 'bidirectional'}]],
  [0x13, ['max_streams', ['maximum'], {stream_type: 'unidirectional'}]],
  [0x14, ['data_blocked', ['limit']]],
  [0x15, ['stream_data_blocked', ['stream_id', 'limit']]],
  [0x16, ['streams_blocked', ['limit'], {stream_type: 'bidirectional'}]],
  [0x17, ['streams_blocked', ['limit'], {stream_type: 'unidirectional'}]],
  [0x19, ['retire_connection_id', ['sequence_number']]],
  [0x1e, ['handshake_done', []]],
]);
const STREAM = 0x08;
/** The packet types with a long header, by their numbers (RFC 9000 §17.2, table 5). */
const LONG_TYPES = ['initial', '0RTT', 'handshake', 'retry'] as const;
