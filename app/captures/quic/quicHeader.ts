import {Broken, ByteReader} from '../../run/packets/part.ts';

/** The beginning of a QUIC packet, without the part that header protection hides. */
export type QuicHeader = LongHeader | {readonly type: '1-RTT'; readonly end: number};

export interface LongHeader {
  readonly type: LongType | 'Version Negotiation';
  readonly version: number;
  readonly destination: Uint8Array;
  readonly source: Uint8Array;
  /**
   * Offset of the packet number in the datagram. In Retry and Version Negotiation, which have no number, it is where
   * the header ends.
   */
  readonly numberAt: number;
  /** Offset at which the packet ends. */
  readonly end: number;
}

type LongType = 'Initial' | '0-RTT' | 'Handshake' | 'Retry';

/**
 * Reads the header of the packet that begins at `at` in a datagram (RFC 9000 §17). Undefined if the packet has an
 * unknown version, is cut short, or has a connection ID that is too long.
 */
export function readQuicHeader(datagram: Uint8Array, at: number): QuicHeader | undefined {
  const bytes = new ByteReader(datagram.subarray(at));
  try {
    const first = bytes.number(1, 'first byte');
    if (first < LONG_HEADER) return {type: '1-RTT', end: datagram.length};
    const version = bytes.number(4, 'Version');
    const [destination, source] = [idOf(bytes, version), idOf(bytes, version)];
    const here = () => datagram.length - bytes.left;
    const rest = {version, destination, source, numberAt: here(), end: datagram.length};
    if (version === 0) return {type: 'Version Negotiation', ...rest};
    const type = LONG_TYPES.get(version)?.[(first >> 4) & 3];
    if (type === undefined) return undefined;
    if (type === 'Retry') return {type, ...rest};
    if (type === 'Initial') bytes.take(bytes.varint('Token Length'), 'Token');
    const length = bytes.varint('Length');
    const numberAt = here();
    bytes.take(length, 'packet');
    return {type, version, destination, source, numberAt, end: here()};
  } catch (error) {
    if (error instanceof Broken) return undefined;
    throw error;
  }
}

/**
 * Whether a UDP payload can be the first one of a QUIC connection: a client begins with an Initial packet of version 1
 * or 2, with a Destination Connection ID of 8 bytes or more (RFC 9000 §7.2), in a datagram of 1200 bytes or more
 * (§14.1).
 */
export function startsQuicConnection(payload: Uint8Array): boolean {
  if (payload.length < LEAST_INITIAL_BYTES) return false;
  const header = readQuicHeader(payload, 0);
  return header?.type === 'Initial' && header.destination.length >= LEAST_FIRST_ID_BYTES;
}

/** Reads a connection ID, which has at most 20 bytes in the known versions (RFC 9000 §17.2). */
function idOf(bytes: ByteReader, version: number): Uint8Array {
  const size = bytes.number(1, 'Connection ID Length');
  if (version !== 0 && size > 20) throw new Broken('the connection ID is too long');
  return bytes.take(size, 'Connection ID');
}

const LONG_HEADER = 0x80;
const LEAST_INITIAL_BYTES = 1200;
/** RFC 9000 §7.2. */
const LEAST_FIRST_ID_BYTES = 8;
export const VERSION_1 = 0x0000_0001;
export const VERSION_2 = 0x6b33_43cf;
/** The types of long headers by their numbers: RFC 9000 §17.2, table 5, and RFC 9369 §3.2. */
const LONG_TYPES: ReadonlyMap<number, readonly LongType[]> = new Map<number, readonly LongType[]>([
  [VERSION_1, ['Initial', '0-RTT', 'Handshake', 'Retry']],
  [VERSION_2, ['Retry', 'Initial', '0-RTT', 'Handshake']],
]);
