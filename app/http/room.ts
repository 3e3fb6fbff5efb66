/**
 * How far an interleaving server writes ahead of its transport's congestion window. Data in the send buffer can no
 * longer be interleaved with a later request. The value is four packets, which is the largest burst of a stack (RFC
 * 9260 §6.1, Max.Burst).
 */
export const AHEAD_BYTES = 4 * 1500;

/**
 * Counts how many bytes an interleaving server may still write to a transport that was opened with {@link AHEAD_BYTES}
 * as its `aheadBytes`. Once they are written, a `room` event announces more.
 */
export class Room {
  #bytes = AHEAD_BYTES;

  get isLeft(): boolean {
    return this.#bytes > 0;
  }

  /** Adds the bytes that a `room` event announces. */
  handleRoom(bytes: number): void {
    this.#bytes = bytes;
  }

  handleWritten(bytes: number): void {
    this.#bytes -= bytes;
  }
}
