/**
 * Writes the right checksum into an SCTP packet (CRC32c, RFC 9260 §6.8, appendix A). Returns the same packet. A packet
 * that is shorter than the common header stays as it is.
 */
export function withChecksum(packet: Uint8Array): Uint8Array {
  if (packet.length < HEADER_BYTES) return packet;
  const view = new DataView(packet.buffer, packet.byteOffset, packet.byteLength);
  view.setUint32(CHECKSUM_AT, 0);
  let remainder = 0xffffffff;
  for (const byte of packet) remainder = (TABLE[(remainder ^ byte) & 0xff] ?? 0) ^ (remainder >>> 8);
  view.setUint32(CHECKSUM_AT, ~remainder >>> 0, true);
  return packet;
}

const HEADER_BYTES = 12;
const CHECKSUM_AT = 8;
/** The Castagnoli polynomial, bit-reversed. */
const POLYNOMIAL = 0x82f63b78;
const TABLE = Uint32Array.from({length: 256}, (_, byte) => {
  let entry = byte;
  for (let bit = 0; bit < 8; bit++) entry = entry & 1 ? (entry >>> 1) ^ POLYNOMIAL : entry >>> 1;
  return entry >>> 0;
});
