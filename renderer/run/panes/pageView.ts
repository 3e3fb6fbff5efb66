import {imageSize} from '../../../app/page/imageSize.ts';
import type {Page} from '../../../app/page/page.ts';
import {seenRanges, shownHtml} from '../../../app/page/shownHtml.ts';
import type {ByteRange} from '../../../app/run/trace/shownRanges.ts';
import type {Trace} from '../../../app/run/trace/trace.ts';
import type {Decode} from './decodePicture.ts';
import {type Extent, ObjectImage} from './decodeQueue.ts';
import type {StyleFiles} from './documentStyles.ts';
import {openFrame} from './frameDocument.ts';
import {GrowingDocument} from './growingDocument.ts';
import {BROKEN_IMAGE, EMPTY_IMAGE} from './inertElement.ts';
import type {PageLayout} from './pageFit.ts';

/** The CSS outline of an object's box. */
export type OutlineOf = (object: number) => string;

/**
 * A page in a frame, as a browser shows it at t. A box is an image element that shows an object. Every box has the
 * attributes `data-object` (the object's index) and `data-percent` (the percentage of the object's bytes that the box
 * shows).
 */
export class PageView {
  readonly #document: Document;
  readonly #page: Page;
  readonly #decode: Decode;
  readonly #content: GrowingDocument;
  readonly #images = new Map<number, ObjectImage>();
  readonly #css = new Map<number, string>();
  readonly #fonts = new Map<number, string>();
  /** The objects that style sheets have referred to so far. */
  readonly #inStyles = new Set<number>();
  #trace: Trace;
  #asked = 0;
  /** The promise of the last call of {@link show}. */
  #shown: Promise<void> = Promise.resolve();
  #outlineOf: OutlineOf = () => '';

  /** `frame` must be the document of a frame into which nothing else writes. */
  constructor(frame: Document, page: Page, trace: Trace, decode: Decode) {
    this.#document = frame;
    this.#page = page;
    this.#decode = decode;
    this.#trace = trace;
    openFrame(frame, page.objects[0]?.body ?? new Uint8Array());
    this.#content = new GrowingDocument(frame, page, (box, object) => this.#setUp(box, object));
  }

  /** Shows another load of the same page from now on. */
  setTrace(trace: Trace): void {
    this.#trace = trace;
  }

  setOutline(outlineOf: OutlineOf): void {
    this.#outlineOf = outlineOf;
    for (const object of this.#content.objects()) {
      for (const box of this.#content.boxesOf(object)) box.style.outline = outlineOf(object);
    }
  }

  /**
   * Measures the complete page with all its pictures, once for each of these widths of the frame. The measurement ends
   * after the first width at which the page is very tall. Only the first part of very long HTML is measured, and the
   * frame shows this part afterwards. `onLaidOut` is called after the layout at each width. A page that was measured
   * before is not laid out again, and `onLaidOut` is not called.
   */
  measure(
    frame: HTMLIFrameElement,
    widths: readonly number[],
    onLaidOut?: (width: number, view: PageView) => void,
  ): readonly PageLayout[] {
    const known = measured.get(this.#page);
    if (known !== undefined) return known;
    const bytes = shownHtml(this.#page).bytes.length;
    const whole = {
      css: (object: number) => this.#style(object),
      font: (object: number) => this.#font(object),
    };
    this.#showHtml([{first: 0, end: Math.min(bytes, MEASURED_BYTES)}], whole);
    const endSizes = this.#giveSizes();
    const {width: widthBefore, height: heightBefore} = frame.style;
    frame.style.height = '1px';
    const layouts: PageLayout[] = [];
    for (const width of widths) {
      frame.style.width = `${width}px`;
      const height = Math.max(this.height(), 1);
      const filledWidth = Math.max(this.#document.body?.offsetWidth ?? 0, 1);
      layouts.push({width, height, filledWidth, ends: this.#endsOfObjects()});
      onLaidOut?.(width, this);
      // a page this long is scrolled at any width, and its layout is slow
      if (height > VERY_TALL * width) break;
    }
    Object.assign(frame.style, {width: widthBefore, height: heightBefore});
    endSizes();
    measured.set(this.#page, layouts);
    return layouts;
  }

  #endsOfObjects(): NonNullable<PageLayout['ends']> {
    // objects are numbered in the order of the HTML
    const objects = [...this.#content.objects()].sort((a, b) => a - b);
    return objects.flatMap(object => {
      const box = this.boxOf(object);
      return box === undefined ? [] : [{object, y: box.bottom}];
    });
  }

  /** The height of the frame, or of its content if that is taller, CSS px. */
  height(): number {
    return this.#document.documentElement?.scrollHeight ?? 0;
  }

  /** Resolves when the frame shows t, or a time that was requested later. */
  show(tNs: number): Promise<void> {
    this.#asked += 1;
    this.#shown = this.#showAt(tNs, this.#asked);
    return this.#shown;
  }

  /** The object whose box is at a point of the frame (CSS px); null if there is none. */
  objectAt(x: number, y: number): number | null {
    const box = this.#document.elementFromPoint(x, y)?.closest<HTMLElement>('[data-object]');
    return box == null ? null : Number(box.dataset['object']);
  }

  /** The document in the frame, and the indices of the objects that it shows. */
  get content(): {readonly document: Document; readonly objects: readonly number[]} {
    return {document: this.#document, objects: this.#content.objects()};
  }

  /** The position of an object's first box in the frame, CSS px. Undefined if the object has no box yet. */
  boxOf(object: number): DOMRect | undefined {
    return this.#content.boxesOf(object)[0]?.getBoundingClientRect();
  }

  /**
   * The y position that a reader can have reached at t, in the frame's CSS px: the lower edge of the first picture
   * that is not complete and has not failed, or the end of the content if that is higher on the page or if there is no
   * such picture. The frame must already show t.
   */
  readEndAt(tNs: number): number {
    const isAwaited = (object: number): boolean => !['complete', 'failed'].includes(this.#trace.stateAt(object, tNs));
    // objects are numbered in the order of the HTML
    const awaited = Math.min(...this.#content.objects().filter(isAwaited));
    const box = this.#content.boxesOf(awaited)[0];
    const end = endOf(this.#document);
    return box === undefined ? end : Math.min(end, box.getBoundingClientRect().bottom);
  }

  release(): void {
    this.#asked += 1;
    // a call of show() that is still running then waits for #shown; a call cannot wait for its own promise, so #shown
    // gets another one
    this.#shown = Promise.resolve();
    for (const image of this.#images.values()) image.release();
    for (const address of this.#fonts.values()) URL.revokeObjectURL(address);
    this.#fonts.clear();
  }

  async #showAt(tNs: number, asked: number): Promise<void> {
    const trace = this.#trace;
    const files = this.#filesAt(trace, tNs);
    const ranges = this.#rangesAt(trace, tNs);
    const [range] = ranges;
    // long HTML is shown in steps; HTML with holes needs no steps, because it is short or grows slowly
    while (ranges.length === 1 && range?.first === 0 && range.end - this.#content.bytes > SLICE_BYTES) {
      this.#showHtml([{first: 0, end: this.#content.bytes + SLICE_BYTES}], files);
      await new Promise(requestAnimationFrame);
      if (asked !== this.#asked) return this.#shown;
    }
    this.#showHtml(ranges, files);
    const inStyles = this.#content.stylePictures();
    for (const object of inStyles) this.#putInStyles(object);
    const pictures = [...new Set([...this.#content.objects(), ...inStyles])].map(object =>
      this.#image(object).want(extentAt(trace, object, tNs)),
    );
    await Promise.all([this.#content.loaded(), ...pictures]);
  }

  /** The HTML that can be seen at t: what has arrived, and what scripts have inserted there. */
  #rangesAt(trace: Trace, tNs: number): readonly ByteRange[] {
    const insertedNs = trace.data.milestones?.insertedNs ?? [];
    const isThere = (insertion: number): boolean => (insertedNs[insertion] ?? Number.POSITIVE_INFINITY) <= tNs;
    return seenRanges(shownHtml(this.#page), trace.rangesAt(0, tNs), part => isThere(part.insertion));
  }

  #showHtml(ranges: readonly ByteRange[], files: StyleFiles): void {
    this.#content.showRanges(ranges);
    this.#content.showStyles(files);
  }

  /** The style sheets and fonts at t. A style sheet is used only when it is complete (HTML §4.2.4.3). */
  #filesAt(trace: Trace, tNs: number): StyleFiles {
    const state = (object: number) => trace.stateAt(object, tNs);
    return {
      css: object => (state(object) === 'complete' ? this.#style(object) : state(object) === 'failed' ? '' : undefined),
      font: object => (state(object) === 'complete' ? this.#font(object) : undefined),
    };
  }

  /** If a picture was shown before a style sheet referred to it, this makes the style sheet show it, too. */
  #putInStyles(object: number): void {
    if (this.#inStyles.has(object)) return;
    this.#inStyles.add(object);
    this.#images.get(object)?.forget();
  }

  /**
   * Lays out boxes as if their pictures were complete. Returns a function that undoes this. The sizes replace the
   * natural sizes (CSS Sizing 4 §5), except for the minimum width in a flex container.
   */
  #giveSizes(): () => void {
    const given = this.#content.objects().flatMap(object => {
      const size = imageSize(this.#page.objects[object]?.body ?? new Uint8Array());
      if (size === undefined) return [];
      return this.#content.boxesOf(object).map(box => ({box, size, before: box.getAttribute('style')}));
    });
    const window = this.#document.defaultView;
    // all ratios are read before the first box changes, because each read after a change would need a new layout
    const ratios = given.map(({box}) => window?.getComputedStyle(box).aspectRatio ?? '');
    for (const [i, {box, size}] of given.entries()) {
      box.style.contain = 'size';
      box.style.containIntrinsicSize = `${size.width}px ${size.height}px`;
      // a ratio without `auto` overrides the ratio of the picture
      if (ratios[i]?.startsWith('auto')) box.style.aspectRatio = `auto ${size.width} / ${size.height}`;
    }
    return () => {
      for (const {box, before} of given) box.setAttribute('style', before ?? '');
    };
  }

  #setUp(box: HTMLImageElement, object: number): void {
    box.style.outline = this.#outlineOf(object);
    box.style.outlineOffset = '-3px';
    this.#images.get(object)?.forget();
  }

  #style(object: number): string {
    const known = this.#css.get(object);
    if (known !== undefined) return known;
    const css = new TextDecoder().decode(this.#page.objects[object]?.body ?? new Uint8Array());
    this.#css.set(object, css);
    return css;
  }

  #font(object: number): string {
    const known = this.#fonts.get(object);
    if (known !== undefined) return known;
    const {body} = this.#page.objects[object] ?? {body: null};
    const address = URL.createObjectURL(new Blob([(body ?? new Uint8Array()) as Uint8Array<ArrayBuffer>]));
    this.#fonts.set(object, address);
    return address;
  }

  #image(object: number): ObjectImage {
    const known = this.#images.get(object);
    if (known !== undefined) return known;
    const {body, contentType} = this.#page.objects[object] ?? {body: null, contentType: ''};
    const whole = body ?? new Uint8Array();
    const decode = (bytes: number) => this.#decode({body: whole, contentType}, bytes);
    const image = new ObjectImage(whole.length, decode, async (address, bytes) => {
      const boxes = this.#content.boxesOf(object);
      const isThere = address !== EMPTY_IMAGE && address !== BROKEN_IMAGE;
      const inStyles = this.#inStyles.has(object)
        ? [this.#content.setStylePicture(object, isThere ? address : undefined)]
        : [];
      await Promise.all([...boxes.map(box => showPicture(box, address)), ...inStyles]);
      const percent = bytes === 0 ? 0 : (100 * bytes) / whole.length;
      for (const box of boxes) box.dataset['percent'] = String(percent);
    });
    this.#images.set(object, image);
    return image;
  }
}

/** The layouts of pages that were measured. They are the same in each pane. */
const measured = new WeakMap<Page, readonly PageLayout[]>();

/** A page is scrolled in every pane if its ratio of height to width exceeds this. */
const VERY_TALL = 20;

/**
 * The lower end of a page's content, CSS px. Only the last leaves (nodes without children) are measured, because a long
 * page can have 100,000 leaves.
 */
function endOf({body}: Document): number {
  if (body === null) return 0;
  const leaves = body.ownerDocument.createTreeWalker(body, NodeFilter.SHOW_ELEMENT | NodeFilter.SHOW_TEXT);
  while (leaves.lastChild() !== null);
  const range = body.ownerDocument.createRange();
  let end = 0;
  let node: Node | null = leaves.currentNode;
  for (let i = 0; i < LAST_LEAVES && node !== null && node !== body; i++) {
    if (node.firstChild === null) {
      range.selectNode(node);
      end = Math.max(end, range.getBoundingClientRect().bottom);
    }
    node = leaves.previousNode();
  }
  return end;
}

const LAST_LEAVES = 200;

/** How many bytes of HTML are laid out in one step. Between these steps the window can react to the user. */
const SLICE_BYTES = 128_000;

/** How many bytes of HTML are measured. A longer page is higher than measured, and is scrolled. */
const MEASURED_BYTES = 512_000;

/** How much of an object is shown at t. If the object fails after its first byte, the delivered bytes stay. */
function extentAt(trace: Trace, object: number, tNs: number): Extent {
  const bytes = trace.bytesAt(object, tNs);
  return bytes === 0 && trace.stateAt(object, tNs) === 'failed' ? 'failed' : bytes;
}

/** Shows a picture in a box. Chromium keeps the old picture until the new one is decoded. */
async function showPicture(box: HTMLImageElement, address: string): Promise<void> {
  if (box.src === address) return;
  box.src = address;
  await box.decode().catch(() => undefined);
}
