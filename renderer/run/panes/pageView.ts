import {imageSize} from '../../../app/page/imageSize.ts';
import type {Page} from '../../../app/page/page.ts';
import type {ByteRange} from '../../../app/run/trace/shownRanges.ts';
import type {Trace} from '../../../app/run/trace/trace.ts';
import type {Decode} from './decodePicture.ts';
import type {StyleFiles} from './documentStyles.ts';
import {openFrame} from './frameDocument.ts';
import {GrowingDocument} from './growingDocument.ts';
import {BROKEN_IMAGE, EMPTY_IMAGE} from './inertElement.ts';
import {type Extent, ObjectImage} from './objectImage.ts';
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
  readonly #content: GrowingDocument;
  readonly #images = new Map<number, ObjectImage>();
  readonly #css = new Map<number, string>();
  readonly #fonts = new Map<number, string>();
  /** Objects that had been named by a style sheet when they were last shown. */
  readonly #inStyles = new Set<number>();
  #trace: Trace;
  #asked = 0;
  /** What was asked for last. */
  #shown: Promise<void> = Promise.resolve();
  #outlineOf: OutlineOf = () => '';

  /** `frame` is the document of a frame of its own: nothing else writes into it. */
  constructor(frame: Document, page: Page, trace: Trace, decode: Decode) {
    this.#document = frame;
    this.#page = page;
    this.#decode = decode;
    this.#trace = trace;
    openFrame(frame, page.objects[0]?.body ?? new Uint8Array());
    this.#content = new GrowingDocument(frame, page, (box, object) => this.#setUp(box, object));
  }

  /** Another run of the same page. */
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
   * The whole page in a frame of each of the widths, with all its pictures; of a very long one as much as is
   * measured quickly. Shows its HTML.
   */
  measure(frame: HTMLIFrameElement, widths: readonly number[]): readonly PageLayout[] {
    const known = measured.get(this.#page);
    if (known !== undefined) return known;
    const bytes = this.#page.objects[0]?.body?.length ?? 0;
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
      layouts.push({width, height, filledWidth: Math.max(this.#document.body?.offsetWidth ?? 0, 1)});
      // scrolled at any width, and laid out slowly
      if (height > VERY_TALL * width) break;
    }
    Object.assign(frame.style, {width: widthBefore, height: heightBefore});
    endSizes();
    measured.set(this.#page, layouts);
    return layouts;
  }

  /** Of the frame, or of what is in it if that is taller, CSS px. */
  height(): number {
    return this.#document.documentElement?.scrollHeight ?? 0;
  }

  /** Kept when the frame shows t, or one asked for later. */
  show(tNs: number): Promise<void> {
    this.#asked += 1;
    this.#shown = this.#showAt(tNs, this.#asked);
    return this.#shown;
  }

  /** The object whose box is at a point of the frame, CSS px. */
  objectAt(x: number, y: number): number | null {
    const box = this.#document.elementFromPoint(x, y)?.closest<HTMLElement>('[data-object]');
    return box == null ? null : Number(box.dataset['object']);
  }

  /** Where an object's first box is in the frame, CSS px; undefined if it has none yet. */
  boxOf(object: number): DOMRect | undefined {
    return this.#content.boxesOf(object)[0]?.getBoundingClientRect();
  }

  /**
   * How far a reader has come at t, which is on show: to the end of what is there, or to the first picture that
   * is not whole. In the frame's CSS px.
   */
  readEndAt(tNs: number): number {
    const isAwaited = (object: number): boolean => !['complete', 'failed'].includes(this.#trace.stateAt(object, tNs));
    // objects are numbered as the HTML names them
    const awaited = Math.min(...this.#content.objects().filter(isAwaited));
    const box = this.#content.boxesOf(awaited)[0];
    const end = endOf(this.#document);
    return box === undefined ? end : Math.min(end, box.getBoundingClientRect().bottom);
  }

  release(): void {
    this.#asked += 1;
    // what is under way is not to wait for itself
    this.#shown = Promise.resolve();
    for (const image of this.#images.values()) image.release();
    for (const address of this.#fonts.values()) URL.revokeObjectURL(address);
    this.#fonts.clear();
  }

  async #showAt(tNs: number, asked: number): Promise<void> {
    const trace = this.#trace;
    const files = this.#filesAt(trace, tNs);
    const ranges = trace.rangesAt(0, tNs);
    const [range] = ranges;
    // in order; a page with holes is small, or comes slowly
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

  #showHtml(ranges: readonly ByteRange[], files: StyleFiles): void {
    this.#content.showRanges(ranges);
    this.#content.showStyles(files);
  }

  /** A style sheet is used when all of it is there (HTML §4.2.4.4). */
  #filesAt(trace: Trace, tNs: number): StyleFiles {
    const state = (object: number) => trace.stateAt(object, tNs);
    return {
      css: object => (state(object) === 'complete' ? this.#style(object) : state(object) === 'failed' ? '' : undefined),
      font: object => (state(object) === 'complete' ? this.#font(object) : undefined),
    };
  }

  /** What was shown before a style sheet named it is to be shown there, too. */
  #putInStyles(object: number): void {
    if (this.#inStyles.has(object)) return;
    this.#inStyles.add(object);
    this.#images.get(object)?.forget();
  }

  /**
   * Boxes are laid out as if their pictures were there; gives what ends that. The sizes stand in the place of
   * natural ones (CSS Sizing 4 §5), but for the least width in a flex container.
   */
  #giveSizes(): () => void {
    const given = this.#content.objects().flatMap(object => {
      const size = imageSize(this.#page.objects[object]?.body ?? new Uint8Array());
      if (size === undefined) return [];
      return this.#content.boxesOf(object).map(box => ({box, size, before: box.getAttribute('style')}));
    });
    const window = this.#document.defaultView;
    // all are read before the first is changed: each would be laid out otherwise
    const ratios = given.map(({box}) => window?.getComputedStyle(box).aspectRatio ?? '');
    for (const [i, {box, size}] of given.entries()) {
      box.style.contain = 'size';
      box.style.containIntrinsicSize = `${size.width}px ${size.height}px`;
      // a ratio without `auto` holds in front of the picture's
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

/** What the frame of a page measured: it is the same in each pane. */
const measured = new WeakMap<Page, readonly PageLayout[]>();

/** Height to width from which on a page is scrolled in every pane. */
const VERY_TALL = 20;

/** Where the last that a page has ends, CSS px. Of its last leaves alone: a long page has 100,000. */
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

/** HTML that is laid out for a frame at once; the window answers in between. */
const SLICE_BYTES = 128_000;

/** Longer pages grow beyond what was measured, and are scrolled. */
const MEASURED_BYTES = 512_000;

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
