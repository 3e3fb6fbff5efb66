import type {Page} from '../../../app/page/page.ts';
import {openFrame} from '../panes/frameDocument.ts';
import {GrowingDocument} from '../panes/growingDocument.ts';
import {type Area, areaOf, overlap, type ShownPicture, shownPicture} from './shownPicture.ts';

/** The screen on which visual quality is measured, CSS px: a small desktop window, as was usual at the papers' time. */
export const REFERENCE_SCREEN = {width: 1024, height: 768} as const;

/** A picture of the page in its largest box, and the px² of the first screen that all of its boxes cover. */
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

  /** Resolves when the page is complete. The frame is closed if it fails or is aborted. */
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

  /** The numbers of the style sheets without which a browser paints nothing. */
  blockingSheets(): readonly number[] {
    return this.#content.blockingSheets();
  }

  /** The pictures that have a box in which they are loaded, in the order in which the HTML names them. */
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
        // a box in the first screen ranks above a larger one below it
        const rank = width * height + (inScreen > 0 ? EVERY_SCREEN : 0);
        if (width * height > 0 && rank > largest) [largest, shown] = [rank, placed.shown];
      }
      return shown === undefined ? [] : [{object, area, shown}];
    });
  }

  /**
   * The px² of the first screen that the text of the first `bytes` of the HTML covers. Call this with fewer bytes each
   * time: elements that stay in the frame keep their pictures.
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
    const bytes = page.objects[0]?.body?.length ?? 0;
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

  /** The part of the first screen in which the parents of an element let it be seen. */
  #clipOf(element: Element): Area {
    const parent = element.parentElement;
    if (parent === null) return SCREEN;
    const known = this.#clips.get(parent);
    if (known !== undefined) return known;
    const outer = this.#clipOf(parent);
    // the root's overflow, and the body's, is the window's (CSS Overflow 3 §3.3)
    const isRoot = parent === this.#document.body || parent === this.#document.documentElement;
    const clips = !isRoot && getComputedStyle(parent).overflow !== 'visible';
    const clip = clips ? overlap(outer, parent.getBoundingClientRect()) : outer;
    this.#clips.set(parent, clip);
    return clip;
  }
}

const SCREEN: Area = {left: 0, top: 0, right: REFERENCE_SCREEN.width, bottom: REFERENCE_SCREEN.height};

const EVERY_SCREEN = 1e12;

/** How many bytes of HTML are laid out at once. The window stays responsive in between. */
const SLICE_BYTES = 128_000;

/** A screen holds some hundreds of texts. If there are more than this, only the first are measured. */
const MOST_TEXTS = 5000;

/** Resolves when the picture is loaded, or has failed to load. */
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

/** Resolves in a task of its own, so that the window stays responsive. */
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
