import {PORT_OFFSETS} from '../base/liveAddress.ts';
import {carriesData} from '../base/sctpInUdp.ts';
import {isTcpData} from '../base/tcpInUdp.ts';

/** A protocol that a path carries. Each has its own port, at an offset from the first. */
export interface Relayed {
  readonly name: 'sctp' | 'quic' | 'tcp';
  readonly portOffset: number;
  /**
   * Bytes that a simulation's path counts per packet besides the datagram: IP's header, and UDP's if the transport has
   * one by nature. UDP's header is not counted for SCTP and TCP, which are in UDP only here.
   */
  readonly headerBytes: number;
  /** Whether the datagram counts where loss applies to data packets only. */
  readonly hasData: (datagram: Buffer) => boolean;
}

/** Length of IPv4's header without options (RFC 791 §3.1). */
const IP_BYTES = 20;
/** Length of UDP's header (RFC 768). */
const UDP_BYTES = 8;

export const RELAYED: readonly Relayed[] = [
  {name: 'sctp', portOffset: PORT_OFFSETS.sctp, headerBytes: IP_BYTES, hasData: carriesData},
  // QUIC is encrypted, so nobody on the way can tell
  {name: 'quic', portOffset: PORT_OFFSETS.quic, headerBytes: IP_BYTES + UDP_BYTES, hasData: () => true},
  {name: 'tcp', portOffset: PORT_OFFSETS.tcpInUdp, headerBytes: IP_BYTES, hasData: isTcpData},
];

/** What a path counts for one of the kernel's IPv4 packets. */
export interface CountedPacket {
  readonly bytes: number;
  /** Whether it counts where loss applies to data packets only. */
  readonly hasData: boolean;
}

/**
 * Counts the IP packet as it is. A UDP datagram from or to a live server whose first port is `port` is counted as the
 * relays count it. A packet that is cut short has no data.
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
