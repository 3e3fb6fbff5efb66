import {firstAbove} from '../base/order.ts';

/** A set of whole numbers, such as the bytes of a stream that have arrived. It is kept as ranges without overlaps. */
export class ByteRanges {
  readonly #from: number[] = [];
  readonly #to: number[] = [];
  #moved = 0;

  /** Adds the numbers from `from` up to but not including `to`. */
  add(from: number, to: number): void {
    if (!(to > from)) return;
    // The ranges that overlap or touch the new one are merged with it.
    const first = firstAbove(this.#to, from - 1);
    const end = firstAbove(this.#from, to);
    // Hostile input could add many ranges in descending order. Each of them would move all others.
    this.#moved += first < end ? 0 : this.#from.length - first;
    if (this.#moved > MOST_MOVED) return;
    const start = Math.min(from, first < end ? (this.#from[first] ?? from) : from);
    const last = Math.max(to, first < end ? (this.#to[end - 1] ?? to) : to);
    this.#from.splice(first, end - first, start);
    this.#to.splice(first, end - first, last);
  }

  has(number: number): boolean {
    return this.covers(number, number + 1);
  }

  /** Whether the set has all numbers from `from` up to but not including `to`. */
  covers(from: number, to: number): boolean {
    const at = firstAbove(this.#to, from);
    return (this.#from[at] ?? Number.POSITIVE_INFINITY) <= from && to <= (this.#to[at] ?? 0);
  }

  /** The smallest number from 0 on that is not in the set. */
  get end(): number {
    return this.#from[0] === 0 ? (this.#to[0] ?? 0) : 0;
  }

  /** The largest number in the set. −1 if it is empty. */
  get largest(): number {
    return (this.#to.at(-1) ?? 0) - 1;
  }
}

/** How often ranges may be moved, in total, to insert others before them. After that, nothing more is added. */
const MOST_MOVED = 2e8;
