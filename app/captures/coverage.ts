import {firstAbove} from '../base/order.ts';
import {Heap} from './heap.ts';

/** A range of a stream, and the time at which something covered it, such as a packet or an acknowledgement. */
export interface Range {
  readonly first: number;
  readonly end: number;
  readonly atNs: number;
}

/** Bytes that one range covered before all other ranges did. */
interface Covered {
  readonly from: number;
  readonly to: number;
  /** Index of the range that covered the bytes first. */
  readonly by: number;
}

/**
 * Finds the range that covered each byte first. `ranges` must be in order of time. The result is in order of the bytes.
 * Bytes before `from` are left out.
 */
export function firstCovered(ranges: readonly Range[], from: number): readonly Covered[] {
  const order = Array.from(ranges.keys()).filter(i => endOf(i) > firstOf(i));
  order.sort((a, b) => firstOf(a) - firstOf(b) || a - b);
  const open = new Heap();
  const covered: Covered[] = [];
  for (let [at, next] = [from, 0]; ; ) {
    for (; next < order.length && firstOf(order[next] ?? 0) <= at; next++) open.add(order[next] ?? 0);
    while (open.least !== undefined && endOf(open.least) <= at) open.removeLeast();
    const by = open.least;
    if (by === undefined && next === order.length) return covered;
    const to = Math.min(
      by === undefined ? Number.POSITIVE_INFINITY : endOf(by),
      next < order.length ? firstOf(order[next] ?? 0) : Number.POSITIVE_INFINITY,
    );
    if (by !== undefined) covered.push({from: at, to, by});
    at = to;
  }

  function firstOf(range: number): number {
    return ranges[range]?.first ?? 0;
  }

  function endOf(range: number): number {
    return ranges[range]?.end ?? 0;
  }
}

/** Knows when the other end first acknowledged each byte of a stream, in order or out of order. */
export class Acknowledged {
  readonly #bytes: number[] = [];
  readonly #atNs: number[] = [];
  readonly #echoes: number[] = [];
  readonly #selective: Range[] = [];
  #lastNs = Number.NEGATIVE_INFINITY;
  /** The ranges that {@link #selective} covers, and their ends. Undefined until they are needed. */
  #covered: {readonly ranges: readonly Covered[]; readonly ends: Float64Array} | undefined;

  /**
   * Adds an acknowledgement. `echo` is the timestamp that it echoes, or NaN. Acknowledgements must be added in order of
   * time.
   */
  add(
    cumulative: number,
    sacks: readonly (readonly [from: number, to: number])[],
    atNs: number,
    echo = Number.NaN,
  ): void {
    this.#lastNs = atNs;
    this.#covered = undefined;
    for (const [first, end] of sacks) this.#selective.push({first, end, atNs});
    if (!(cumulative > (this.#bytes.at(-1) ?? Number.NEGATIVE_INFINITY))) return;
    this.#bytes.push(cumulative);
    this.#atNs.push(atNs);
    this.#echoes.push(echo);
  }

  /**
   * The positions up to which data were acknowledged in order: one for each acknowledgement that moved this position
   * forward.
   */
  get ends(): readonly number[] {
    return this.#bytes;
  }

  /** When the last acknowledgement was recorded. Negative infinity if there is none. */
  get lastNs(): number {
    return this.#lastNs;
  }

  /** When all bytes before `end` were acknowledged in order. Null if they never were. */
  inOrderNs(end: number): number | null {
    return this.#atNs[firstAbove(this.#bytes, end - 1)] ?? null;
  }

  /**
   * Returns the timestamp that the first acknowledgement of the byte at `at` echoes, if it is certainly the timestamp
   * of the packet that brought the byte. Otherwise returns NaN. `first` is the first byte of this packet. A receiver
   * echoes the timestamp only of a packet that continues the data in order (RFC 7323 §4.3), so everything before
   * `first` must have been acknowledged already.
   */
  echoOf(first: number, at: number): number {
    const i = firstAbove(this.#bytes, at);
    const isAwaited = (this.#bytes[i - 1] ?? Number.NEGATIVE_INFINITY) >= first;
    return isAwaited && this.#atNs[i] === this.firstNs(at) ? (this.#echoes[i] ?? Number.NaN) : Number.NaN;
  }

  /** When the byte at `at` was acknowledged, possibly out of order. Null if it never was. */
  firstNs(at: number): number | null {
    if (this.#covered === undefined) {
      const ranges = firstCovered(this.#selective, 0);
      this.#covered = {ranges, ends: Float64Array.from(ranges, ({to}) => to)};
    }
    const range = this.#covered.ranges[firstAbove(this.#covered.ends, at)];
    const selective = range !== undefined && range.from <= at ? (this.#selective[range.by]?.atNs ?? null) : null;
    const inOrder = this.inOrderNs(at + 1);
    return selective === null || inOrder === null ? (selective ?? inOrder) : Math.min(selective, inOrder);
  }
}
