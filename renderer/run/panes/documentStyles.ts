import type {Page} from '../../../app/page/page.ts';
import {partsOf, pictureProperty, readStyle, type StyleReading, type StyleSource, styleText} from './styleText.ts';

/** What of a page's style sheets and fonts there is now. */
export interface StyleFiles {
  /** Its text from when all of it is there, empty if it failed; undefined before. */
  readonly css: (object: number) => string | undefined;
  /** Where the font can be had; undefined before it is there. */
  readonly font: (object: number) => string | undefined;
}

/**
 * The style sheets of a growing document, as far as they have come. Nothing is painted while one in its head is
 * awaited, with what it imports (HTML §4.2.4.4, 'render-blocking'). Differs: one in the body does not stop what
 * follows it.
 */
export class DocumentStyles {
  readonly #frame: Document;
  readonly #urlOf: (object: number) => string;
  readonly #reading: StyleReading;
  readonly #read = new Map<number, StyleSource>();
  readonly #addresses = new Map<number, string>();
  /** Keeps pictures loaded, so that they are painted with the frame that first has them. */
  readonly #loaded = new Map<number, HTMLImageElement>();
  readonly #ours: CSSStyleSheet | undefined;
  #ourText = '';
  #links = new Map<HTMLStyleElement, number>();
  #texts = new Map<HTMLStyleElement, StyleSource>();
  #attributes = new Set<number>();
  #pictures: ReadonlySet<number> = new Set();
  /** Linked and imported, as far as it is known. */
  #sheets: ReadonlySet<number> = new Set();
  #fonts: ReadonlySet<number> = new Set();
  /** Elements came or went, or a sheet's text. */
  #isStale = true;
  #state = '';
  #files: StyleFiles = {css: () => undefined, font: () => undefined};

  constructor(frame: Document, {objects}: Page, objectOf: (url: string) => number | undefined) {
    this.#frame = frame;
    this.#urlOf = object => objects[object]?.url ?? '';
    const view = frame.defaultView as (Window & typeof globalThis) | null;
    const isTaken = (property: string, value: string): boolean => view?.CSS.supports(property, value) ?? true;
    this.#reading = {objectOf, isTaken};
    if (view === null) return;
    this.#ours = new view.CSSStyleSheet();
    frame.adoptedStyleSheets = [...frame.adoptedStyleSheets, this.#ours];
  }

  /** Kept when the fonts that there are have been read: until then a browser shows others. */
  async loaded(): Promise<void> {
    if (this.#fonts.size === 0) return;
    // a font is read when something is laid out in it
    this.#frame.body?.getBoundingClientRect();
    await this.#frame.fonts.ready;
  }

  /** The document begins anew. */
  clear(): void {
    this.#links = new Map();
    this.#texts = new Map();
    this.#attributes = new Set();
    this.#isStale = true;
  }

  /** An element that stands where the HTML links an object. */
  addLink(element: HTMLStyleElement, object: number): void {
    this.#links.set(element, object);
    this.#isStale = true;
  }

  /** A style element's own text. */
  setText(element: HTMLStyleElement, css: string, base: string): void {
    if (this.#texts.get(element)?.css === css) return;
    this.#texts.set(element, readStyle(css, base, this.#reading));
    this.#isStale = true;
  }

  /** An element's style attribute, in its copy. */
  giveAttribute(original: Element, copy: Node, base: string): void {
    const source = this.noteAttribute(original, base);
    if (source === undefined || !('setAttribute' in copy)) return;
    (copy as Element).setAttribute('style', styleText(source, NOTHING));
  }

  /** A copy that has it already. */
  noteAttribute(original: Element, base: string): StyleSource | undefined {
    const css = original.getAttribute('style');
    const source = css === null ? undefined : readStyle(css, base, this.#reading);
    if (source === undefined || source.parts.length + source.huge.length === 0) return undefined;
    for (const {object} of source.parts) this.#attributes.add(object);
    this.#isStale = true;
    return source;
  }

  show(files: StyleFiles): void {
    this.#files = files;
    this.refresh();
  }

  /** Does nothing where nothing came since: every frame asks. */
  refresh(): void {
    if (!this.#isStale && this.#stateOf() === this.#state) return;
    const sheet = (object: number): StyleSource | undefined => this.#sheet(object);
    const pictures = new Set(this.#attributes);
    const [sheets, fonts] = [new Set(this.#links.values()), new Set<number>()];
    let isAwaited = false;
    let room = MOST_CHARACTERS;
    const last = this.#lastLinks();
    const linked = Array.from(this.#links, ([element, object]) => [element, sheet(object)] as const);
    for (const [element, source] of [...this.#texts, ...linked]) {
      const parts = source === undefined ? [] : Array.from(partsOf(source, sheet).values());
      for (const {kind, object} of parts) {
        (kind === 'image' ? pictures : kind === 'font' ? fonts : sheets).add(object);
      }
      const isWhole = source !== undefined && parts.every(part => part.kind !== 'import' || sheet(part.object));
      isAwaited ||= !isWhole && this.#blocks(element);
      const isRepeated = this.#links.has(element) && !last.has(element);
      const isLeftOut = source === undefined || isRepeated || room < source.css.length;
      const text = isLeftOut ? '' : styleText(source, {sheet, font: this.#files.font});
      room -= text.length;
      // a sheet that is set again is parsed again, and its fonts are loaded again
      if (element.textContent !== text) element.textContent = text;
    }
    [this.#pictures, this.#sheets, this.#fonts] = [pictures, sheets, fonts];
    this.#isStale = false;
    this.#state = this.#stateOf();
    this.#setOurs(isAwaited);
  }

  /** Of those of one sheet for the same media, the last: it holds, and the text of each would be kept. */
  #lastLinks(): ReadonlySet<HTMLStyleElement> {
    const links = Array.from(
      this.#links,
      ([element, object]) => [`${object} ${element.media} ${element.title}`, element] as const,
    );
    return new Set(new Map(links).values());
  }

  /** Which of the sheets and fonts that are named there are. */
  #stateOf(): string {
    const {css, font} = this.#files;
    const sheets = Array.from(this.#sheets, object => css(object)?.length ?? '-');
    return [...sheets, ...Array.from(this.#fonts, object => font(object) ?? '-')].join();
  }

  /** Linked and imported sheets, as far as they have come, without which nothing is painted. */
  blocking(): readonly number[] {
    const sheet = (object: number): StyleSource | undefined => this.#sheet(object);
    const all = [...this.#links].flatMap(([element, object]) => {
      return this.#blocks(element) ? [object, ...importsOf(sheet(object), sheet)] : [];
    });
    for (const [element, source] of this.#texts) if (this.#blocks(element)) all.push(...importsOf(source, sheet));
    return [...new Set(all)].sort((a, b) => a - b);
  }

  pictures(): readonly number[] {
    return Array.from(this.#pictures);
  }

  async setPicture(object: number, address: string | undefined): Promise<void> {
    if (this.#addresses.get(object) === address) return;
    if (address === undefined) this.#addresses.delete(object);
    else {
      const image = this.#frame.createElement('img');
      image.src = address;
      await image.decode().catch(() => undefined);
      this.#loaded.set(object, image);
      this.#addresses.set(object, address);
    }
    this.#setOurs(this.#ourText.startsWith(BLANK));
  }

  #sheet(object: number): StyleSource | undefined {
    const css = this.#files.css(object);
    if (css === undefined) return undefined;
    const known = this.#read.get(object);
    if (known?.css === css) return known;
    const source = readStyle(css, this.#urlOf(object), this.#reading);
    this.#read.set(object, source);
    return source;
  }

  #blocks(element: HTMLStyleElement): boolean {
    const isUsed = element.media === '' || this.#frame.defaultView?.matchMedia(element.media).matches === true;
    // a noscript element may be around it
    return isUsed && element.closest('head') !== null;
  }

  #setOurs(isBlank: boolean): void {
    const rules = Array.from(this.#addresses, ([object, address]) => `${pictureProperty(object)}:url("${address}")`);
    const text = `${isBlank ? BLANK : ''}:root{${rules.join(';')}}`;
    if (text === this.#ourText) return;
    this.#ourText = text;
    this.#ours?.replaceSync(text);
  }
}

function importsOf(
  source: StyleSource | undefined,
  sheet: (object: number) => StyleSource | undefined,
): readonly number[] {
  const parts = source === undefined ? [] : Array.from(partsOf(source, sheet).values());
  return parts.filter(({kind}) => kind === 'import').map(({object}) => object);
}

const NOTHING = {sheet: () => undefined, font: () => undefined};

/** Of all style elements' text: one more that does not fit is left out. Far beyond the largest pages of today. */
const MOST_CHARACTERS = 20_000_000;

const BLANK = ':root{opacity:0 !important}';
