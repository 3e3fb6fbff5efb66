import type {PageSnapshot} from '../../app/page/page.ts';
import type {PageQuality} from '../../app/run/quality/pageQuality.ts';

/** Measures the quality of a page's pictures, as `renderer/run/quality/measureQuality.ts` does. */
export type MeasureQuality = (
  page: PageSnapshot,
  options: {readonly onProgress?: (done: number, all: number) => void; readonly signal?: AbortSignal},
) => Promise<PageQuality>;

/** The quality of the page on screen, as far as it is known. */
export interface QualityState {
  /** Null until it is measured, and if it cannot be measured. */
  readonly quality: PageQuality | null;
  /** How many objects are already measured, and how many are measured in all; null if nothing is being measured. */
  readonly qualityProgress: {readonly done: number; readonly all: number} | null;
}

/** Measures the page on screen in the background. A page that has been measured is not measured again. */
export class Qualities {
  readonly #measure: MeasureQuality | null;
  readonly #show: (state: Partial<QualityState>) => void;
  /** Maps the hash of each measured page to the page's quality; null for a page that cannot be measured. */
  readonly #known = new Map<string, PageQuality | null>();
  #current: {readonly hash: string; readonly gone: AbortController} | null = null;

  /** `measure` is null if pages are not measured. `show` gets the progress and the result for the page on screen. */
  constructor(measure: MeasureQuality | null, show: (state: Partial<QualityState>) => void) {
    this.#measure = measure;
    this.#show = show;
  }

  /** The quality of a page that is about to be shown. If the page is not measured yet, measuring begins now. */
  of(page: PageSnapshot, {quality, qualityProgress}: QualityState): QualityState {
    const {hash} = page;
    // this is another run of the page that is being measured
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

  /** Stops measuring, because the panes show different pages. Returns an empty state. */
  none(): QualityState {
    this.#current?.gone.abort();
    this.#current = null;
    return {quality: null, qualityProgress: null};
  }

  async #attempt(page: PageSnapshot, measure: MeasureQuality, signal: AbortSignal): Promise<void> {
    // lets the page be rendered first
    await new Promise(resolve => setTimeout(resolve));
    const onProgress = (done: number, all: number): void => {
      if (!signal.aborted) this.#show({qualityProgress: {done, all}});
    };
    let quality: PageQuality | null = null;
    try {
      if (!signal.aborted) quality = await measure(page, {onProgress, signal});
    } catch {
      // without a quality the window counts bytes; it shows no error, because the user cannot do anything about it
    }
    if (signal.aborted) return;
    this.#current = null;
    this.#known.set(page.hash, quality);
    this.#show({quality, qualityProgress: null});
  }
}
