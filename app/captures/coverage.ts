import {firstAbove} from '../base/order.ts';
import {Heap} from './heap.ts';

/** A range of a stream that something covers at a time. */
export interface Range {
  readonly first: number;
  readonly end: number;
  readonly atNs: number;
}

/** A range whose bytes were all covered first by the same range. */
interface Covered {
  readonly from: number;
  readonly to: number;
  /** Index of the range that covered it first. */
  readonly by: number;
}

/** Returns which of the ranges, which must be in order of time, covered each byte first, in order of the bytes. */
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

/** When the other end acknowledged each byte of a stream first, in order or out of order. */
export class Acknowledged {
  readonly #bytes: number[] = [];
  readonly #atNs: number[] = [];
  readonly #selective: Range[] = [];
  #lastNs = Number.NEGATIVE_INFINITY;
  /** The ranges that {@link #selective} covers, and their ends. Undefined until they are needed. */
  #covered: {readonly ranges: readonly Covered[]; readonly ends: Float64Array} | undefined;

  /** Adds an acknowledgement. Call it in order of time. */
  add(cumulative: number, sacks: readonly (readonly [from: number, to: number])[], atNs: number): void {
    this.#lastNs = atNs;
    for (const [first, end] of sacks) this.#selective.push({first, end, atNs});
    if (!(cumulative > (this.#bytes.at(-1) ?? Number.NEGATIVE_INFINITY))) return;
    this.#bytes.push(cumulative);
    this.#atNs.push(atNs);
  }

  /** The ends of the ranges that were acknowledged at once, in order. */
  get ends(): readonly number[] {
    return this.#bytes;
  }

  /** When the last acknowledgement was sent. */
  get lastNs(): number {
    return this.#lastNs;
  }

  /** When all bytes before `end` were acknowledged. Null if they never were. */
  inOrderNs(end: number): number | null {
    return this.#atNs[firstAbove(this.#bytes, end - 1)] ?? null;
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
