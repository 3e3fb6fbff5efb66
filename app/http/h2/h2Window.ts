import {H2ConnectionError} from './h2Error.ts';

/** Counts the bytes that this end may still send on a stream or on the connection (RFC 9113 §5.2). */
export class SendWindow {
  #bytes: number;

  constructor(bytes: number) {
    this.#bytes = bytes;
  }

  /**
   * The number of bytes that may still be sent. It is negative if the peer's settings shrank the window below the bytes
   * sent (RFC 9113 §6.9.2).
   */
  get bytes(): number {
    return this.#bytes;
  }

  take(bytes: number): void {
    this.#bytes -= bytes;
  }

  /**
   * Grows the window, or shrinks it if `bytes` is negative. Returns false if the window is then larger than allowed
   * (RFC 9113 §6.9.1).
   */
  grow(bytes: number): boolean {
    this.#bytes += bytes;
    return this.#bytes <= MOST_WINDOW_BYTES;
  }
}

/**
 * Counts the bytes that the peer may still send on a stream or on the connection. Received bytes count as consumed when
 * they arrive, so their part of the window can be given back to the peer.
 */
export class ReceiveWindow {
  readonly #bytes: number;
  #left: number;

  constructor(bytes: number) {
    this.#bytes = bytes;
    this.#left = bytes;
  }

  /** Subtracts received bytes from the window. Returns false if they exceed it. */
  take(bytes: number): boolean {
    this.#left -= bytes;
    return this.#left >= 0;
  }

  /**
   * Returns the increment to announce in a WINDOW_UPDATE. It is 0 until half of the window is used, as in Chromium
   * (`net/spdy`).
   */
  pollUpdate(): number {
    const used = this.#bytes - this.#left;
    if (used < this.#bytes / 2) return 0;
    this.#left = this.#bytes;
    return used;
  }
}

/** Checks and returns a window size that the peer sets. @throws H2ConnectionError if it is larger than allowed */
export function windowSetting(bytes: number): number {
  if (bytes > MOST_WINDOW_BYTES)
    throw new H2ConnectionError('FLOW_CONTROL_ERROR', `window of ${bytes} bytes (at most ${MOST_WINDOW_BYTES})`);
  return bytes;
}

/**
 * The size of every window at the start of a connection, unless its receiver announces another size (RFC 9113 §6.9.2).
 * The client announces larger windows (`h2Client.ts`), and the server keeps this size.
 */
export const USUAL_WINDOW_BYTES = 65_535;
const MOST_WINDOW_BYTES = 2 ** 31 - 1;
