import {firstAbove} from '../base/order.ts';
import {joinedBytes} from '../http/buffers.ts';
import {ByteLog} from '../pipelines/writeLog.ts';

/** Bytes for the application that lie together in a stream of the transport. */
export interface Span {
  /** Offset in the stream of the transport. */
  readonly at: number;
  readonly bytes: Uint8Array;
  /** When the first byte was recorded first. */
  readonly sentNs: number;
  /** When the receiving application could read the bytes, as far as the capture shows it. Null if it never could. */
  readonly readNs: number | null;
}

/** What one end sent to the other application: bytes without TLS, in order. */
export class Heard {
  readonly bytes: Uint8Array;
  readonly #spans: readonly Span[];
  readonly #ends: number[] = [];

  constructor(spans: readonly Span[]) {
    // a record of TLS may be empty
    this.#spans = spans.filter(({bytes}) => bytes.length > 0);
    this.bytes = joinedBytes(spans.map(({bytes}) => bytes));
    let end = 0;
    for (const {bytes} of this.#spans) {
      end += bytes.length;
      this.#ends.push(end);
    }
  }

  /** When the byte at `at` was recorded first. */
  sentNs(at: number): number {
    return this.#spans[firstAbove(this.#ends, at)]?.sentNs ?? 0;
  }

  /** When all bytes before `end` could be read. Null if they never could, or if the capture does not have them. */
  readNs(end: number): number | null {
    return this.#spans[firstAbove(this.#ends, end - 1)]?.readNs ?? null;
  }

  /** Returns the ends of the parts of a range that could be read at different times. Parts never read are left out. */
  *reads(from: number, to: number): Generator<{readonly end: number; readonly atNs: number}> {
    for (let i = firstAbove(this.#ends, from); i < this.#ends.length; i++) {
      const start = this.#ends[i - 1] ?? 0;
      if (start >= to) return;
      const atNs = this.#spans[i]?.readNs ?? null;
      if (atNs === null) return;
      yield {end: Math.min(this.#ends[i] ?? 0, to), atNs};
    }
  }

  /** Returns whose the bytes of the transport's stream are, from the owners of the application's bytes. */
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

/** The owner of the bytes from the end of the previous owner on. */
export interface Owner {
  readonly end: number;
  readonly exchange: number | null;
}
