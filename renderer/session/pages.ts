import {createStore, type StoreApi} from 'zustand/vanilla';
import {refusalOf} from '../../app/base/refusal.ts';
import type {Host, KeptPage, SavedPageAnswer} from '../../app/host/contract.ts';
import {type BundleSource, PAGE_FILE} from '../../app/run/scenario/pageSource.ts';

/** The pages that were opened before and that the host keeps. The page that was used last comes first. */
export class KeptPages {
  readonly store: StoreApi<readonly KeptPage[]> = createStore<readonly KeptPage[]>(() => []);
  readonly #host: Host;

  constructor(host: Host) {
    this.#host = host;
  }

  async read(): Promise<void> {
    const kept = await this.#host.keptPages().catch(() => []);
    this.store.setState(kept, true);
  }

  /** Returns a page as a zip that opens again as the same page. */
  async zipOf({bundle}: BundleSource): Promise<SavedPageAnswer> {
    try {
      return await this.#host.savePage(bundle);
    } catch (error) {
      return refusalOf(error);
    }
  }
}

/** The name of the file that a page is saved as: `example-org-news.zip`. */
export function zipName({name}: Pick<BundleSource, 'name'>): string {
  const words = name
    .replace(/^(https?|sctp):\/\//i, '')
    .replace(/[?#].*$/s, '')
    .replace(PAGE_FILE, '')
    .replaceAll(/[^\p{L}\p{N}]+/gu, '-')
    .replaceAll(/^-+|-+$/g, '');
  return `${words.slice(0, LONGEST_NAME).toLowerCase() || 'page'}.zip`;
}

/** The largest number of characters of the name. Every file system accepts this length, in any alphabet. */
const LONGEST_NAME = 60;
