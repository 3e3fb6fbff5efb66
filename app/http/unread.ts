/**
 * What came of a stream and cannot be read yet. It is in memory that is used again: what is given holds until the next
 * bytes come.
 */
export class Unread {
  #memory = new Uint8Array(0);
  #from = 0;
  #to = 0;

  /** All that there is to read with these bytes. */
  with(bytes: Uint8Array): Uint8Array {
    const held = this.#to - this.#from;
    if (held === 0) return bytes;
    if (this.#to + bytes.length > this.#memory.length) this.#move(held + bytes.length);
    this.#memory.set(bytes, this.#to);
    this.#to += bytes.length;
    return this.#memory.subarray(this.#from, this.#to);
  }

  /** Of what {@link Unread.with} gave, the end that is not read. */
  keep(rest: Uint8Array): void {
    if (rest.buffer === this.#memory.buffer) {
      this.#from = this.#to - rest.length;
      return;
    }
    [this.#from, this.#to] = [0, 0];
    if (rest.length > this.#memory.length) this.#move(rest.length);
    this.#memory.set(rest);
    this.#to = rest.length;
  }

  /** To the front, where there is room for so many bytes. */
  #move(bytes: number): void {
    const held = this.#memory.subarray(this.#from, this.#to);
    if (bytes > this.#memory.length) this.#memory = new Uint8Array(Math.max(2 * bytes, LEAST_BYTES));
    this.#memory.set(held);
    [this.#from, this.#to] = [0, held.length];
  }
}

/** Some packets. */
const LEAST_BYTES = 8192;
