import {firstAbove} from '../base/order.ts';
import {joinedBytes} from '../http/buffers.ts';
import {ByteLog} from '../pipelines/writeLog.ts';

/** Bytes of the application that follow each other without a gap in the transport's stream. */
export interface Span {
  /** Offset in the stream of the transport. */
  readonly at: number;
  readonly bytes: Uint8Array;
  /** When the first byte was recorded for the first time. */
  readonly sentNs: number;
  /** When the receiving application could read all of the bytes. Null if the capture does not show that it could. */
  readonly readNs: number | null;
}

/** What the application at one end received from the other end: bytes in order, without TLS. */
export class Heard {
  readonly bytes: Uint8Array;
  /**
   * When the application could read that the other end sends no more. Null if the capture does not show that it could.
   * Undefined if the capture does not show that the bytes end here.
   */
  readonly endNs: number | null | undefined;
  readonly #spans: readonly Span[];
  readonly #ends: number[] = [];

  constructor(spans: readonly Span[], endNs?: number | null) {
    this.endNs = endNs;
    // a record of TLS may have no content
    this.#spans = spans.filter(({bytes}) => bytes.length > 0);
    this.bytes = joinedBytes(spans.map(({bytes}) => bytes));
    let end = 0;
    for (const {bytes} of this.#spans) {
      end += bytes.length;
      this.#ends.push(end);
    }
  }

  /** When the first byte of the span that contains the offset `at` was recorded for the first time. */
  sentNs(at: number): number {
    return this.#spans[firstAbove(this.#ends, at)]?.sentNs ?? 0;
  }

  /**
   * When all bytes before the offset `end` could be read. Null if the capture lacks some of these bytes, or does not
   * show that they could be read.
   */
  readNs(end: number): number | null {
    return this.#spans[firstAbove(this.#ends, end - 1)]?.readNs ?? null;
  }

  /**
   * Divides a range by the times at which its bytes could be read. Yields the end and the time of each part. Stops
   * before the first part that could never be read.
   */
  *reads(from: number, to: number): Generator<{readonly end: number; readonly atNs: number}> {
    for (let i = firstAbove(this.#ends, from); i < this.#ends.length; i++) {
      const start = this.#ends[i - 1] ?? 0;
      if (start >= to) return;
      const atNs = this.#spans[i]?.readNs ?? null;
      if (atNs === null) return;
      yield {end: Math.min(this.#ends[i] ?? 0, to), atNs};
    }
  }

  /**
   * Converts the owners of the application's bytes to a log of the bytes of the transport's stream. Other bytes of this
   * stream, such as those of TLS, belong to no exchange.
   */
  logOf(owners: readonly Owner[]): ByteLog {
    const log = new ByteLog();
    let [written, start, next] = [0, 0, 0];
    for (const {at, bytes} of this.#spans) {
      if (at > written) log.add(0, at - written, null);
      const end = start + bytes.length;
      for (let from = start; from < end; ) {
        while (next < owners.length && (owners[next]?.end ?? 0) <= from) next += 1;
        const owner = owners[next];
        const to = Math.min(owner?.end ?? end, end);
        log.add(0, to - from, owner?.exchange ?? null);
        from = to;
      }
      written = at + bytes.length;
      start = end;
    }
    return log;
  }
}

/** The exchange to which some bytes belong, or null for none. The bytes begin at the end of the previous owner. */
export interface Owner {
  readonly end: number;
  readonly exchange: number | null;
}
