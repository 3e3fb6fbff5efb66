import {Broken, type ByteReader, type Field, type Growing, hexText, type Part, partOf} from './part.ts';

/** Decodes the data that the STREAM and CRYPTO frames of a packet carry. */
export interface QuicContents {
  stream(id: number, offset: number, data: Uint8Array): readonly Part[];
  crypto(offset: number, data: Uint8Array): readonly Part[];
  /** Returns a stream's name for people: `stream 4 (river.jpg)`. */
  streamText(id: number): string;
}

/**
 * Decodes the frames of a packet (RFC 9000 §12.4) up to the first invalid frame. Bytes after an invalid frame cannot be
 * interpreted.
 */
export function decodeFrames(payload: ByteReader, contents: QuicContents): readonly Part[] {
  const parts: Part[] = [];
  while (payload.left > 0) {
    const part = decodeFrame(payload, contents);
    parts.push(part);
    if (part.fault !== undefined) break;
  }
  return parts;
}

function decodeFrame(payload: ByteReader, contents: QuicContents): Part {
  let name = 'frame';
  const part = partOf(name, payload, (bytes, out) => {
    const type = bytes.varint('Type');
    const known = TYPES.get(type);
    name = known?.name ?? `frame type ${hexText(type, 1)}`;
    if (known === undefined) throw new Broken('unknown frame type');
    const named = known.read({type, bytes, contents, out, add: adderTo(out.fields)});
    name = typeof named === 'string' ? named : name;
  });
  return {...part, name};
}

type Add = (name: string, text: string | number) => unknown;

function adderTo(fields: Field[]): Add {
  return (name, text) => fields.push({name, text: String(text)});
}

interface Reading {
  readonly type: number;
  readonly bytes: ByteReader;
  readonly contents: QuicContents;
  readonly out: Growing;
  readonly add: Add;
}

/** Reads the bytes after a frame's type. If the result is a string, it is a more specific name for the frame. */
type Read = (reading: Reading) => unknown;

const readPadding: Read = ({bytes, add}) => {
  // Each padding frame is one byte. Consecutive padding frames are shown as one part.
  let count = 1;
  while (bytes.next === 0) {
    bytes.take(1, 'PADDING');
    count += 1;
  }
  add('padding', `${count} B`);
};

/** Reads an ACK frame (RFC 9000 §19.3). */
const readAck: Read = ({type, bytes, add}) => {
  const largest = bytes.varint('Largest Acknowledged');
  add('Largest Acknowledged', largest);
  const delay = bytes.varint('ACK Delay');
  add('ACK Delay', `${delay} (${delay * 2 ** ACK_DELAY_EXPONENT} µs)`);
  const count = bytes.varint('ACK Range Count');
  add('ACK Range Count', count);
  let first = rangeStart(largest, bytes.varint('First ACK Range'));
  add('First ACK Range', `packets ${first} – ${largest}`);
  for (let range = 0; range < count; range++) {
    // RFC 9000 §19.3.1: at least one number lies between two ranges.
    const last = rangeStart(first, bytes.varint('Gap') + 2);
    first = rangeStart(last, bytes.varint('ACK Range Length'));
    add('ACK Range', `packets ${first} – ${last}`);
  }
  if (type === ACK_ECN) for (const name of ['ECT0 Count', 'ECT1 Count', 'ECN-CE Count']) add(name, bytes.varint(name));
};

function rangeStart(last: number, length: number): number {
  if (length > last) throw new Broken('a range of packets below number 0');
  return last - length;
}

const readCrypto: Read = ({bytes, add, contents, out}) => {
  const offset = bytes.varint('Offset');
  add('Offset', offset);
  const data = sized(bytes, 'Crypto Data');
  add('Length', `${data.length} B`);
  out.parts.push(...contents.crypto(offset, data));
};

/** Reads a STREAM frame (RFC 9000 §19.8). */
const readStream: Read = ({type, bytes, add, contents, out}) => {
  const id = bytes.varint('Stream ID');
  add('Stream ID', `${id} (${id % 2 === 0 ? 'client' : 'server'}-initiated, ${id % 4 < 2 ? 'bi' : 'uni'}directional)`);
  const offset = (type & OFF) === 0 ? 0 : bytes.varint('Offset');
  add('Offset', offset);
  const data = (type & LEN) === 0 ? bytes.rest() : sized(bytes, 'Stream Data');
  add('Length', (type & LEN) === 0 ? `${data.length} B, to the packet’s end` : `${data.length} B`);
  add('Fin', (type & FIN) === 0 ? 'no' : 'yes');
  out.parts.push(...contents.stream(id, offset, data));
  return `STREAM, ${contents.streamText(id)}`;
};

const readNewToken: Read = ({bytes, add}) => add('Token', `${sized(bytes, 'Token').length} B`);

const readNewConnectionId: Read = ({bytes, add}) => {
  add('Sequence Number', bytes.varint('Sequence Number'));
  add('Retire Prior To', bytes.varint('Retire Prior To'));
  add('Connection ID', bytesText(bytes.take(bytes.number(1, 'Length'), 'Connection ID')));
  add('Stateless Reset Token', bytesText(bytes.take(16, 'Stateless Reset Token')));
};

const readPath: Read = ({bytes, add}) => add('Data', bytesText(bytes.take(8, 'Data')));

/** Reads a CONNECTION_CLOSE frame (RFC 9000 §19.19). */
const readClose: Read = ({type, bytes, add}) => {
  add('Error Code', hexText(bytes.varint('Error Code'), 2));
  if (type === TRANSPORT_CLOSE) add('Frame Type', hexText(bytes.varint('Frame Type'), 1));
  const reason = sized(bytes, 'Reason Phrase');
  add('Reason Phrase', reason.length === 0 ? 'none' : `${reason.length} B`);
};

/** Reads a length and then this number of bytes. */
function sized(bytes: ByteReader, of: string): Uint8Array {
  return bytes.take(bytes.varint('Length'), of);
}

/** Writes bytes in hexadecimal. */
export function bytesText(bytes: Uint8Array): string {
  return Array.from(bytes, byte => byte.toString(16).padStart(2, '0')).join('');
}

/** Returns a function that reads a frame of which all fields are numbers. `names` are the names of these fields. */
function numbers(...names: readonly string[]): Read {
  return ({bytes, add}) => {
    for (const name of names) add(name, bytes.varint(name));
  };
}

const [OFF, LEN, FIN] = [0x04, 0x02, 0x01];
const [ACK_ECN, TRANSPORT_CLOSE] = [0x03, 0x1c];
/** The ACK Delay exponent that both ends use, which is the default (RFC 9000 §18.2). */
export const ACK_DELAY_EXPONENT = 3;

/** Frame types (RFC 9000 §19). */
const TYPES: ReadonlyMap<number, {readonly name: string; readonly read: Read}> = new Map<
  number,
  {readonly name: string; readonly read: Read}
>([
  [0x00, {name: 'PADDING', read: readPadding}],
  [0x01, {name: 'PING', read: () => undefined}],
  [0x02, {name: 'ACK', read: readAck}],
  [ACK_ECN, {name: 'ACK', read: readAck}],
  [0x04, {name: 'RESET_STREAM', read: numbers('Stream ID', 'Application Protocol Error Code', 'Final Size')}],
  [0x05, {name: 'STOP_SENDING', read: numbers('Stream ID', 'Application Protocol Error Code')}],
  [0x06, {name: 'CRYPTO', read: readCrypto}],
  [0x07, {name: 'NEW_TOKEN', read: readNewToken}],
  ...[0x08, 0x09, 0x0a, 0x0b, 0x0c, 0x0d, 0x0e, 0x0f].map(type => [type, {name: 'STREAM', read: readStream}] as const),
  [0x10, {name: 'MAX_DATA', read: numbers('Maximum Data')}],
  [0x11, {name: 'MAX_STREAM_DATA', read: numbers('Stream ID', 'Maximum Stream Data')}],
  [0x12, {name: 'MAX_STREAMS, bidirectional', read: numbers('Maximum Streams')}],
  [0x13, {name: 'MAX_STREAMS, unidirectional', read: numbers('Maximum Streams')}],
  [0x14, {name: 'DATA_BLOCKED', read: numbers('Maximum Data')}],
  [0x15, {name: 'STREAM_DATA_BLOCKED', read: numbers('Stream ID', 'Maximum Stream Data')}],
  [0x16, {name: 'STREAMS_BLOCKED, bidirectional', read: numbers('Maximum Streams')}],
  [0x17, {name: 'STREAMS_BLOCKED, unidirectional', read: numbers('Maximum Streams')}],
  [0x18, {name: 'NEW_CONNECTION_ID', read: readNewConnectionId}],
  [0x19, {name: 'RETIRE_CONNECTION_ID', read: numbers('Sequence Number')}],
  [0x1a, {name: 'PATH_CHALLENGE', read: readPath}],
  [0x1b, {name: 'PATH_RESPONSE', read: readPath}],
  [TRANSPORT_CLOSE, {name: 'CONNECTION_CLOSE', read: readClose}],
  [0x1d, {name: 'CONNECTION_CLOSE, by the application', read: readClose}],
  [0x1e, {name: 'HANDSHAKE_DONE', read: () => undefined}],
  // draft-ietf-quic-ack-frequency-04 §4 and §5.
  [0x1f, {name: 'IMMEDIATE_ACK', read: () => undefined}],
  [
    0xaf,
    {
      name: 'ACK_FREQUENCY',
      read: numbers('Sequence Number', 'Ack-Eliciting Threshold', 'Request Max Ack Delay', 'Reordering Threshold'),
    },
  ],
]);
