import {type DevTools, MovieError, type Studio} from '../../media/studio/studio.ts';

/**
 * An iframe in the window, with a page that paints the pictures of a movie. Nobody sees the iframe, because it is
 * clipped to nothing.
 */
export class StageFrame implements DevTools {
  readonly #element = document.createElement('iframe');
  readonly #closed: Promise<never>;
  #end: () => void = () => undefined;

  /** `address` is the address of a page of the site. */
  constructor(address: URL) {
    this.#closed = new Promise((_, reject) => {
      this.#end = () => reject(new MovieError('the hidden page that paints the pictures was closed'));
    });
    this.#closed.catch(() => undefined);
    Object.assign(this.#element, {src: address.href, className: 'stage-frame', inert: true, ariaHidden: 'true'});
    Object.assign(this.#element.style, {
      position: 'fixed',
      inset: '0 auto auto 0',
      border: '0',
      // Chromium paints nothing that is hidden, transparent or outside of the window
      clipPath: 'inset(0 100% 100% 0)',
    });
    document.body.append(this.#element);
  }

  get window(): Window & typeof globalThis {
    const {contentWindow} = this.#element;
    if (contentWindow === null) throw new MovieError('the hidden page that paints the pictures was closed');
    return contentWindow as Window & typeof globalThis;
  }

  /** Waits for work in the iframe. @throws MovieError if the iframe is closed meanwhile */
  whileOpen<T>(work: T): Promise<Awaited<T>> {
    return Promise.race([work, this.#closed]);
  }

  /** Sets the size of the iframe. This is the only command of DevTools that movies need here. */
  async send(method: string, {width, height}: {readonly width?: number; readonly height?: number} = {}): Promise<void> {
    if (method !== 'Emulation.setDeviceMetricsOverride') throw new RangeError(`a frame has no command ${method}`);
    Object.assign(this.#element.style, {width: `${width}px`, height: `${height}px`});
  }

  async close(): Promise<void> {
    this.#end();
    this.#element.remove();
  }
}

/**
 * Opens a studio (main/media/studio/studio.ts), whose pages are iframes in this window. `root` is the address of the
 * site's folder.
 */
export function openSiteStudio(root: URL): Studio {
  const frames = new Set<StageFrame>();
  return {
    browser: navigator.userAgent,
    openPage: async path => {
      const frame = new StageFrame(new URL(path, root));
      frames.add(frame);
      return frame;
    },
    close: async () => {
      for (const frame of frames) await frame.close();
    },
  };
}

/**
 * Returns what this browser lacks to record movies, in words for the user, or undefined if it lacks nothing. Movies
 * need WebCodecs, and HTML-in-Canvas (github.com/WICG/html-in-canvas), with which a page paints its own elements onto a
 * canvas.
 */
export function whyNoMovies(): string | undefined {
  const missing = [
    ...('VideoEncoder' in window ? [] : ['WebCodecs']),
    ...('drawElementImage' in CanvasRenderingContext2D.prototype ? [] : ['HTML-in-Canvas']),
  ];
  return missing.length === 0 ? undefined : missing.join(' and ');
}
