import {ObjectScanner} from '../../page/htmlReader.ts';
import {INDEX_URL} from '../../page/page.ts';
import type {FoundObject} from '../../page/sheetObjects.ts';

/**
 * Finds a page's objects as the bytes of index.html arrive, as {@link ObjectScanner} does. The result depends only on
 * the bytes that have arrived. If these bytes are the beginning of the page's own HTML, and another load has already
 * scanned exactly as many of them, the result of that load is used again.
 */
export class IndexScanner {
  readonly #html: Uint8Array;
  readonly #scanned: Scanned;
  /** The scanner of this load alone, which has read all earlier bytes. Undefined while shared results suffice. */
  #scanner: ObjectScanner | undefined;
  /** Whether all bytes so far are those of the server's index.html. */
  #equalsHtml = true;
  /** Number of bytes scanned. */
  #at = 0;
  /** Number of objects found. */
  #count = 0;

  /** `html` is the server's index.html, whose bytes never change. */
  constructor(html: Uint8Array) {
    this.#html = html;
    this.#scanned = scannedOf(html);
  }

  /**
   * Scans the next bytes of the HTML. Returns the objects that are found with these bytes and were not found before.
   */
  push(bytes: Uint8Array): readonly FoundObject[] {
    const [from, before] = [this.#at, this.#count];
    this.#equalsHtml &&= isAt(bytes, this.#html, from);
    const count = this.#equalsHtml ? this.#scanned.counts.get(from + bytes.length) : undefined;
    if (this.#scanner === undefined && count !== undefined) {
      this.#at += bytes.length;
      this.#count = count;
      return this.#scanned.found.slice(before, count);
    }
    this.#scanner ??= scannerBehind(this.#html.subarray(0, from));
    const found = this.#scanner.push(bytes);
    this.#at += bytes.length;
    this.#count += found.length;
    if (this.#equalsHtml) this.#keep(found, before);
    return found;
  }

  #keep(found: readonly FoundObject[], before: number): void {
    const {found: all, counts} = this.#scanned;
    all.push(...found.slice(all.length - before));
    counts.set(this.#at, this.#count);
  }
}

/** The shared results for one index.html. */
interface Scanned {
  /** The objects in the order of the HTML, as far as any load has scanned it. */
  readonly found: FoundObject[];
  /**
   * Maps the length of each scanned prefix of the HTML, in bytes, to the number of objects in `found` that the prefix
   * names.
   */
  readonly counts: Map<number, number>;
}

function scannedOf(html: Uint8Array): Scanned {
  const known = scannedPages.get(html);
  if (known !== undefined) return known;
  const scanned: Scanned = {found: [], counts: new Map()};
  scannedPages.set(html, scanned);
  return scanned;
}

/** Whether `all` has these bytes at this offset. */
function isAt(bytes: Uint8Array, all: Uint8Array, at: number): boolean {
  for (let i = 0; i < bytes.length; i++) if (bytes[i] !== all[at + i]) return false;
  return true;
}

function scannerBehind(html: Uint8Array): ObjectScanner {
  const scanner = new ObjectScanner(INDEX_URL);
  // Some decoders refuse memory that is shared between threads, so the bytes are copied.
  if (html.length > 0) scanner.push(html.slice());
  return scanner;
}

const scannedPages = new WeakMap<Uint8Array, Scanned>();
