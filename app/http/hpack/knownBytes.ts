/** A cache of values by the bytes that they were made from. Most loads of a page repeat the same bytes. */
export class KnownBytes<T> {
  /** By the hash of the bytes. Of two keys with the same hash, the later one stays. */
  readonly #known = new Map<number, {readonly bytes: Uint8Array; readonly value: T}>();

  get(bytes: Uint8Array): T | undefined {
    const known = this.#known.get(hashOf(bytes));
    return known !== undefined && isSame(known.bytes, bytes) ? known.value : undefined;
  }

  /** Long keys are not kept. */
  keep(bytes: Uint8Array, value: T): void {
    if (bytes.length > LONGEST) return;
    if (this.#known.size >= MOST) this.#known.clear();
    this.#known.set(hashOf(bytes), {bytes: bytes.slice(), value});
  }
}

/** FNV-1a, 32 bits. */
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

/** Enough for the fields of some pages. */
const MOST = 1000;
/** In bytes. Fields are hardly ever longer. */
const LONGEST = 1000;
