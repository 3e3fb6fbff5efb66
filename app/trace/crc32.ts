/**
 * CRC-32 as in gzip and PNG (RFC 1952 §8): finds every change of up to 32 bits in a row, and any other but one in
 * 2^32. It guards against accidents, not against forgers. The parts count as one.
 */
export function crc32(...parts: readonly Uint8Array[]): number {
  let crc = 0xffff_ffff;
  for (const part of parts) {
    for (const byte of part) crc = (crc >>> 8) ^ (TABLE[(crc ^ byte) & 0xff] ?? 0);
  }
  return ~crc >>> 0;
}

/** What each byte does to the remainder; x^32 + x^26 + … + 1, lowest bit first. */
const TABLE = Uint32Array.from({length: 256}, (_, byte) => {
  let crc = byte;
  for (let bit = 0; bit < 8; bit++) crc = crc & 1 ? (crc >>> 1) ^ 0xedb8_8320 : crc >>> 1;
  return crc;
});
