import {ConnectionError} from './error.ts';

/** What may still be sent (RFC 9113 §5.2), of a stream or the connection. */
export class SendWindow {
  #bytes: number;

  constructor(bytes: number) {
    this.#bytes = bytes;
  }

  /** Below 0 when the peer's settings took some back (RFC 9113 §6.9.2). */
  get bytes(): number {
    return this.#bytes;
  }

  take(bytes: number): void {
    this.#bytes -= bytes;
  }

  /** Gives whether it is not more than a window can be (RFC 9113 §6.9.1). */
  grow(bytes: number): boolean {
    this.#bytes += bytes;
    return this.#bytes <= MOST_WINDOW_BYTES;
  }
}

/** What the peer may still send, of a stream or the connection; what comes is used at once. */
export class ReceiveWindow {
  readonly #bytes: number;
  #left: number;

  constructor(bytes: number) {
    this.#bytes = bytes;
    this.#left = bytes;
  }

  /** Gives false if it is more than was allowed. */
  take(bytes: number): boolean {
    this.#left -= bytes;
    return this.#left >= 0;
  }

  /** What to allow anew: nothing until half is used, as in Chromium (`net/spdy`). */
  pollUpdate(): number {
    const used = this.#bytes - this.#left;
    if (used < this.#bytes / 2) return 0;
    this.#left = this.#bytes;
    return used;
  }
}

/** A window that the peer sets. @throws ConnectionError */
export function windowSetting(bytes: number): number {
  if (bytes > MOST_WINDOW_BYTES) throw new ConnectionError('FLOW_CONTROL_ERROR', `a window of ${bytes} bytes`);
  return bytes;
}

/** Without any word of it (RFC 9113 §6.9.2). */
export const USUAL_WINDOW_BYTES = 65_535;
const MOST_WINDOW_BYTES = 2 ** 31 - 1;
