/** Reads an unsigned number of up to 6 bytes in network byte order. Bytes after the end of the array count as 0. */
export function numberAt(bytes: Uint8Array, at: number, size: number): number {
  let number = 0;
  for (let i = at; i < at + size; i++) number = number * 256 + (bytes[i] ?? 0);
  return number;
}

/** Returns the distance from `from` to `to` on a circle of 2^32 numbers, from −2^31 to 2^31 − 1 (RFC 1982 §3.2). */
export function distance(from: number, to: number): number {
  return (to - from) | 0;
}
