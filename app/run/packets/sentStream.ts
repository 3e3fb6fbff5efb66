/** Reassembles the bytes that an end has sent on a stream, from pieces in any order and with repetitions. */
export class SentStream {
  readonly #pieces: {readonly from: number; readonly bytes: Uint8Array}[] = [];
  #whole: Uint8Array | undefined;

  add(from: number, bytes: Uint8Array): void {
    if (bytes.length > 0) this.#pieces.push({from, bytes});
    this.#whole = undefined;
  }

  /**
   * The bytes from the first byte to the first gap. Their number never exceeds the size of all pieces together,
   * whatever offsets the pieces state.
   */
  get whole(): Uint8Array {
    this.#whole ??= this.#join();
    return this.#whole;
  }

  #join(): Uint8Array {
    const pieces = this.#pieces.toSorted((a, b) => a.from - b.from);
    const joined = new Uint8Array(pieces.reduce((sum, {bytes}) => sum + bytes.length, 0));
    let end = 0;
    for (const {from, bytes} of pieces) {
      if (from > end) break;
      if (from + bytes.length <= end) continue;
      joined.set(bytes, from);
      end = from + bytes.length;
    }
    return joined.subarray(0, end);
  }
}
