import type {Piece} from './transports.ts';

/** Joins arrays. A single array is returned without a copy. */
export function joinedBytes(pieces: readonly Uint8Array[]): Uint8Array {
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

/** Joins pieces in memory that it reuses. A result is valid until the next call. */
export class Joiner {
  #memory = new Uint8Array(0);

  /** Joins the pieces. The bytes of a single piece are returned without a copy. */
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

/** Removes the first `bytes` bytes of a sequence of pieces and returns the rest. */
export function withoutFirst<P extends Piece>(pieces: readonly P[], bytes: number): P[] {
  let gone = bytes;
  let left = 0;
  for (const piece of pieces) {
    if (gone < piece.bytes.length) return [{...piece, bytes: piece.bytes.subarray(gone)}, ...pieces.slice(left + 1)];
    gone -= piece.bytes.length;
    left += 1;
  }
  return [];
}

/** Cuts small arrays from larger ones. This saves allocations. */
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

/**
 * Bytes of a stream that have arrived but cannot be parsed yet. The memory is reused, so a result is valid only until
 * the next bytes arrive.
 */
export class Unread {
  #memory = new Uint8Array(0);
  #from = 0;
  #to = 0;

  /** Number of bytes that wait to be parsed. */
  get bytes(): number {
    return this.#to - this.#from;
  }

  /** Appends bytes that have arrived, and returns all unparsed bytes. */
  with(bytes: Uint8Array): Uint8Array {
    const held = this.bytes;
    if (held === 0) return bytes;
    if (this.#to + bytes.length > this.#memory.length) this.#move(held + bytes.length);
    this.#memory.set(bytes, this.#to);
    this.#to += bytes.length;
    return this.#memory.subarray(this.#from, this.#to);
  }

  /**
   * Keeps the bytes of `all` from `at` on. Call this when `all`, the result of {@link Unread.with}, has been parsed up
   * to `at`.
   */
  keep(all: Uint8Array, at: number): void {
    if (all.buffer === this.#memory.buffer) {
      this.#from = this.#to - (all.length - at);
      return;
    }
    this.#from = 0;
    this.#to = 0;
    if (at === all.length) return;
    if (all.length - at > this.#memory.length) this.#move(all.length - at);
    this.#memory.set(all.subarray(at));
    this.#to = all.length - at;
  }

  /** Moves the held bytes to the front of a memory that has room for at least `bytes` bytes. */
  #move(bytes: number): void {
    const held = this.#memory.subarray(this.#from, this.#to);
    if (bytes > this.#memory.length) this.#memory = new Uint8Array(Math.max(2 * bytes, LEAST_BYTES));
    this.#memory.set(held);
    this.#from = 0;
    this.#to = held.length;
  }
}

/** The smallest memory that is allocated. It has room for a few packets. */
const LEAST_BYTES = 8192;
