import {PORT_OFFSETS} from '../base/liveAddress.ts';
import {carriesData} from '../base/sctpInUdp.ts';
import {isTcpData} from '../base/tcpInUdp.ts';

/** A protocol that a path carries. Its port is at an offset from the path's first port. */
export interface Relayed {
  readonly name: 'sctp' | 'quic' | 'tcp';
  readonly portOffset: number;
  /**
   * How many bytes per packet the path of a simulation counts in addition to the datagram: the IP header, and the UDP
   * header if the transport normally runs on UDP. For SCTP and TCP the UDP header is not counted, because they are in
   * UDP only here.
   */
  readonly headerBytes: number;
  /** Whether the datagram is a data packet, for losses that affect only data packets. */
  readonly hasData: (datagram: Buffer) => boolean;
}

/** Length of IPv4's header without options (RFC 791 §3.1). */
const IP_BYTES = 20;
/** Length of UDP's header (RFC 768). */
const UDP_BYTES = 8;

export const RELAYED: readonly Relayed[] = [
  {name: 'sctp', portOffset: PORT_OFFSETS.sctp, headerBytes: IP_BYTES, hasData: carriesData},
  // QUIC is encrypted, so nobody on the way can see which packets have data
  {name: 'quic', portOffset: PORT_OFFSETS.quic, headerBytes: IP_BYTES + UDP_BYTES, hasData: () => true},
  {name: 'tcp', portOffset: PORT_OFFSETS.tcpInUdp, headerBytes: IP_BYTES, hasData: isTcpData},
];

/** What a path counts for one of the kernel's IPv4 packets. */
export interface CountedPacket {
  readonly bytes: number;
  /** Whether it is a data packet, for losses that affect only data packets. */
  readonly hasData: boolean;
}

/**
 * Returns what the path counts for an IP packet. A UDP datagram from or to a live server with the first port `port` is
 * counted in the same way as by the relays. A packet that is cut short counts as one without data.
 */
export function countedPacket(packet: Buffer, port: number): CountedPacket {
  const bytes = packet.length;
  // RFC 791 §3.1
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

const [TCP, UDP] = [6, 17];
