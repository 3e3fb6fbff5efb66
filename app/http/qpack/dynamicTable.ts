import {type Field, fieldBytes} from '../hpack/field.ts';

/**
 * A dynamic table of QPACK (RFC 9204 §3.2). Entries have absolute indices: the first entry that is ever inserted has
 * index 0, and indices are never reused (§3.2.4).
 */
export class DynamicTable {
  /** The entries that have not been evicted, the oldest first. */
  readonly #entries: Field[] = [];
  #evicted = 0;
  #bytes = 0;
  #capacityBytes = 0;

  get capacityBytes(): number {
    return this.#capacityBytes;
  }

  /** Number of entries that were ever inserted. It is one more than the index of the newest entry. */
  get inserted(): number {
    return this.#evicted + this.#entries.length;
  }

  /** Number of entries that were evicted. It is the index of the oldest entry that is left. */
  get evicted(): number {
    return this.#evicted;
  }

  /** Returns an entry, or undefined if it was evicted or not yet inserted. */
  at(index: number): Field | undefined {
    return this.#entries[index - this.#evicted];
  }

  /**
   * Returns the value that `evicted` would have if entries were evicted until the table has `bytes` bytes of room. It
   * is at most `inserted`, even if the room cannot be made.
   */
  evictedForRoom(bytes: number): number {
    let [free, index] = [this.#capacityBytes - this.#bytes, this.#evicted];
    for (const entry of this.#entries) {
      if (free >= bytes) break;
      free += fieldBytes(entry);
      index += 1;
    }
    return index;
  }

  /**
   * Inserts an entry and returns the entries that are evicted for it, the oldest first. The entry must not be larger
   * than the capacity (RFC 9204 §3.2.2).
   */
  insert(field: Field): readonly Field[] {
    const bytes = fieldBytes(field);
    if (bytes > this.#capacityBytes) throw new RangeError(`entry of ${bytes} bytes, capacity ${this.#capacityBytes}`);
    const gone = this.#evictTo(this.#capacityBytes - bytes);
    this.#entries.push(field);
    this.#bytes += bytes;
    return gone;
  }

  /** Changes the capacity. Entries that no longer fit are evicted, the oldest first. */
  resize(capacityBytes: number): void {
    this.#capacityBytes = capacityBytes;
    this.#evictTo(capacityBytes);
  }

  #evictTo(bytes: number): readonly Field[] {
    let count = 0;
    while (this.#bytes > bytes) {
      const oldest = this.#entries[count];
      this.#bytes -= oldest === undefined ? this.#bytes : fieldBytes(oldest);
      count += 1;
    }
    this.#evicted += count;
    return count === 0 ? NONE : this.#entries.splice(0, count);
  }
}

const NONE: readonly Field[] = [];

/**
 * The size of an entry without name and value, from which the largest number of entries is computed (RFC 9204
 * §4.5.1.1).
 */
export const ENTRY_OVERHEAD_BYTES = 32;
