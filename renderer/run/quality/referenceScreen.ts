import type {Page} from '../../../app/page/page.ts';
import {shownHtml} from '../../../app/page/shownHtml.ts';
import {openFrame} from '../panes/frameDocument.ts';
import {GrowingDocument} from '../panes/growingDocument.ts';
import {type Area, areaOf, overlap, type ShownPicture, shownPicture} from './shownPicture.ts';

/** The screen for which visual quality is measured, CSS px: a small desktop window, usual at the time of the papers. */
export const REFERENCE_SCREEN = {width: 1024, height: 768} as const;

/**
 * A picture of the page, as its largest box on the first screen shows it. If it has no box on the first screen, its
 * largest box counts. `area` is the area of the first screen that all boxes of the picture cover together, px².
 */
export interface PlacedPicture {
  readonly object: number;
  readonly area: number;
  readonly shown: ShownPicture;
}

/** A complete page, laid out in a hidden frame with all its style sheets and pictures. */
export class ReferenceScreen {
  readonly #frame: HTMLIFrameElement;
  readonly #document: Document;
  readonly #content: GrowingDocument;
  readonly #addresses: readonly string[];
  readonly #clips = new Map<Element, Area>();

  private constructor(page: Page, frame: HTMLIFrameElement, inside: Document) {
    this.#frame = frame;
    this.#document = inside;
    openFrame(inside, page.objects[0]?.body ?? new Uint8Array());
    this.#content = new GrowingDocument(inside, page, () => undefined);
    this.#addresses = page.objects.map(({body, contentType}) =>
      URL.createObjectURL(new Blob([(body ?? new Uint8Array()) as BlobPart], {type: contentType})),
    );
  }

  /** Resolves when the frame shows the complete page. If that fails or is aborted, the frame is removed. */
  static async open(page: Page, signal: AbortSignal | undefined): Promise<ReferenceScreen> {
    const frame = document.createElement('iframe');
    frame.setAttribute('sandbox', 'allow-same-origin');
    frame.setAttribute('aria-hidden', 'true');
    frame.tabIndex = -1;
    frame.inert = true;
    Object.assign(frame.style, {position: 'fixed', left: '0', top: '0', border: '0', visibility: 'hidden'});
    frame.style.width = `${REFERENCE_SCREEN.width}px`;
    frame.style.height = `${REFERENCE_SCREEN.height}px`;
    // below everything else
    frame.style.zIndex = '-1';
    document.body.append(frame);
    const inside = frame.contentDocument;
    if (inside === null) throw new Error('a frame has no document');
    const screen = new ReferenceScreen(page, frame, inside);
    try {
      await screen.#show(page, signal);
    } catch (error) {
      screen.close();
      throw error;
    }
    return screen;
  }

  /** Removes the frame and releases its pictures. */
  close(): void {
    this.#frame.remove();
    for (const address of this.#addresses) URL.revokeObjectURL(address);
  }

  /** The indices of the style sheets (objects of the page) without which a browser paints nothing. */
  blockingSheets(): readonly number[] {
    return this.#content.blockingSheets();
  }

  /** The pictures that are loaded and have a visible box, in the order in which the HTML refers to them. */
  pictures(): readonly PlacedPicture[] {
    return this.#content.objects().flatMap(object => {
      let [area, largest] = [0, -1];
      let shown: ShownPicture | undefined;
      for (const box of this.#content.boxesOf(object)) {
        if (!isLoaded(box) || !isVisible(box)) continue;
        const placed = shownPicture(box);
        const {width, height} = placed.shown.size;
        const inScreen = areaOf(overlap(placed.at, this.#clipOf(box)));
        area += inScreen;
        // any box on the first screen is preferred to larger boxes outside of it
        const rank = width * height + (inScreen > 0 ? EVERY_SCREEN : 0);
        if (width * height > 0 && rank > largest) [largest, shown] = [rank, placed.shown];
      }
      return shown === undefined ? [] : [{object, area, shown}];
    });
  }

  /**
   * The area of the first screen that is covered by text from the first `bytes` bytes of the HTML, px². Each call must
   * have fewer bytes than the call before: elements that stay in the frame keep their pictures, but elements that are
   * added have none, which changes the layout.
   */
  textArea(bytes: number): number {
    this.#content.show(bytes);
    this.#clips.clear();
    const {body} = this.#document;
    if (body === null) return 0;
    const texts = this.#document.createTreeWalker(body, NodeFilter.SHOW_TEXT);
    const range = this.#document.createRange();
    let area = 0;
    for (let i = 0; i < MOST_TEXTS && texts.nextNode() !== null; i++) {
      const text = texts.currentNode;
      const holder = text.parentElement;
      if (holder === null || !/\S/.test(text.nodeValue ?? '')) continue;
      range.selectNodeContents(text);
      const lines = Array.from(range.getClientRects());
      if (lines.length === 0 || !isVisible(holder)) continue;
      const clip = this.#clipOf(holder);
      for (const line of lines) area += areaOf(overlap(line, clip));
    }
    return area;
  }

  async #show(page: Page, signal: AbortSignal | undefined): Promise<void> {
    const bytes = shownHtml(page).bytes.length;
    while (this.#content.bytes < bytes) {
      this.#content.show(Math.min(this.#content.bytes + SLICE_BYTES, bytes));
      await nextTask();
      signal?.throwIfAborted();
    }
    const decoder = new TextDecoder();
    this.#content.showStyles({
      css: object => decoder.decode(page.objects[object]?.body ?? new Uint8Array()),
      font: object => this.#addresses[object],
    });
    const boxes = this.#content
      .objects()
      .flatMap(object => this.#content.boxesOf(object).map(box => ({box, address: this.#addresses[object]})));
    await Promise.all([
      this.#content.loaded(),
      ...this.#content.stylePictures().map(object => this.#content.setStylePicture(object, this.#addresses[object])),
      ...boxes.map(({box, address}) => loadInto(box, address ?? '')),
    ]);
    signal?.throwIfAborted();
  }

  /** The part of the first screen in which an element is visible, given the clipping by its ancestors. */
  #clipOf(element: Element): Area {
    const parent = element.parentElement;
    if (parent === null) return SCREEN;
    const known = this.#clips.get(parent);
    if (known !== undefined) return known;
    const outer = this.#clipOf(parent);
    // the overflow of the root and of the body applies to the window (CSS Overflow 3 §3.3)
    const isRoot = parent === this.#document.body || parent === this.#document.documentElement;
    const clips = !isRoot && getComputedStyle(parent).overflow !== 'visible';
    const clip = clips ? overlap(outer, parent.getBoundingClientRect()) : outer;
    this.#clips.set(parent, clip);
    return clip;
  }
}

const SCREEN: Area = {left: 0, top: 0, right: REFERENCE_SCREEN.width, bottom: REFERENCE_SCREEN.height};

const EVERY_SCREEN = 1e12;

/** How many bytes of HTML are laid out in one slice. Between slices the window can respond to the user. */
const SLICE_BYTES = 128_000;

/** A screen has room for a few hundred texts. If a page has more than this limit, only the first ones are measured. */
const MOST_TEXTS = 5000;

/** Resolves when the picture is loaded or has failed to load. */
function loadInto(box: HTMLImageElement, address: string): Promise<void> {
  return new Promise(resolve => {
    box.onload = box.onerror = () => resolve();
    box.src = address;
  });
}

function isLoaded(box: HTMLImageElement): boolean {
  return box.complete && box.naturalWidth > 0;
}

function isVisible(element: Element): boolean {
  const {visibility, opacity} = getComputedStyle(element);
  return visibility === 'visible' && opacity !== '0';
}

/** Resolves in a new task. Between tasks the window can respond to the user. */
export function nextTask(): Promise<void> {
  return new Promise(resolve => {
    const {port1, port2} = new MessageChannel();
    port1.onmessage = () => {
      port1.close();
      resolve();
    };
    port2.postMessage(null);
  });
}
