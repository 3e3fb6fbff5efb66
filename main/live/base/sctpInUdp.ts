/** The UDP port for SCTP in UDP (RFC 6951 §5.1, IANA). */
export const SCTP_UDP_PORT = 9899;

/**
 * The SCTP port of this program's servers. SCTP headers contain it, UDP headers do not. It is HTTP's port, as in
 * simulations.
 */
export const SCTP_HTTP_PORT = 80;

/** The packet's SCTP source port. Undefined if the packet is shorter than an SCTP header. */
export function sourcePort(packet: Buffer): number | undefined {
  return packet.length < COMMON_HEADER_BYTES ? undefined : packet.readUInt16BE(0);
}

/** The packet's verification tag (RFC 9260 §3.1). 0 if the packet is shorter than an SCTP header. */
export function verificationTag(packet: Buffer): number {
  return packet.length < COMMON_HEADER_BYTES ? 0 : packet.readUInt32BE(4);
}

/** The type of the packet's first chunk (RFC 9260 §3.2). Undefined if the packet has no chunk. */
export function firstChunk(packet: Buffer): number | undefined {
  return packet[COMMON_HEADER_BYTES];
}

/** Whether the packet's only chunk is a SACK. Such packets occupy no memory at the receiver. */
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
