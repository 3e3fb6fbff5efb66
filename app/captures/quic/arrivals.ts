import {ByteRanges} from '../byteRanges.ts';
import type {CapturedExchange} from '../capturedLoad.ts';

/**
 * A STREAM frame, and when it was recorded. In a capture at the server, the server's frames have the times at which
 * they were acknowledged.
 */
export interface SentPiece {
  readonly atNs: number;
  readonly stream: number;
  readonly first: number;
  readonly bytes: number;
  readonly isEnd: boolean;
}

/** The places in a stream up to which bytes must arrive before parts of a response can be read. */
export interface ReadableParts {
  /** Offset in the stream at which the header ends. Null if no header was sent. */
  readonly headerEnd: number | null;
  /** The offset in QPACK's encoder stream up to which bytes must arrive before the header can be read. */
  readonly needsEncoderBytes: number;
  /** The parts of the stream with the body: the payloads of the DATA frames. */
  readonly parts: readonly {readonly from: number; readonly to: number}[];
}

/** Determines when the parts of responses could be read. */
export class Arrivals {
  /** For each stream, the offsets up to which it had arrived without a gap, and when. */
  readonly #steps = new Map<number, {readonly atNs: number; readonly end: number}[]>();
  readonly #finished = new Map<number, {readonly size: number; readonly atNs: number}>();
  readonly #encoder: number;

  constructor(pieces: readonly SentPiece[], encoderStream = -1) {
    const ranges = new Map<number, ByteRanges>();
    for (const {atNs, stream, first, bytes, isEnd} of pieces) {
      const arrived = ranges.get(stream) ?? new ByteRanges();
      ranges.set(stream, arrived);
      const before = arrived.end;
      arrived.add(first, first + bytes);
      const steps = this.#steps.get(stream) ?? [];
      this.#steps.set(stream, steps);
      if (arrived.end > before) steps.push({atNs, end: arrived.end});
      if (isEnd && !this.#finished.has(stream)) this.#finished.set(stream, {size: first + bytes, atNs});
    }
    this.#encoder = encoderStream;
  }

  timesOf(
    stream: number,
    {headerEnd, needsEncoderBytes, parts}: ReadableParts,
  ): Pick<CapturedExchange, 'firstByteNs' | 'completeNs' | 'deliveries'> {
    const headNs = headerEnd === null ? null : this.#reachedNs(stream, headerEnd);
    const tableNs = needsEncoderBytes === 0 ? 0 : this.#reachedNs(this.#encoder, needsEncoderBytes);
    // A header that refers to QPACK's table waits for the entries, and the body waits for the header (RFC 9204 §2.1.2).
    const firstByteNs = headNs === null || tableNs === null ? null : Math.max(headNs, tableNs);
    if (firstByteNs === null) return {firstByteNs, completeNs: null, deliveries: []};
    const deliveries: {atNs: number; bytes: number}[] = [];
    let [part, before] = [0, 0];
    for (const {atNs, end} of this.#steps.get(stream) ?? []) {
      for (let next = parts[part]; next !== undefined && next.to <= end; next = parts[part]) {
        before += next.to - next.from;
        part += 1;
      }
      const begun = parts[part];
      const bytes = before + (begun === undefined ? 0 : Math.max(end - begun.from, 0));
      const last = deliveries.at(-1);
      const readNs = Math.max(atNs, firstByteNs);
      if (bytes <= (last?.bytes ?? 0)) continue;
      if (last?.atNs === readNs) deliveries[deliveries.length - 1] = {atNs: readNs, bytes};
      else deliveries.push({atNs: readNs, bytes});
    }
    return {firstByteNs, completeNs: this.#completeNs(stream, firstByteNs), deliveries};
  }

  /** Whether all bytes of a stream have arrived. */
  isWhole(stream: number): boolean {
    const size = this.#finished.get(stream)?.size;
    return size !== undefined && (this.#steps.get(stream)?.at(-1)?.end ?? 0) >= size;
  }

  #completeNs(stream: number, firstByteNs: number): number | null {
    const finished = this.#finished.get(stream);
    if (finished === undefined || !this.isWhole(stream)) return null;
    return Math.max(firstByteNs, finished.atNs, this.#reachedNs(stream, finished.size) ?? 0);
  }

  #reachedNs(stream: number, offset: number): number | null {
    return this.#steps.get(stream)?.find(({end}) => end >= offset)?.atNs ?? null;
  }
}
