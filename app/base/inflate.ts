import {Gunzip, Inflate} from 'fflate';

/**
 * Inflates compressed bytes (RFC 1951). Bytes can inflate to a thousand times their size, so they are inflated in small
 * pieces, and the size is checked after each piece. Returns `too large` if they inflate to more than `most` bytes, and
 * undefined if they are damaged.
 */
export function inflated(bytes: Uint8Array, most: number): Uint8Array | 'too large' | undefined {
  return unpacked(Inflate, bytes, most);
}

/**
 * Like {@link inflated}, for a gzip file (RFC 1952). Its checksum is not compared. A file that is empty, or that
 * inflates to no bytes, counts as damaged.
 */
export function gunzipped(bytes: Uint8Array, most: number): Uint8Array | 'too large' | undefined {
  const whole = unpacked(Gunzip, bytes, most);
  return whole?.length === 0 ? undefined : whole;
}

function unpacked(
  Unpacking: typeof Inflate | typeof Gunzip,
  bytes: Uint8Array,
  most: number,
): Uint8Array | 'too large' | undefined {
  const pieces: Uint8Array[] = [];
  let length = 0;
  const unpacking = new Unpacking(piece => {
    length += piece.length;
    pieces.push(piece);
  });
  try {
    for (let at = 0; at < bytes.length; at += PIECE_BYTES) {
      unpacking.push(bytes.subarray(at, at + PIECE_BYTES), at + PIECE_BYTES >= bytes.length);
      if (length > most) return 'too large';
    }
  } catch {
    return undefined;
  }
  const whole = new Uint8Array(length);
  let at = 0;
  for (const piece of pieces) {
    whole.set(piece, at);
    at += piece.length;
  }
  return whole;
}

/** How many compressed bytes are inflated at a time. They become about a megabyte at most. */
const PIECE_BYTES = 1024;
