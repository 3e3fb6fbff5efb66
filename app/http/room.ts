/**
 * How far an interleaving server writes ahead of its transport's congestion window. Data in the send buffer can no
 * longer be interleaved with a later request. The value is four packets, which is the largest burst of a stack (RFC
 * 9260 §6.1, Max.Burst).
 */
export const AHEAD_BYTES = 4 * 1500;

/**
 * How much an interleaving server may write now, to a transport that was opened with {@link AHEAD_BYTES} as its
 * `aheadBytes`. Once this is used up, a `room` event announces more.
 */
export class Room {
  #bytes = AHEAD_BYTES;

  get isLeft(): boolean {
    return this.#bytes > 0;
  }

  /** Takes the bytes of a `room` event. */
  handleRoom(bytes: number): void {
    this.#bytes = bytes;
  }

  handleWritten(bytes: number): void {
    this.#bytes -= bytes;
  }
}
