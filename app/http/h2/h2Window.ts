import {H2ConnectionError} from './h2Error.ts';

/** How many bytes may still be sent (RFC 9113 §5.2), on a stream or the connection. */
export class SendWindow {
  #bytes: number;

  constructor(bytes: number) {
    this.#bytes = bytes;
  }

  /** Negative if the peer's settings shrank the window (RFC 9113 §6.9.2). */
  get bytes(): number {
    return this.#bytes;
  }

  take(bytes: number): void {
    this.#bytes -= bytes;
  }

  /** Grows the window. Returns false if that exceeds the largest window (RFC 9113 §6.9.1). */
  grow(bytes: number): boolean {
    this.#bytes += bytes;
    return this.#bytes <= MOST_WINDOW_BYTES;
  }
}

/** How many bytes the peer may still send, on a stream or the connection. Received bytes are consumed at once. */
export class ReceiveWindow {
  readonly #bytes: number;
  #left: number;

  constructor(bytes: number) {
    this.#bytes = bytes;
    this.#left = bytes;
  }

  /** Takes received bytes. Returns false if they exceed the window. */
  take(bytes: number): boolean {
    this.#left -= bytes;
    return this.#left >= 0;
  }

  /** The increment to announce. It is 0 until half of the window is used, as in Chromium (`net/spdy`). */
  pollUpdate(): number {
    const used = this.#bytes - this.#left;
    if (used < this.#bytes / 2) return 0;
    this.#left = this.#bytes;
    return used;
  }
}

/** Checks a window size that the peer sets. @throws H2ConnectionError */
export function windowSetting(bytes: number): number {
  if (bytes > MOST_WINDOW_BYTES) throw new H2ConnectionError('FLOW_CONTROL_ERROR', `a window of ${bytes} bytes`);
  return bytes;
}

/** The initial window (RFC 9113 §6.9.2). */
export const USUAL_WINDOW_BYTES = 65_535;
const MOST_WINDOW_BYTES = 2 ** 31 - 1;
