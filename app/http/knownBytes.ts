import {MOST_OBJECTS} from '../page/page.ts';

/** A cache of values that are computed from bytes. It saves time because most loads of a page repeat the same bytes. */
export class KnownBytes<T> {
  /**
   * Maps the hash of an entry's bytes to the entry. If the bytes of two entries have the same hash, the later entry
   * replaces the earlier one.
   */
  readonly #known = new Map<number, {readonly bytes: Uint8Array; readonly value: T}>();

  get(bytes: Uint8Array): T | undefined {
    const known = this.#known.get(hashOf(bytes));
    return known !== undefined && isSame(known.bytes, bytes) ? known.value : undefined;
  }

  /**
   * Adds the value that was computed from these bytes, unless the bytes are too long. The bytes are copied with
   * `new Uint8Array`, because the `slice` of Node's buffers does not copy.
   */
  keep(bytes: Uint8Array, value: T): void {
    if (bytes.length > LONGEST) return;
    if (this.#known.size >= MOST) this.#known.clear();
    this.#known.set(hashOf(bytes), {bytes: new Uint8Array(bytes), value});
  }
}

/** Returns the 32-bit FNV-1a hash of the bytes. */
function hashOf(bytes: Uint8Array): number {
  let hash = 0x811c9dc5;
  for (let i = 0; i < bytes.length; i++) hash = Math.imul(hash ^ (bytes[i] ?? 0), 0x01000193);
  return hash;
}

function isSame(a: Uint8Array, b: Uint8Array): boolean {
  if (a.length !== b.length) return false;
  for (let i = 0; i < a.length; i++) if (a[i] !== b[i]) return false;
  return true;
}

/** The largest number of entries. It suffices for the heads of all requests and responses of the largest page. */
const MOST = 2 * MOST_OBJECTS;
/** The largest number of bytes from which a cached value is computed. Heads and field blocks are rarely longer. */
const LONGEST = 1000;
