import type {PageSnapshot} from '../../app/page/page.ts';
import {bytesOf} from '../pages/base/pageSnapshot.ts';

/** Keeps the most recently used pages in memory, so that all panes and runs that load the same page share its bytes. */
export class Snapshots {
  /** The pages, keyed by hash. The page that was used last is at the end. */
  readonly #held = new Map<string, PageSnapshot>();
  readonly #mostBytes: number;

  constructor(mostBytes = MOST_BYTES) {
    this.#mostBytes = mostBytes;
  }

  /**
   * Adds a page, or marks it as used now. While there are too many pages or bytes, drops the page that was used least
   * recently, but never this page.
   */
  add(page: PageSnapshot): void {
    this.#held.delete(page.hash);
    this.#held.set(page.hash, page);
    let bytes = [...this.#held.values()].reduce((sum, each) => sum + bytesOf(each), 0);
    for (const [hash, oldest] of this.#held) {
      if (oldest === page || (this.#held.size <= MOST_PAGES && bytes <= this.#mostBytes)) return;
      this.#held.delete(hash);
      bytes -= bytesOf(oldest);
    }
  }

  get(hash: string): PageSnapshot | undefined {
    const page = this.#held.get(hash);
    if (page !== undefined) this.add(page);
    return page;
  }
}

/** This is enough for a window, its movies, and some pages that the window showed before. */
const MOST_PAGES = 8;
/** Largest size of all kept pages together, in bytes. Three of the largest pages fit, without converted pictures. */
const MOST_BYTES = 300_000_000;
