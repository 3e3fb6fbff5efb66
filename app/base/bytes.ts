/** Encodes bytes as base64 with padding (RFC 4648 §4). */
export function base64(bytes: Uint8Array): string {
  return btoa(latin1(bytes));
}

/**
 * Returns a text with one character per byte. Bytes are converted in slices, because the stack limits the number of
 * arguments of a call.
 */
export function latin1(bytes: Uint8Array): string {
  let text = '';
  // Spread syntax would use the array's iterator, which is six times slower.
  for (let at = 0; at < bytes.length; at += SLICE_BYTES) {
    text += Reflect.apply(String.fromCharCode, null, bytes.subarray(at, at + SLICE_BYTES));
  }
  return text;
}

const SLICE_BYTES = 8192;

/** Returns the bytes of a text with one byte per character. This is the inverse of {@link latin1}. */
export function bytesOf(text: string): Uint8Array {
  const bytes = new Uint8Array(text.length);
  for (let i = 0; i < bytes.length; i++) bytes[i] = text.charCodeAt(i);
  return bytes;
}

// Browsers and Node have the function `btoa` (HTML), but app/ is compiled without the types of either.
declare const btoa: (latin1: string) => string;

/**
 * Returns the CRC-32 of all parts together, as in gzip and PNG (RFC 1952 §8). It detects every burst error of up to 32
 * bits, and all but one in 2^32 of other random changes. It does not protect against forgery.
 */
export function crc32(...parts: readonly Uint8Array[]): number {
  let crc = 0xffff_ffff;
  for (const part of parts) crc = continued(crc, part);
  return ~crc >>> 0;
}

/**
 * Continues a CRC with more bytes. Processes four bytes at a time ("slicing by 4": Kounavis & Berry, ISCC 2005), then
 * the remaining ones one by one.
 */
function continued(before: number, bytes: Uint8Array): number {
  const words = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  // A signed 32-bit integer holds the same bits as an unsigned one, and is several times as fast.
  let crc = before | 0;
  let at = 0;
  for (const end = bytes.length - 3; at < end; at += 4) {
    crc ^= words.getInt32(at, true);
    crc = entry(3, crc) ^ entry(2, crc >>> 8) ^ entry(1, crc >>> 16) ^ entry(0, crc >>> 24);
  }
  for (; at < bytes.length; at++) crc = (crc >>> 8) ^ entry(0, crc ^ (bytes[at] ?? 0));
  return crc;
}

/** Returns the CRC remainder of a byte that is followed by `zeros` zero bytes. */
function entry(zeros: number, byte: number): number {
  return TABLES[256 * zeros + (byte & 0xff)] ?? 0;
}

/** Four consecutive tables for the polynomial x^32 + x^26 + … + 1, with the lowest bit first. */
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
