import {encapsulatedMtuBytes} from './udpSocket.ts';

/** The connection that a datagram belongs to. */
export type Addressee =
  /** The connection whose id begins with this number. This server has chosen the id. */
  | {readonly kind: 'number'; readonly number: number}
  /**
   * The connection whose id the client made up. `name` contains this id. The datagram may be the first of a new
   * connection.
   */
  | {readonly kind: 'name'; readonly name: string}
  /** No connection: the datagram is cut short, or its id is shorter than any id of a connection. */
  | {readonly kind: 'nobody'};

/**
 * Finds the addressee by the Destination Connection ID of the datagram's first packet (RFC 8999 §5). `isNumber` says
 * whether an open connection has the number. An id that a client made up identifies a connection only together with the
 * sender's address.
 */
export function addresseeOf(datagram: Buffer, sender: string, isNumber: (number: number) => boolean): Addressee {
  const isLong = ((datagram[0] ?? 0) & LONG_HEADER) !== 0;
  const at = isLong ? LONG_ID_AT : 1;
  const idBytes = isLong ? (datagram[at - 1] ?? 0) : ID_BYTES;
  if (datagram.length < at + idBytes || idBytes < ID_BYTES) return {kind: 'nobody'};
  const number = datagram.readUInt32BE(at);
  if (idBytes === ID_BYTES && isNumber(number)) return {kind: 'number', number};
  // If no connection has this id and the datagram starts none, the server answers with a stateless reset (RFC 9000
  // §10.3) or not at all.
  return {kind: 'name', name: `${sender} ${datagram.toString('latin1', at, at + idBytes)}`};
}

/**
 * The part of a received datagram before its first Retry packet. A server calls this, because a forged Retry packet
 * would make the QUIC library end the connection. Clients never send Retry packets (RFC 9000 §17.2.5).
 */
export function beforeRetry(datagram: Buffer): Buffer {
  // A datagram may contain several packets. The length field of each says where the next one begins (RFC 9000 §12.2).
  for (let at = 0; at + LONG_ID_AT <= datagram.length; ) {
    const type = (datagram[at] ?? 0) & PACKET_TYPE;
    if (type === RETRY) return datagram.subarray(0, at);
    if ((type & LONG_HEADER) === 0) break;
    const sourceAt = at + LONG_ID_AT + (datagram[at + LONG_ID_AT - 1] ?? 0);
    let lengthAt = sourceAt + 1 + (datagram[sourceAt] ?? 0);
    if (type === INITIAL) {
      const token = numberAt(datagram, lengthAt);
      lengthAt = token.end + token.value;
    }
    const {value, end} = numberAt(datagram, lengthAt);
    at = end + value;
  }
  return datagram;
}

/**
 * Reads a variable-length integer (RFC 9000 §16). If the integer has more than four bytes or is cut short, `end` is the
 * datagram's end.
 */
function numberAt(datagram: Buffer, at: number): {readonly value: number; readonly end: number} {
  const bytes = 1 << ((datagram[at] ?? 0) >> 6);
  if (bytes > 4 || at + bytes > datagram.length) return {value: 0, end: datagram.length};
  return {value: datagram.readUIntBE(at, bytes) % 2 ** (8 * bytes - 2), end: at + bytes};
}

/**
 * The MTU to configure for a QUIC connection, in bytes of an IPv4 packet. Over IPv6 it is smaller, because the stack
 * always counts an IPv4 header, which is 20 bytes shorter than IPv6's.
 */
export function quicMtuBytes(family: 'IPv4' | 'IPv6'): number {
  return encapsulatedMtuBytes(family) + UDP_HEADER_BYTES;
}

const LONG_HEADER = 0x80;
/** Mask of the bits for long header, fixed bit and packet type (RFC 9000 §17.2). */
const PACKET_TYPE = 0xf0;
const [INITIAL, RETRY] = [0xc0, 0xf0];
/**
 * Offset of the Destination Connection ID in a long header. The first byte, the version and the id's length precede it
 * (RFC 8999 §5.1).
 */
const LONG_ID_AT = 6;
/**
 * Length of the connection ids that this program's servers choose. The id that a client makes up is at least as long
 * (RFC 9000 §7.2).
 */
const ID_BYTES = 8;
const UDP_HEADER_BYTES = 8;
