/**
 * Bytes of a stream that have arrived but cannot be parsed yet. The memory is used again: a result is valid until the
 * next bytes arrive.
 */
export class Unread {
  #memory = new Uint8Array(0);
  #from = 0;
  #to = 0;

  /** Number of bytes that wait to be parsed. */
  get bytes(): number {
    return this.#to - this.#from;
  }

  /** All unparsed bytes, including these. */
  with(bytes: Uint8Array): Uint8Array {
    const held = this.bytes;
    if (held === 0) return bytes;
    if (this.#to + bytes.length > this.#memory.length) this.#move(held + bytes.length);
    this.#memory.set(bytes, this.#to);
    this.#to += bytes.length;
    return this.#memory.subarray(this.#from, this.#to);
  }

  /** The result of {@link Unread.with} has been parsed up to `at`. */
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

  /** Moves the held bytes to the front, where there is room for `bytes` bytes. */
  #move(bytes: number): void {
    const held = this.#memory.subarray(this.#from, this.#to);
    if (bytes > this.#memory.length) this.#memory = new Uint8Array(Math.max(2 * bytes, LEAST_BYTES));
    this.#memory.set(held);
    this.#from = 0;
    this.#to = held.length;
  }
}

/** Room for some packets. */
const LEAST_BYTES = 8192;
