import type {Json} from '../../base/json.ts';
import {Broken, type ByteReader} from './part.ts';
import {ACK_DELAY_EXPONENT} from './quicFrameParts.ts';

/** Takes the data that the STREAM and CRYPTO frames of a packet carry. */
export interface QuicFrameData {
  stream(id: number, offset: number, data: Uint8Array): unknown;
  crypto(offset: number, data: Uint8Array): unknown;
}

/**
 * Reads a frame (RFC 9000 §19). Returns its fields under the names of draft-ietf-quic-qlog-quic-events-13. `data` gets
 * the data of a STREAM or CRYPTO frame.
 * @throws Broken if the frame is cut short, has an unknown type, or acknowledges packets below number 0
 */
export function readQuicFrame(bytes: ByteReader, data: QuicFrameData): Fields {
  const before = bytes.left;
  const type = bytes.varint('Type');
  if (type >= STREAM && type < STREAM + 8) return readStream(type, bytes, data);
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
      const crypto = sized(bytes, 'Crypto Data');
      data.crypto(offset, crypto);
      const {length} = crypto;
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
    case 0x30: // RFC 9221 §4
    case 0x31: {
      const {length} = type === 0x30 ? bytes.rest() : sized(bytes, 'Datagram Data');
      return {frame_type: 'datagram', length, raw: {payload_length: length}};
    }
    case 0x1f: // draft-ietf-quic-ack-frequency-04 §5
      return {frame_type: 'unknown', frame_type_bytes: type, raw: {length: 1}};
    default:
      throw new Broken('unknown frame type');
  }
}

function readStream(type: number, bytes: ByteReader, contents: QuicFrameData): Fields {
  const stream = bytes.varint('Stream ID');
  const offset = (type & 0x04) === 0 ? 0 : bytes.varint('Offset');
  const data = (type & 0x02) === 0 ? bytes.rest() : sized(bytes, 'Stream Data');
  contents.stream(stream, offset, data);
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
    ranges.push(first === last ? [last] : [first, last]);
    last = first;
  }
  if (type === 0x03) for (const name of ['ECT0', 'ECT1', 'ECN-CE']) bytes.varint(name);
  return {frame_type: 'ack', ack_delay: (delay * 2 ** ACK_DELAY_EXPONENT) / 1000, acked_ranges: ranges.reverse()};
}

function sized(bytes: ByteReader, of: string): Uint8Array {
  return bytes.take(bytes.varint('Length'), of);
}

type Fields = {readonly [field: string]: Json};
type Numbers = readonly [name: string, fields: readonly string[], more?: Fields];

/** Frames of RFC 9000 whose fields are all variable-length integers, by frame type. */
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

/** Writes bytes in hexadecimal: `0aff`. */
export function hex(bytes: Uint8Array): string {
  return Array.from(bytes, byte => byte.toString(16).padStart(2, '0')).join('');
}
