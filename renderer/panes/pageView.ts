import morphdom from 'morphdom';
import type {Page} from '../../app/page/page.ts';
import type {Trace} from '../../app/trace/trace.ts';
import {documentAt} from './htmlAt.ts';
import {type Decode, type Extent, ObjectImage} from './objectImage.ts';
import type {PageLayout} from './pageFit.ts';

/** What is drawn around an object's box. */
export type OutlineOf = (object: number) => string;

/**
 * A page in a frame, as a browser shows it at t. Every box of object i has `data-object` = i and
 * `data-percent` = the share of the body that it shows.
 */
export class PageView {
  readonly #document: Document;
  readonly #page: Page;
  readonly #decode: Decode;
  readonly #images = new Map<number, ObjectImage>();
  #trace: Trace;
  #outlineOf: OutlineOf;
  #html = '';

  constructor(frame: Document, page: Page, trace: Trace, outlineOf: OutlineOf, decode: Decode) {
    this.#document = frame;
    this.#page = page;
    this.#decode = decode;
    this.#trace = trace;
    this.#outlineOf = outlineOf;
  }

  /** Another run of the same page. */
  setTrace(trace: Trace): void {
    this.#trace = trace;
  }

  setOutline(outlineOf: OutlineOf): void {
    this.#outlineOf = outlineOf;
    for (const box of this.#boxes()) box.style.outline = outlineOf(Number(box.dataset['object']));
  }

  /**
   * The whole page in a frame of each of the widths. Shows the whole HTML with its style sheets: call it before
   * the first t.
   */
  measure(frame: HTMLIFrameElement, widths: readonly number[]): readonly PageLayout[] {
    this.#showHtml(this.#page.objects[0]?.body?.length ?? 0, object => this.#style(object));
    const {width: widthBefore, height: heightBefore} = frame.style;
    frame.style.height = '1px';
    const layouts = widths.map((width): PageLayout => {
      frame.style.width = `${width}px`;
      const {documentElement, body} = this.#document;
      return {
        width,
        height: Math.max(documentElement.scrollHeight, 1),
        filledWidth: Math.max(body.offsetWidth, 1),
      };
    });
    Object.assign(frame.style, {width: widthBefore, height: heightBefore});
    return layouts;
  }

  /** Kept when the frame shows t, or a later one asked for meanwhile. */
  async show(tNs: number): Promise<void> {
    const trace = this.#trace;
    this.#showHtml(trace.bytesAt(0, tNs), object => this.#styleAt(object, tNs));
    const objects = new Set(this.#boxes().map(box => Number(box.dataset['object'])));
    await Promise.all(Array.from(objects, object => this.#image(object).want(extentAt(trace, object, tNs))));
  }

  /** The object whose box is at a point of the frame, CSS px. */
  objectAt(x: number, y: number): number | null {
    const box = this.#document.elementFromPoint(x, y)?.closest<HTMLElement>('[data-object]');
    return box == null ? null : Number(box.dataset['object']);
  }

  /** The first box of an object, in the frame's CSS px. */
  boxOf(object: number): DOMRect | undefined {
    return this.#document.querySelector(`[data-object="${object}"]`)?.getBoundingClientRect();
  }

  /**
   * How far a reader has come at t, which is on show: to the end of the text, or to the first picture that is
   * not whole. In the frame's CSS px.
   */
  readEndAt(tNs: number): number {
    const text = this.#document.createRange();
    text.selectNodeContents(this.#document.body);
    const isAwaited = (object: number): boolean =>
      !['complete', 'failed'].includes(this.#trace.stateAt(object, tNs));
    const awaited = this.#boxes().find(({dataset}) => isAwaited(Number(dataset['object'])));
    const ends = [text, ...(awaited === undefined ? [] : [awaited])];
    return Math.min(...ends.map(end => end.getBoundingClientRect().bottom));
  }

  release(): void {
    for (const image of this.#images.values()) image.release();
  }

  #showHtml(bytes: number, styleOf: (object: number) => string | undefined): void {
    const next = documentAt(this.#page, bytes, styleOf);
    const html = next.documentElement.outerHTML;
    if (html === this.#html) return;
    this.#html = html;
    const before = new Set(this.#boxes());
    morphdom(this.#document.documentElement, next.documentElement, {
      onBeforeElUpdated: (from, to) => {
        if (from.dataset['object'] === undefined || from.dataset['object'] !== to.dataset['object'])
          return true;
        // a box of the same object keeps its picture
        for (const name of ['src', 'data-percent', 'style']) {
          const value = from.getAttribute(name);
          if (value !== null) to.setAttribute(name, value);
        }
        return true;
      },
    });
    for (const box of this.#boxes().filter(each => !before.has(each))) {
      const object = Number(box.dataset['object']);
      box.dataset['percent'] = '0';
      box.style.outline = this.#outlineOf(object);
      box.style.outlineOffset = '-3px';
      this.#images.get(object)?.forget();
    }
  }

  #styleAt(object: number, tNs: number): string | undefined {
    return this.#trace.percentAt(object, tNs) < 100 ? undefined : this.#style(object);
  }

  #style(object: number): string {
    return new TextDecoder().decode(this.#page.objects[object]?.body ?? new Uint8Array());
  }

  #image(object: number): ObjectImage {
    const known = this.#images.get(object);
    if (known !== undefined) return known;
    const body = this.#page.objects[object]?.body ?? new Uint8Array();
    const image = new ObjectImage(body, this.#decode, async (address, bytes) => {
      const boxes = this.#boxes().filter(box => box.dataset['object'] === String(object));
      await Promise.all(boxes.map(box => showPicture(box, address)));
      const percent = bytes === 0 ? 0 : (100 * bytes) / body.length;
      for (const box of boxes) box.dataset['percent'] = String(percent);
    });
    this.#images.set(object, image);
    return image;
  }

  #boxes(): readonly HTMLImageElement[] {
    return Array.from(this.#document.querySelectorAll<HTMLImageElement>('img[data-object]'));
  }
}

/** Of an object that fails on the way, what came of it stays. */
function extentAt(trace: Trace, object: number, tNs: number): Extent {
  const bytes = trace.bytesAt(object, tNs);
  return bytes === 0 && trace.stateAt(object, tNs) === 'failed' ? 'failed' : bytes;
}

/** Chromium keeps the old picture until the new one is decoded. */
async function showPicture(box: HTMLImageElement, address: string): Promise<void> {
  if (box.src === address) return;
  box.src = address;
  await box.decode().catch(() => undefined);
}
