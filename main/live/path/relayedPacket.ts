import {PORT_OFFSETS} from '../base/liveAddress.ts';
import {carriesData} from '../base/sctpInUdp.ts';
import {isTcpData} from '../base/tcpInUdp.ts';

/** A protocol that a path relays. */
export interface Relayed {
  readonly name: 'sctp' | 'quic' | 'tcp';
  /** Distance of the protocol's port from the path's first port. */
  readonly portOffset: number;
  /**
   * How many bytes the path counts for each packet in addition to the datagram's content, so that packets have the same
   * size as in a simulation. These are the bytes of the IP header, and for QUIC also of the UDP header. For SCTP and
   * TCP the UDP header is not counted, because simulations do not carry them in UDP.
   */
  readonly headerBytes: number;
  /** Whether the datagram contains data. Some kinds of loss affect only such packets. */
  readonly hasData: (datagram: Buffer) => boolean;
}

/** Length of the IPv4 header without options (RFC 791 §3.1). */
const IP_BYTES = 20;
/** Length of the UDP header (RFC 768). */
const UDP_BYTES = 8;

export const RELAYED: readonly Relayed[] = [
  {name: 'sctp', portOffset: PORT_OFFSETS.sctp, headerBytes: IP_BYTES, hasData: carriesData},
  // QUIC is encrypted, so the path cannot see which packets contain data. All of them count as packets with data.
  {name: 'quic', portOffset: PORT_OFFSETS.quic, headerBytes: IP_BYTES + UDP_BYTES, hasData: () => true},
  {name: 'tcp', portOffset: PORT_OFFSETS.tcpInUdp, headerBytes: IP_BYTES, hasData: isTcpData},
];

/** What an emulated path must know of an IPv4 packet. */
export interface CountedPacket {
  /** The size of the packet as the path counts it. */
  readonly bytes: number;
  /** Whether the packet contains data. Some kinds of loss affect only such packets. */
  readonly hasData: boolean;
  /** A number that packets with the same protocol, addresses and ports share. */
  readonly flow: number;
  /** The ECN codepoint, 0 to 3. */
  readonly ecn: number;
}

/**
 * Returns what an emulated path must know of an IPv4 packet. `port` is the first port of the live server. A UDP
 * datagram from or to one of the server's UDP ports is counted as {@link RELAYED} says. Every fragment except the first
 * counts as data, because it has no header of the transport. A packet whose IP, TCP or UDP header is cut short counts
 * as a packet without data. So does a packet of any other protocol.
 */
export function countedPacket(packet: Buffer, port: number): CountedPacket {
  return {...sizeOf(packet, port), flow: flowOf(packet), ecn: (packet[1] ?? 0) & ECN_BITS};
}

function sizeOf(packet: Buffer, port: number): Pick<CountedPacket, 'bytes' | 'hasData'> {
  const bytes = packet.length;
  // The field IHL counts words of four bytes (RFC 791 §3.1).
  const headerBytes = 4 * ((packet[0] ?? 0) & 15);
  const isLaterFragment = bytes >= IP_BYTES && (packet.readUInt16BE(6) & 0x1fff) !== 0;
  if (isLaterFragment) return {bytes, hasData: true};
  const within = packet.subarray(headerBytes);
  if (packet[9] === TCP) return {bytes, hasData: isTcpData(within)};
  if (packet[9] !== UDP || within.length < UDP_BYTES) return {bytes, hasData: false};
  const ports = [within.readUInt16BE(0), within.readUInt16BE(2)];
  const relayed = RELAYED.find(({portOffset}) => ports.includes(port + portOffset));
  const datagram = within.subarray(UDP_BYTES);
  if (relayed === undefined) return {bytes, hasData: datagram.length > 0};
  return {bytes: relayed.headerBytes + datagram.length, hasData: relayed.hasData(datagram)};
}

/** Hashes the protocol, the addresses and, except in later fragments, the ports (FNV-1a). */
function flowOf(packet: Buffer): number {
  const headerBytes = 4 * ((packet[0] ?? 0) & 15);
  const isLaterFragment = packet.length >= IP_BYTES && (packet.readUInt16BE(6) & 0x1fff) !== 0;
  const ports = isLaterFragment ? [] : packet.subarray(headerBytes, headerBytes + 4);
  const hash = (sum: number, byte: number): number => Math.imul(sum ^ byte, 0x0100_0193);
  return [packet[9] ?? 0, ...packet.subarray(12, IP_BYTES), ...ports].reduce(hash, 0x811c_9dc5) >>> 0;
}

/** Returns an IPv4 packet with the ECN codepoint CE (RFC 3168 §5). Its header's checksum is corrected (RFC 1624 §3). */
export function markedPacket(packet: Uint8Array): Uint8Array {
  const marked = Buffer.from(packet);
  if (marked.length < IP_BYTES) return marked;
  const before = marked.readUInt16BE(0);
  marked[1] = (marked[1] ?? 0) | ECN_BITS;
  let sum = (~marked.readUInt16BE(10) & 0xffff) + (~before & 0xffff) + marked.readUInt16BE(0);
  while (sum > 0xffff) sum = (sum & 0xffff) + (sum >>> 16);
  marked.writeUInt16BE(~sum & 0xffff, 10);
  return marked;
}

/** The ECN field in the second byte of the IP header. */
const ECN_BITS = 3;

const [TCP, UDP] = [6, 17];
