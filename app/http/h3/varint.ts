// Variable-length integers (RFC 9000 §16) of 1, 2, 4 or 8 bytes. The first two bits determine the length.

/** Encodes a whole number from 0 to 2^53 − 1. @throws RangeError for any other value */
export function encodeVarint(value: number): Uint8Array {
  if (!Number.isSafeInteger(value) || value < 0) throw new RangeError(`invalid integer: ${value}`);
  if (value < 2 ** 6) return Uint8Array.of(value);
  if (value < 2 ** 14) return Uint8Array.of(0x40 | (value >> 8), value & 255);
  const bytes = new Uint8Array(value < 2 ** 30 ? 4 : 8);
  const view = new DataView(bytes.buffer);
  if (bytes.length === 4) view.setUint32(0, value | 0x8000_0000);
  else {
    view.setUint32(0, 0xc000_0000 | Math.floor(value / 2 ** 32));
    view.setUint32(4, value % 2 ** 32);
  }
  return bytes;
}

/**
 * Reads the integer at `at`. Returns its value and the offset of its end, or undefined if it is incomplete. Values
 * above 2^53 are not exact.
 */
export function readVarint(bytes: Uint8Array, at: number): {readonly value: number; readonly end: number} | undefined {
  const first = bytes[at];
  if (first === undefined) return undefined;
  const end = at + (1 << (first >> 6));
  if (end > bytes.length) return undefined;
  let value = first & 63;
  for (let i = at + 1; i < end; i++) value = value * 256 + (bytes[i] ?? 0);
  return {value, end};
}
