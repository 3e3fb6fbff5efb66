/** What was made of bytes once, for when the same bytes come again: most loads of a page say the same. */
export class KnownBytes<T> {
  /** By the bytes' hashes: of two that have the same one, the later. */
  readonly #known = new Map<number, {readonly bytes: Uint8Array; readonly value: T}>();

  get(bytes: Uint8Array): T | undefined {
    const known = this.#known.get(hashOf(bytes));
    return known !== undefined && isSame(known.bytes, bytes) ? known.value : undefined;
  }

  /** Not, if it is too much. */
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

/** Some pages' fields. */
const MOST = 1000;
/** Bytes; longer ones are hardly anybody's fields. */
const LONGEST = 1000;
