import {ByteReader, partOf} from './part.ts';

/** A packet's transport header and everything after it. */
export interface Datagram {
  readonly protocol: number;
  /** Address and port of the sender, such as `10.0.0.1:80`. */
  readonly from: string;
  readonly to: string;
  readonly bytes: Uint8Array;
}

/** The packets of a connection, which is identified by its protocol and both ends' addresses and ports. */
export interface Flow {
  /** Packets from the sender of the chosen packet, in the order of sending. */
  readonly own: readonly Datagram[];
  /** Index of the chosen packet in `own`. */
  readonly at: number;
  /** The packets that the other end sent. */
  readonly peer: readonly Datagram[];
}

/**
 * Returns all packets of the connection to which packet `at` belongs. The transport must be one with ports. Undefined
 * if the packet is cut off before the end of its ports.
 */
export function flowOf(packets: readonly Uint8Array[], at: number): Flow | undefined {
  const datagrams = packets.map(readDatagram);
  const chosen = datagrams[at];
  if (chosen === undefined) return undefined;
  const isBetween = (datagram: Datagram | undefined, from: string, to: string): boolean =>
    datagram?.protocol === chosen.protocol && datagram.from === from && datagram.to === to;
  const between = (from: string, to: string): readonly Datagram[] =>
    datagrams.filter(each => isBetween(each, from, to)).flatMap(each => each ?? []);
  const own = between(chosen.from, chosen.to);
  return {own, at: own.indexOf(chosen), peer: between(chosen.to, chosen.from)};
}

/**
 * Reads the addresses, ports and transport header of a packet. Undefined if the IPv4 header (RFC 791 §3.1) is
 * truncated, or if fewer than 4 bytes follow it.
 */
function readDatagram(packet: Uint8Array): Datagram | undefined {
  let read: Datagram | undefined;
  partOf('IPv4', new ByteReader(packet), bytes => {
    const headerBytes = (bytes.number(1, 'version and length') & 15) * 4;
    bytes.take(8, 'what is not needed');
    const protocol = bytes.number(1, 'protocol');
    bytes.take(2, 'checksum');
    const [from, to] = [bytes.take(4, 'source address'), bytes.take(4, 'destination address')];
    bytes.take(Math.max(headerBytes - PLAIN_BYTES, 0), 'options');
    const rest = bytes.rest();
    const ports = new ByteReader(rest);
    const address = (of: Uint8Array): string => `${of.join('.')}:${ports.number(2, 'port')}`;
    read = {protocol, from: address(from), to: address(to), bytes: rest};
  });
  return read;
}

/** Size of an IPv4 header without options. */
const PLAIN_BYTES = 20;
