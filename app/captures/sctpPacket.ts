import type {IpPacket} from './ipPacket.ts';
import {numberAt} from './numbers.ts';

/** An SCTP packet (RFC 9260 §3). */
export interface SctpPacket {
  readonly ip: IpPacket;
  readonly fromPort: number;
  readonly toPort: number;
  readonly chunks: readonly SctpChunk[];
}

export type SctpChunk =
  | {readonly type: 'data'; readonly data: SctpData}
  | {readonly type: 'init' | 'initAck'; readonly outStreams: number; readonly inStreams: number; readonly tsn: number}
  | {
      readonly type: 'sack';
      /** The cumulative TSN acknowledgement. */
      readonly tsn: number;
      /** The gap ack blocks, as distances from `tsn`. Both ends are included. */
      readonly gaps: readonly (readonly [first: number, last: number])[];
    }
  | {readonly type: 'shutdown'; readonly tsn: number}
  | {readonly type: 'cookieEcho' | 'cookieAck' | 'abort' | 'close' | 'other'}
  /**
   * A record of DTLS in which no SCTP packet could be read, usually a handshake message. Only SCTP over DTLS has it.
   */
  | {readonly type: 'dtls'};

/** A DATA or I-DATA chunk (RFC 9260 §3.3.1, RFC 8260 §2.1). */
export interface SctpData {
  readonly tsn: number;
  readonly stream: number;
  /** The stream sequence number (SSN) of DATA, or the message identifier (MID) of I-DATA. */
  readonly message: number;
  readonly begins: boolean;
  readonly ends: boolean;
  /** Index of the fragment in its message. Undefined in a DATA chunk, which does not state it. */
  readonly fragment: number | undefined;
  readonly bytes: Uint8Array;
  /** Size of the data on the wire. */
  readonly size: number;
}

/** Reads a packet with the chunks that the file has. Undefined if its header is truncated. */
export function readSctpPacket(ip: IpPacket): SctpPacket | undefined {
  const {payload, payloadBytes} = ip;
  if (payload.length < HEADER_BYTES) return undefined;
  const chunks = readSctpChunks(payload, payloadBytes);
  return {ip, fromPort: numberAt(payload, 0, 2), toPort: numberAt(payload, 2, 2), chunks};
}

/** Reads the chunks of a packet that has `packetBytes` bytes on the wire. */
export function readSctpChunks(packet: Uint8Array, packetBytes: number): readonly SctpChunk[] {
  const chunks: SctpChunk[] = [];
  for (let at = HEADER_BYTES; at + 4 <= packet.length && chunks.length < MOST_CHUNKS; ) {
    const length = numberAt(packet, at + 2, 2);
    if (length < 4 || at + length > packetBytes) break;
    chunks.push(readChunk(packet[at] ?? 0, packet[at + 1] ?? 0, packet.subarray(at + 4, at + length), length - 4));
    at += length + ((4 - (length % 4)) % 4);
  }
  return chunks;
}

/** Reads a chunk's value, which has `size` bytes on the wire. */
function readChunk(type: number, flags: number, value: Uint8Array, size: number): SctpChunk {
  const tsn = numberAt(value, 0, 4);
  if (type === CHUNK.data || type === CHUNK.iData) {
    const header = type === CHUNK.data ? 12 : 16;
    const begins = (flags & 2) !== 0;
    const data = {
      tsn,
      stream: numberAt(value, 4, 2),
      message: type === CHUNK.data ? numberAt(value, 6, 2) : numberAt(value, 8, 4),
      begins,
      ends: (flags & 1) !== 0,
      // the first fragment has the protocol identifier in this place
      fragment: type === CHUNK.data ? undefined : begins ? 0 : numberAt(value, 12, 4),
      bytes: value.subarray(header),
      size: Math.max(size - header, 0),
    };
    return {type: 'data', data};
  }
  if (type === CHUNK.init || type === CHUNK.initAck) {
    const [outStreams, inStreams] = [numberAt(value, 8, 2), numberAt(value, 10, 2)];
    return {type: type === CHUNK.init ? 'init' : 'initAck', outStreams, inStreams, tsn: numberAt(value, 12, 4)};
  }
  if (type === CHUNK.sack) {
    const count = Math.min(numberAt(value, 8, 2), Math.floor((value.length - 12) / 4), MOST_GAPS);
    const gaps = Array.from({length: Math.max(count, 0)}, (_, i) => {
      return [numberAt(value, 12 + 4 * i, 2), numberAt(value, 14 + 4 * i, 2)] as const;
    });
    return {type: 'sack', tsn, gaps};
  }
  if (type === CHUNK.shutdown) return {type: 'shutdown', tsn};
  return {type: OTHERS.get(type) ?? 'other'};
}

// RFC 9260 §3.2, RFC 8260 §2.1
const CHUNK = {data: 0, init: 1, initAck: 2, sack: 3, shutdown: 7, iData: 64} as const;
const OTHERS: ReadonlyMap<number, 'cookieEcho' | 'cookieAck' | 'abort' | 'close'> = new Map([
  [6, 'abort'],
  [8, 'close'],
  [10, 'cookieEcho'],
  [11, 'cookieAck'],
  [14, 'close'],
]);
const HEADER_BYTES = 12;
/** The limits for a packet. 1500 bytes have room for 73 DATA chunks of one byte, or for 363 gap ack blocks. */
const [MOST_CHUNKS, MOST_GAPS] = [100, 400];
