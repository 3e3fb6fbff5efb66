/**
 * The number of bytes that a server with several responses on one connection writes ahead of its transport's congestion
 * window. The number is small, because data in the send buffer can no longer be interleaved with the response to a
 * later request. It is four packets, which is the largest burst of SCTP (RFC 9260 §6.1, Max.Burst).
 */
export const AHEAD_BYTES = 4 * 1500;

/**
 * Counts the bytes that a server with several responses on one connection may still write to its transport. The count
 * begins with the transport's `aheadBytes`. Each `room` event sets a new count.
 */
export class Room {
  #bytes: number;

  constructor(aheadBytes: number = AHEAD_BYTES) {
    this.#bytes = aheadBytes;
  }

  get isLeft(): boolean {
    return this.#bytes > 0;
  }

  /** Sets the number of bytes that a `room` event announces. */
  handleRoom(bytes: number): void {
    this.#bytes = bytes;
  }

  handleWritten(bytes: number): void {
    this.#bytes -= bytes;
  }
}
