import type {Piece} from './transports.ts';

/** Joins arrays. A single one is returned itself; several are copied. */
export function joined(pieces: readonly Uint8Array[]): Uint8Array {
  const [only] = pieces;
  if (pieces.length === 1 && only !== undefined) return only;
  const all = new Uint8Array(pieces.reduce((sum, {length}) => sum + length, 0));
  let at = 0;
  for (const piece of pieces) {
    all.set(piece, at);
    at += piece.length;
  }
  return all;
}

/** Joins pieces in memory that is used again. The result is valid until the next call. */
export class Joiner {
  #memory = new Uint8Array(0);

  /** Joins the pieces. A single one is returned itself. */
  join(pieces: readonly Pick<Piece, 'bytes'>[]): Uint8Array {
    const [only] = pieces;
    if (pieces.length === 1 && only !== undefined) return only.bytes;
    const size = pieces.reduce((sum, {bytes}) => sum + bytes.length, 0);
    if (size > this.#memory.length) this.#memory = new Uint8Array(2 * size);
    let at = 0;
    for (const {bytes} of pieces) {
      this.#memory.set(bytes, at);
      at += bytes.length;
    }
    return this.#memory.subarray(0, size);
  }
}

/** The pieces without their first `bytes` bytes. */
export function behind<P extends Piece>(pieces: readonly P[], bytes: number): P[] {
  let gone = bytes;
  let left = 0;
  for (const piece of pieces) {
    if (gone < piece.bytes.length) return [{...piece, bytes: piece.bytes.subarray(gone)}, ...pieces.slice(left + 1)];
    gone -= piece.bytes.length;
    left += 1;
  }
  return [];
}

/** Cuts small arrays from larger ones, because each allocation has its cost. */
export class Slices {
  #memory = new Uint8Array(0);
  #at = 0;

  /** Returns `bytes` zeros. */
  take(bytes: number): Uint8Array {
    if (this.#at + bytes > this.#memory.length) {
      this.#memory = new Uint8Array(Math.max(bytes, SLICED_BYTES));
      this.#at = 0;
    }
    this.#at += bytes;
    return this.#memory.subarray(this.#at - bytes, this.#at);
  }
}

const SLICED_BYTES = 32_768;
