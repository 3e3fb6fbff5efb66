import type {RemoteInfo} from 'node:dgram';

/** SCTP's port on UDP (RFC 6951 §5.1, IANA). */
export const SCTP_UDP_PORT = 9899;

/** Of the servers here, in SCTP's packets: that of HTTP, as in simulations. */
export const SCTP_HTTP_PORT = 80;

/** The dynamic ports (RFC 6335 §6), of a client of a transport in UDP: nobody else has them. */
export const OWN_PORTS = [49_152, 65_536] as const;

/**
 * The largest IP packet that an association, or a connection of ours, may think of: UDP's header is between it and IP's
 * (RFC 6951 §5.1), and over IPv6 IP's is 20 B longer than it thinks.
 */
export function encapsulatedMtuBytes(family: 'IPv4' | 'IPv6'): number {
  return ETHERNET_MTU_BYTES - UDP_HEADER_BYTES - (family === 'IPv6' ? IPV6_MORE_BYTES : 0);
}

/** Where a packet came from: addresses and UDP's port (RFC 6951 §5.2). */
export function senderOf({address, port}: RemoteInfo): string {
  return `${address} ${port}`;
}

/** The SCTP port that it is from; undefined if it has none. */
export function sourcePort(packet: Buffer): number | undefined {
  return packet.length < COMMON_HEADER_BYTES ? undefined : packet.readUInt16BE(0);
}

/** RFC 9260 §3.1; 0 where there is none. */
export function verificationTag(packet: Buffer): number {
  return packet.length < COMMON_HEADER_BYTES ? 0 : packet.readUInt32BE(4);
}

/** The type of its first chunk (RFC 9260 §3.2). */
export function firstChunk(packet: Buffer): number | undefined {
  return packet[COMMON_HEADER_BYTES];
}

/** It has one chunk, and that is a SACK: there is nothing in it to keep. */
export function isOnlySack(packet: Uint8Array): boolean {
  const [type, , high = 0, low = 0] = packet.subarray(COMMON_HEADER_BYTES);
  return type === SACK && COMMON_HEADER_BYTES + 256 * high + low === packet.length;
}

/** A chunk of it is DATA or I-DATA (RFC 9260 §3.3.1, RFC 8260 §2.1). */
export function carriesData(packet: Buffer): boolean {
  for (let at = COMMON_HEADER_BYTES; at + CHUNK_HEADER_BYTES <= packet.length; ) {
    const [type = 0, bytes] = [packet[at], packet.readUInt16BE(at + 2)];
    if (type === DATA || type === I_DATA) return true;
    // whoever lies about its length has no data
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
