import type {RemoteInfo} from 'node:dgram';

/** UDP port for SCTP (RFC 6951 §5.1, IANA). */
export const SCTP_UDP_PORT = 9899;

/** The SCTP port of this program's servers, inside their packets: HTTP's, as in simulations. */
export const SCTP_HTTP_PORT = 80;

/** Dynamic ports (RFC 6335 §6). A client of a transport in UDP draws its own port from them. */
export const OWN_PORTS = [49_152, 65_536] as const;

/**
 * MTU for an SCTP association or a TCP connection of ours that runs in UDP: the largest IP packet it may assume. UDP's
 * header stands between it and IP's (RFC 6951 §5.1), and IPv6's header is 20 bytes longer than the stack assumes.
 */
export function encapsulatedMtuBytes(family: 'IPv4' | 'IPv6'): number {
  return ETHERNET_MTU_BYTES - UDP_HEADER_BYTES - (family === 'IPv6' ? IPV6_MORE_BYTES : 0);
}

/** Where a packet came from: address and UDP port (RFC 6951 §5.2). */
export function senderOf({address, port}: RemoteInfo): string {
  return `${address} ${port}`;
}

/** The packet's SCTP source port. Undefined if the packet is too short to have one. */
export function sourcePort(packet: Buffer): number | undefined {
  return packet.length < COMMON_HEADER_BYTES ? undefined : packet.readUInt16BE(0);
}

/** The packet's verification tag (RFC 9260 §3.1). 0 if the packet is too short to have one. */
export function verificationTag(packet: Buffer): number {
  return packet.length < COMMON_HEADER_BYTES ? 0 : packet.readUInt32BE(4);
}

/** Type of the packet's first chunk (RFC 9260 §3.2). */
export function firstChunk(packet: Buffer): number | undefined {
  return packet[COMMON_HEADER_BYTES];
}

/** Whether the packet's only chunk is a SACK. Such a packet leaves nothing behind at its receiver. */
export function isOnlySack(packet: Uint8Array): boolean {
  const [type, , high = 0, low = 0] = packet.subarray(COMMON_HEADER_BYTES);
  return type === SACK && COMMON_HEADER_BYTES + 256 * high + low === packet.length;
}

/** Whether one of the packet's chunks is DATA or I-DATA (RFC 9260 §3.3.1, RFC 8260 §2.1). */
export function carriesData(packet: Buffer): boolean {
  for (let at = COMMON_HEADER_BYTES; at + CHUNK_HEADER_BYTES <= packet.length; ) {
    const [type = 0, bytes] = [packet[at], packet.readUInt16BE(at + 2)];
    if (type === DATA || type === I_DATA) return true;
    // a chunk that is shorter than its own header is malformed
    if (bytes < CHUNK_HEADER_BYTES) return false;
    at += bytes + (-bytes & 3);
  }
  return false;
}

const SACK = 3;
const [DATA, I_DATA] = [0, 64];
export const [INIT, COOKIE_ECHO] = [1, 10];

const COMMON_HEADER_BYTES = 12;
const CHUNK_HEADER_BYTES = 4;
/** RFC 894. */
const ETHERNET_MTU_BYTES = 1500;
/** RFC 768. */
const UDP_HEADER_BYTES = 8;
const IPV6_MORE_BYTES = 20;
