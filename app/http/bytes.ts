import type {Piece} from './transports.ts';

/** One behind the other. A single one is given as it is; others are copied. */
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

/** Joins pieces in memory that is used again: what is given holds until the next ones. */
export class Joiner {
  #memory = new Uint8Array(0);

  /** One behind the other; a single one as it is. */
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

/** What is left of pieces when the first `bytes` of them are gone. */
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

/** Arrays that are cut from larger ones: each new one has its price. */
export class Slices {
  #memory = new Uint8Array(0);
  #at = 0;

  /** So many zeros. */
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
