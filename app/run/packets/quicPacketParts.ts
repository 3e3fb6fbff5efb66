import {ByteReader, type Growing, hexText, type Part, partOf} from './part.ts';
import {bytesText, decodeFrames, type QuicContents} from './quicFrameParts.ts';

/** A packet's encryption level, which follows from its type. */
export type Level = 'Initial' | '0-RTT' | 'Handshake' | '1-RTT';

/** Like {@link QuicContents}, but for all packets of a datagram. */
export interface PacketContents {
  readonly numbers: {
    /** Returns the full packet number. `number` holds its lowest `bytes` bytes. */
    wholeNumber(level: Level, number: number, bytes: number): number;
  };
  stream: QuicContents['stream'];
  crypto(level: Level, offset: number, data: Uint8Array): readonly Part[];
  streamText: QuicContents['streamText'];
}

/** Decodes the packets of a datagram (RFC 9000 §17). The packets of this program are not encrypted. */
export function decodePackets(datagram: ByteReader, contents: PacketContents): readonly Part[] {
  const parts: Part[] = [];
  while (datagram.left > 0) {
    const part = decodePacket(datagram, contents);
    parts.push(part);
    // It is unknown where an invalid packet ends, so the bytes after it cannot be interpreted.
    if (part.fault !== undefined) break;
  }
  return parts;
}

function decodePacket(datagram: ByteReader, contents: PacketContents): Part {
  let name = 'QUIC packet';
  const part = partOf(name, datagram, (bytes, out) => {
    const add = adderTo(out);
    const first = bytes.number(1, 'first byte');
    const isLong = first >= LONG_HEADER;
    name = isLong ? (LONG_TYPES[(first >> 4) & 3] ?? name) : '1-RTT';
    add('Header Form', isLong ? '1 (long)' : '0 (short)');
    add('Fixed Bit', (first & FIXED_BIT) === 0 ? '0, which QUIC version 1 never has' : '1');
    if (isLong) name = readLong(first, bytes, out, contents);
    else {
      add('Spin Bit', (first >> 5) & 1);
      add('Key Phase', (first >> 2) & 1);
      add('Destination Connection ID', bytesText(bytes.take(CONNECTION_ID_BYTES, 'Destination Connection ID')));
      readProtected('1-RTT', first, new ByteReader(bytes.rest()), out, contents);
    }
  });
  return {...part, name: `QUIC ${name} packet`};
}

/** Reads a long header (RFC 9000 §17.2). Returns the packet's name. */
function readLong(first: number, bytes: ByteReader, out: Growing, contents: PacketContents): string {
  const add = adderTo(out);
  const level = LONG_TYPES[(first >> 4) & 3] ?? 'Retry';
  const version = bytes.number(4, 'Version');
  if (version !== 0) add('Long Packet Type', `${(first >> 4) & 3} (${level})`);
  add('Version', version);
  for (const name of ['Destination Connection ID', 'Source Connection ID'])
    add(name, bytesText(bytes.take(bytes.number(1, `${name} Length`), name)));
  if (version === 0) {
    while (bytes.left > 0) add('Supported Version', hexText(bytes.number(4, 'Supported Version'), 4));
    return 'Version Negotiation';
  }
  if (level === 'Retry') {
    add('Retry Token', `${Math.max(bytes.left - TAG_BYTES, 0)} B`);
    bytes.take(Math.max(bytes.left - TAG_BYTES, 0), 'Retry Token');
    add('Retry Integrity Tag', bytesText(bytes.take(TAG_BYTES, 'Retry Integrity Tag')));
    return level;
  }
  if (level === 'Initial') add('Token', `${bytes.take(bytes.varint('Token Length'), 'Token').length} B`);
  const length = bytes.varint('Length');
  add('Length', `${length} B`);
  readProtected(level, first, new ByteReader(bytes.take(length, 'packet')), out, contents);
  return level;
}

/** Reads the packet number and the payload. Real QUIC encrypts both. */
function readProtected(level: Level, first: number, bytes: ByteReader, out: Growing, contents: PacketContents): void {
  const add = adderTo(out);
  const numberBytes = ((first & 3) + 1) as 1 | 2 | 3 | 4;
  const number = bytes.number(numberBytes, 'Packet Number');
  const whole = contents.numbers.wholeNumber(level, number, numberBytes);
  add('Packet Number', `${whole} (sent as ${numberBytes} B: ${hexText(number, numberBytes)})`);
  const payload = new ByteReader(bytes.take(Math.max(bytes.left - TAG_BYTES, 0), 'Packet Payload'));
  add('Packet Payload', `${payload.left} B`);
  add('tag', `${bytes.take(TAG_BYTES, 'tag').length} B`);
  out.parts.push(
    ...decodeFrames(payload, {
      stream: (id, offset, data) => contents.stream(id, offset, data),
      crypto: (offset, data) => contents.crypto(level, offset, data),
      streamText: id => contents.streamText(id),
    }),
  );
}

function adderTo({fields}: Growing): (name: string, text: string | number) => unknown {
  return (name, text) => fields.push({name, text: String(text)});
}

/** The types of long headers by their numbers (RFC 9000 §17.2, table 5). */
const LONG_TYPES = ['Initial', '0-RTT', 'Handshake', 'Retry'] as const;
export const LONG_HEADER = 0x80;
const FIXED_BIT = 0x40;
/**
 * The length of each connection ID in bytes. A short header does not state the length (RFC 9000 §17.3.1). The value is
 * that of the simulated QUIC (native/netsim/src/quic/packet.rs).
 */
export const CONNECTION_ID_BYTES = 8;
/** Size of the tag of AEAD_AES_128_GCM in bytes (RFC 9001 §5.3). Packets have a tag although they are not encrypted. */
export const TAG_BYTES = 16;
