/** Bytes in the alphabet of RFC 4648 §4, padded. */
export function base64(bytes: Uint8Array): string {
  return btoa(latin1(bytes));
}

/** One character per byte, in slices: a call takes no more arguments than the stack holds. */
function latin1(bytes: Uint8Array): string {
  let text = '';
  for (let at = 0; at < bytes.length; at += SLICE_BYTES) {
    text += String.fromCharCode(...bytes.subarray(at, at + SLICE_BYTES));
  }
  return text;
}

const SLICE_BYTES = 8192;

// HTML, in every host; app/ is compiled without any host's types.
declare const btoa: (latin1: string) => string;

/**
 * CRC-32 as in gzip and PNG (RFC 1952 §8): finds every change of up to 32 bits in a row, and any other but one in
 * 2^32. It guards against accidents, not against forgers. The parts count as one.
 */
export function crc32(...parts: readonly Uint8Array[]): number {
  let crc = 0xffff_ffff;
  for (const part of parts) crc = continued(crc, part);
  return ~crc >>> 0;
}

/** Four bytes at a time ("slicing by 4": Kounavis & Berry, ISCC 2005), what is left one by one. */
function continued(before: number, bytes: Uint8Array): number {
  const words = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  // the same bits as a small integer, which is several times as fast
  let crc = before | 0;
  let at = 0;
  for (const end = bytes.length - 3; at < end; at += 4) {
    crc ^= words.getInt32(at, true);
    crc = entry(3, crc) ^ entry(2, crc >>> 8) ^ entry(1, crc >>> 16) ^ entry(0, crc >>> 24);
  }
  for (; at < bytes.length; at++) crc = (crc >>> 8) ^ entry(0, crc ^ (bytes[at] ?? 0));
  return crc;
}

/** What a byte does to the remainder, with so many bytes of zeros behind it. */
function entry(zeros: number, byte: number): number {
  return TABLES[256 * zeros + (byte & 0xff)] ?? 0;
}

/** Four tables in a row; x^32 + x^26 + … + 1, lowest bit first. */
const TABLES = new Int32Array(4 * 256);
for (let byte = 0; byte < 256; byte++) {
  let crc = byte;
  for (let bit = 0; bit < 8; bit++) crc = crc & 1 ? (crc >>> 1) ^ 0xedb8_8320 : crc >>> 1;
  TABLES[byte] = crc;
}
for (let at = 256; at < TABLES.length; at++) {
  const before = TABLES[at - 256] ?? 0;
  TABLES[at] = (before >>> 8) ^ entry(0, before);
}
