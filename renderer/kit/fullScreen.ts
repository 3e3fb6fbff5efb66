/** The part of a document that full screen needs. */
export type FullScreenDocument = Pick<
  Document,
  'fullscreenElement' | 'exitFullscreen' | 'addEventListener' | 'removeEventListener'
> & {readonly documentElement: Pick<HTMLElement, 'requestFullscreen'>};

/**
 * Enters and leaves full screen in a browser. A browser needs some time for each change. What is asked for meanwhile
 * waits until the change is made, and only the last request counts.
 */
export class FullScreen {
  readonly #document: FullScreenDocument;
  #isWanted = false;
  #isChanging = false;

  constructor(page: FullScreenDocument) {
    this.#document = page;
  }

  /** Enters or leaves full screen. If the browser refuses, nothing changes. */
  async set(isWanted: boolean): Promise<void> {
    this.#isWanted = isWanted;
    if (this.#isChanging) return;
    this.#isChanging = true;
    try {
      while (this.#isFull !== this.#isWanted) await this.#change(this.#isWanted);
    } catch {
      this.#isWanted = this.#isFull;
    } finally {
      this.#isChanging = false;
    }
  }

  /**
   * Calls `leave` when the user leaves full screen by the browser's own means, for example its Escape key. The
   * browser's event for an earlier {@link FullScreen.set} may come late and does not count. Returns a function that
   * ends the subscription.
   */
  onLeave(leave: () => void): () => void {
    const changed = () => {
      if (this.#isChanging || this.#isFull || !this.#isWanted) return;
      this.#isWanted = false;
      leave();
    };
    this.#document.addEventListener('fullscreenchange', changed);
    return () => this.#document.removeEventListener('fullscreenchange', changed);
  }

  get #isFull(): boolean {
    return this.#document.fullscreenElement !== null;
  }

  async #change(isFull: boolean): Promise<void> {
    if (isFull) await this.#document.documentElement.requestFullscreen();
    else await this.#document.exitFullscreen();
    if (this.#isFull !== isFull) throw new Error('the browser did not change to or from full screen');
  }
}
