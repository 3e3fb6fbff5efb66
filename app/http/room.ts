/**
 * How far ahead of the congestion window a server that interleaves responses keeps its transport. Whatever is in the send
 * buffer can no longer be interleaved with a request that comes later. Four packets: what a stack may send in one burst
 * (RFC 9260 §6.1, Max.Burst).
 */
export const AHEAD_BYTES = 4 * 1500;

/**
 * What such a server may write now, to a transport that was opened with {@link AHEAD_BYTES} as its `aheadBytes`. Once
 * that is used up, `room` will tell of more.
 */
export class Room {
  #bytes = AHEAD_BYTES;

  get isLeft(): boolean {
    return this.#bytes > 0;
  }

  /** Of `room`. */
  handleRoom(bytes: number): void {
    this.#bytes = bytes;
  }

  handleWritten(bytes: number): void {
    this.#bytes -= bytes;
  }
}
