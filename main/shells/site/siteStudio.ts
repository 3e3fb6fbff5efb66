import {type DevTools, MovieError, type Studio} from '../../media/studio/studio.ts';

/**
 * A page of a studio. It is a frame in the window. Nobody sees it, because it is clipped to nothing.
 */
export class StageFrame implements DevTools {
  readonly #element = document.createElement('iframe');
  readonly #closed: Promise<never>;
  #end: () => void = () => undefined;

  /** `address` is that of a page of the site. */
  constructor(address: URL) {
    this.#closed = new Promise((_, reject) => {
      this.#end = () => reject(new MovieError('the stage was closed'));
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
    if (contentWindow === null) throw new MovieError('the stage was closed');
    return contentWindow as Window & typeof globalThis;
  }

  /** Waits for work in the frame. @throws MovieError if the frame is closed meanwhile */
  whileOpen<T>(work: T): Promise<Awaited<T>> {
    return Promise.race([work, this.#closed]);
  }

  /** Sets the size of the frame, which is the only command that movies need. */
  async send(method: string, {width, height}: {readonly width?: number; readonly height?: number} = {}): Promise<void> {
    if (method !== 'Emulation.setDeviceMetricsOverride') throw new RangeError(`a frame has no command ${method}`);
    Object.assign(this.#element.style, {width: `${width}px`, height: `${height}px`});
  }

  async close(): Promise<void> {
    this.#end();
    this.#element.remove();
  }
}

/** A studio in the window itself. `root` is the address of the site's folder. */
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
 * Why this browser can record no movies, for the user. Undefined if it can. Movies need WebCodecs, and HTML-in-Canvas
 * (github.com/WICG/html-in-canvas), by which a page paints its own elements.
 */
export function whyNoMovies(): string | undefined {
  const missing = [
    ...('VideoEncoder' in window ? [] : ['WebCodecs']),
    ...('drawElementImage' in CanvasRenderingContext2D.prototype ? [] : ['HTML-in-Canvas']),
  ];
  return missing.length === 0 ? undefined : missing.join(' and ');
}
