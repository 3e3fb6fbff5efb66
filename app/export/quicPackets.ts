import type {Json} from '../base/json.ts';
import {Broken, ByteReader} from '../run/packets/part.ts';
import {hex, readQuicFrame} from '../run/packets/quicFrames.ts';
import {CONNECTION_ID_BYTES, LONG_HEADER, TAG_BYTES} from '../run/packets/quicPacketParts.ts';
import {UDP_HEADER_BYTES, wholeNumber} from '../run/packets/quicParts.ts';

/**
 * A QUIC packet as a qlog file contains it. The names of packet types and of the fields of headers and frames are those
 * of draft-ietf-quic-qlog-quic-events-13, except for `frame_size`.
 */
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
  const frame = readQuicFrame(bytes, {
    stream: (stream, offset, data) => pieces.push({stream, offset, bytes: data}),
    crypto: () => {},
  });
  return {...frame, frame_size: before - bytes.left};
}

/** Returns the header size of an IPv4 packet (RFC 791 §3.1). */
function ipHeaderBytes(packet: Uint8Array): number {
  return ((packet[0] ?? 0) & 15) * 4;
}

type Fields = {readonly [field: string]: Json};
/** The packet types with a long header, by their numbers (RFC 9000 §17.2, table 5). */
const LONG_TYPES = ['initial', '0RTT', 'handshake', 'retry'] as const;
