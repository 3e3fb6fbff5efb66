import {encapsulatedMtuBytes} from './encapsulation.ts';

/** Whose a datagram is. */
export type Addressee =
  /** Of the connection that gave its peer such an id, by the number that the id begins with. */
  | {readonly kind: 'number'; readonly number: number}
  /** Perhaps the first of a connection, whose peer made an id up. */
  | {readonly kind: 'name'; readonly name: string}
  | {readonly kind: 'nobody'};

/** By the Destination Connection ID of its first packet (RFC 8999 §5), and the sender where that made it up. */
export function addresseeOf(datagram: Buffer, sender: string, isNumber: (number: number) => boolean): Addressee {
  const isLong = ((datagram[0] ?? 0) & LONG_HEADER) !== 0;
  const at = isLong ? LONG_ID_AT : 1;
  const idBytes = isLong ? (datagram[at - 1] ?? 0) : ID_BYTES;
  if (datagram.length < at + idBytes || idBytes < ID_BYTES) return {kind: 'nobody'};
  const number = datagram.readUInt32BE(at);
  if (idBytes === ID_BYTES && isNumber(number)) return {kind: 'number', number};
  // one without a connection is answered by a reset, if at all (RFC 9000 §10.3)
  return {kind: 'name', name: `${sender} ${datagram.toString('latin1', at, at + idBytes)}`};
}

/**
 * The datagram up to the first Retry in it, for a server: servers alone send that, it has no protection that counts here,
 * and the library ends a connection by it (RFC 9000 §17.2.5).
 */
export function beforeRetry(datagram: Buffer): Buffer {
  // packets of QUIC 1 in a datagram follow each other by their lengths (RFC 9000 §12.2)
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

/** RFC 9000 §16; beyond every datagram where it does not fit into four bytes, or into this one. */
function numberAt(datagram: Buffer, at: number): {readonly value: number; readonly end: number} {
  const bytes = 1 << ((datagram[at] ?? 0) >> 6);
  if (bytes > 4 || at + bytes > datagram.length) return {value: 0, end: datagram.length};
  return {value: datagram.readUIntBE(at, bytes) % 2 ** (8 * bytes - 2), end: at + bytes};
}

/** The largest IP packet that a connection may think of: over IPv6 IP's header is 20 B longer than it thinks. */
export function quicMtuBytes(family: 'IPv4' | 'IPv6'): number {
  return encapsulatedMtuBytes(family) + UDP_HEADER_BYTES;
}

const LONG_HEADER = 0x80;
/** With the bits that say that it is long and of QUIC (RFC 9000 §17.2). */
const PACKET_TYPE = 0xf0;
const [INITIAL, RETRY] = [0xc0, 0xf0];
/** Behind the first byte, the version and the id's length (RFC 8999 §5.1). */
const LONG_ID_AT = 6;
/** Of those that servers here give (RFC 9000 §7.2: no shorter than a client's first). */
const ID_BYTES = 8;
const UDP_HEADER_BYTES = 8;
