import type {PageSnapshot} from '../../app/page/page.ts';
import type {PageQuality} from '../../app/run/quality/pageQuality.ts';

/** Measures what is to be seen of a page; `renderer/run/quality/measureQuality.ts` does. */
export type MeasureQuality = (
  page: PageSnapshot,
  options: {readonly onProgress?: (done: number, all: number) => void; readonly signal?: AbortSignal},
) => Promise<PageQuality>;

/** What is known of the page on show. */
export interface QualityState {
  /** Null until it is measured. */
  readonly quality: PageQuality | null;
  /** Objects that are measured, of all; null while nothing is. */
  readonly qualityProgress: {readonly done: number; readonly all: number} | null;
}

/** Measures the pages that come on show in the background: each once, one at a time, and none that is gone. */
export class Qualities {
  readonly #measure: MeasureQuality | null;
  readonly #show: (state: Partial<QualityState>) => void;
  /** By the page's hash; null for one that cannot be measured. */
  readonly #known = new Map<string, PageQuality | null>();
  #current: {readonly hash: string; readonly gone: AbortController} | null = null;

  /** `measure` is null where there is no screen; `show` is told what becomes of the page on show. */
  constructor(measure: MeasureQuality | null, show: (state: Partial<QualityState>) => void) {
    this.#measure = measure;
    this.#show = show;
  }

  /** What is known of a page that comes on show, to be shown with it; what is not yet is measured from now on. */
  of(page: PageSnapshot, {quality, qualityProgress}: QualityState): QualityState {
    const {hash} = page;
    // another run of the page that is measured right now
    if (this.#current?.hash === hash) return {quality, qualityProgress};
    this.#current?.gone.abort();
    this.#current = null;
    const known = this.#known.get(hash);
    if (known !== undefined || this.#measure === null) {
      return {quality: known ?? null, qualityProgress: null};
    }
    const gone = new AbortController();
    this.#current = {hash, gone};
    void this.#attempt(page, this.#measure, gone.signal);
    return {quality: null, qualityProgress: {done: 0, all: page.objects.length}};
  }

  /** Of several pages at once nothing is measured. */
  none(): QualityState {
    this.#current?.gone.abort();
    this.#current = null;
    return {quality: null, qualityProgress: null};
  }

  async #attempt(page: PageSnapshot, measure: MeasureQuality, signal: AbortSignal): Promise<void> {
    // the page is shown first
    await new Promise(resolve => setTimeout(resolve));
    const onProgress = (done: number, all: number): void => {
      if (!signal.aborted) this.#show({qualityProgress: {done, all}});
    };
    let quality: PageQuality | null = null;
    try {
      if (!signal.aborted) quality = await measure(page, {onProgress, signal});
    } catch {
      // bytes are shown instead, as before; a page that cannot be measured is no fault of whoever looks at it
    }
    if (signal.aborted) return;
    this.#current = null;
    this.#known.set(page.hash, quality);
    this.#show({quality, qualityProgress: null});
  }
}
