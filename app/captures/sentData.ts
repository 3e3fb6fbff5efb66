import {firstAbove} from '../base/order.ts';
import {joinedBytes} from '../http/buffers.ts';
import {firstCovered} from './coverage.ts';

/** The data of one packet, as far as the file has them. */
export interface SentPiece {
  /** Offset of the data in the stream. */
  readonly first: number;
  readonly data: Uint8Array;
  readonly atNs: number;
}

/**
 * What one end of a connection sent, up to the first byte that the capture does not have. The pieces must be in order
 * of time.
 */
export class SentData {
  readonly bytes: Uint8Array;
  /**
   * `bytes` consists of parts: all bytes of a part were recorded for the first time in the same packet. These are the
   * offsets of the ends of the parts.
   */
  readonly ends: readonly number[];
  /** Whether the capture has data after the end of `bytes`. */
  readonly hasGap: boolean;
  readonly #recordedNs: readonly number[];
  readonly #inOrderNs: readonly number[];

  constructor(pieces: readonly SentPiece[]) {
    const ranges = pieces.map(({first, data, atNs}) => ({first, end: first + data.length, atNs}));
    const covered = firstCovered(ranges, 0);
    const parts: Uint8Array[] = [];
    const [ends, recordedNs, inOrderNs]: [number[], number[], number[]] = [[], [], []];
    let [end, lastNs] = [0, 0];
    for (const {from, to, by} of covered) {
      const piece = pieces[by];
      if (from !== end || piece === undefined) break;
      parts.push(piece.data.subarray(from - piece.first, to - piece.first));
      lastNs = Math.max(lastNs, piece.atNs);
      ends.push(to);
      recordedNs.push(piece.atNs);
      inOrderNs.push(lastNs);
      end = to;
    }
    this.bytes = joinedBytes(parts);
    this.ends = ends;
    this.hasGap = ends.length < covered.length;
    this.#recordedNs = recordedNs;
    this.#inOrderNs = inOrderNs;
  }

  /** When the byte at the offset `at` was recorded for the first time. */
  recordedNs(at: number): number {
    return this.#recordedNs[firstAbove(this.ends, at)] ?? 0;
  }

  /** When all bytes before `end` had been recorded. */
  inOrderNs(end: number): number {
    return this.#inOrderNs[firstAbove(this.ends, end - 1)] ?? 0;
  }
}
