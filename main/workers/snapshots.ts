import type {PageSnapshot} from '../../app/page/page.ts';
import {bytesOf} from '../pages/base/pageSnapshot.ts';

/** The pages that were opened last, by their hash. Every pane of a run gets its bytes from here. */
export class Snapshots {
  /** The pages by their hash. The page that was asked for last is at the end. */
  readonly #held = new Map<string, PageSnapshot>();
  readonly #mostBytes: number;

  constructor(mostBytes = MOST_BYTES) {
    this.#mostBytes = mostBytes;
  }

  /** Adds a page. If there are too many pages, those that have not been asked for the longest are dropped. */
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

/** Enough for a window, its movies, and some pages that it had before. */
const MOST_PAGES = 8;
/** Room for three of the largest pages. */
const MOST_BYTES = 300_000_000;
