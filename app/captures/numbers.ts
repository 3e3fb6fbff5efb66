/** Reads an unsigned number of up to 6 bytes in network byte order. Bytes after the end of the array count as 0. */
export function numberAt(bytes: Uint8Array, at: number, size: number): number {
  let number = 0;
  for (let i = at; i < at + size; i++) number = number * 256 + (bytes[i] ?? 0);
  return number;
}

/**
 * Returns by how much the sequence number `to` is ahead of `from`. Sequence numbers wrap at 2^32 (RFC 1982 §3.2), so
 * the result is between −2^31 and 2^31 − 1.
 */
export function distance(from: number, to: number): number {
  return (to - from) | 0;
}
