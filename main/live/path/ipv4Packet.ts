import {isTcpData} from '../../net/tcpInUdp.ts';
import {RELAYED} from './relayed.ts';

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
  const isLaterFragment = bytes >= IPV4_BYTES && (packet.readUInt16BE(6) & 0x1fff) !== 0;
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
const [IPV4_BYTES, UDP_BYTES] = [20, 8];
