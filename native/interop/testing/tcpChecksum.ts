/**
 * Writes the right checksum into a TCP segment between two ends at 127.0.0.1 (RFC 9293 §3.1). Returns the same segment.
 * A segment that is shorter than TCP's header stays as it is.
 */
export function withTcpChecksum(segment: Uint8Array): Uint8Array {
  if (segment.length < HEADER_BYTES) return segment;
  const view = new DataView(segment.buffer, segment.byteOffset, segment.byteLength);
  view.setUint16(CHECKSUM_AT, 0);
  // The sum begins with the pseudo header, which has both addresses, the protocol and the length.
  let sum = 2 * (0x7f00 + 0x0001) + TCP + segment.length;
  for (let at = 0; at + 1 < segment.length; at += 2) sum += view.getUint16(at);
  if (segment.length % 2 === 1) sum += view.getUint8(segment.length - 1) << 8;
  while (sum > 0xffff) sum = (sum & 0xffff) + Math.floor(sum / 0x10000);
  view.setUint16(CHECKSUM_AT, ~sum & 0xffff);
  return segment;
}

const HEADER_BYTES = 20;
const CHECKSUM_AT = 16;
/** The IP protocol number of TCP. */
const TCP = 6;
