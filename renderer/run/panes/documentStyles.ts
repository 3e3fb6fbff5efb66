import type {Page} from '../../../app/page/page.ts';
import {partsOf, pictureProperty, readStyle, type StyleReading, type StyleSource, styleText} from './styleText.ts';

/** The style sheets and fonts of a page that are complete. */
export interface StyleFiles {
  /**
   * The text of an object's style sheet. It is undefined until the sheet is complete, and empty if the sheet failed.
   */
  readonly css: (object: number) => string | undefined;
  /** The address of an object's font; undefined until the font is complete. */
  readonly font: (object: number) => string | undefined;
}

/**
 * Applies the delivered style sheets to a growing document. Nothing is painted while a sheet in the head, or a sheet
 * that it imports, is missing (HTML, 'render-blocking mechanism'). In a browser, a missing sheet in the body also
 * blocks the content after it. Here it does not.
 */
export class DocumentStyles {
  readonly #frame: Document;
  readonly #urlOf: (object: number) => string;
  readonly #reading: StyleReading;
  readonly #read = new Map<number, StyleSource>();
  readonly #addresses = new Map<number, string>();
  /** Pictures that stay loaded, so that they are painted in the first frame that shows them. */
  readonly #loaded = new Map<number, HTMLImageElement>();
  readonly #ours: CSSStyleSheet | undefined;
  #ourText = '';
  #links = new Map<HTMLStyleElement, number>();
  #texts = new Map<HTMLStyleElement, StyleSource>();
  #attributes = new Set<number>();
  #pictures: ReadonlySet<number> = new Set();
  /** The linked and imported sheets that are known so far. */
  #sheets: ReadonlySet<number> = new Set();
  #fonts: ReadonlySet<number> = new Set();
  /** Whether elements or texts have changed since the last refresh. */
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

  /** Resolves when the available fonts are loaded. Until then, a browser shows other fonts. */
  async loaded(): Promise<void> {
    if (this.#fonts.size === 0) return;
    // a browser loads a font when it lays out something with that font
    this.#frame.body?.getBoundingClientRect();
    await this.#frame.fonts.ready;
  }

  /** Forgets the elements, because the document is built again from the start. */
  clear(): void {
    this.#links = new Map();
    this.#texts = new Map();
    this.#attributes = new Set();
    this.#isStale = true;
  }

  /** Adds the style element that replaces a link to a style sheet. */
  addLink(element: HTMLStyleElement, object: number): void {
    this.#links.set(element, object);
    this.#isStale = true;
  }

  /** Sets the text of a style element. */
  setText(element: HTMLStyleElement, css: string, base: string): void {
    if (this.#texts.get(element)?.css === css) return;
    this.#texts.set(element, readStyle(css, base, this.#reading));
    this.#isStale = true;
  }

  /** Sets the style attribute of an element's copy, if something in the original attribute has to be replaced. */
  giveAttribute(original: Element, copy: Node, base: string): void {
    const source = this.noteAttribute(original, base);
    if (source === undefined || !('setAttribute' in copy)) return;
    (copy as Element).setAttribute('style', styleText(source, NOTHING));
  }

  /**
   * Records the objects that an element's style attribute refers to. Returns the attribute as it was read; undefined if
   * nothing in it has to be replaced.
   */
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

  /** Updates the frame's sheets. It is called for every t, so it does nothing if nothing has changed. */
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
      // if a sheet is set again, the browser parses it again and loads its fonts again
      if (element.textContent !== text) element.textContent = text;
    }
    [this.#pictures, this.#sheets, this.#fonts] = [pictures, sheets, fonts];
    this.#isStale = false;
    this.#state = this.#stateOf();
    this.#setOurs(isAwaited);
  }

  /**
   * Returns the links that count: of all links with the same sheet, media and title, only the last one. It overrides
   * the earlier ones, which would only take memory.
   */
  #lastLinks(): ReadonlySet<HTMLStyleElement> {
    const links = Array.from(
      this.#links,
      ([element, object]) => [`${object} ${element.media} ${element.title}`, element] as const,
    );
    return new Set(new Map(links).values());
  }

  /** A text that changes when one of the linked or imported sheets, or one of the fonts, becomes available. */
  #stateOf(): string {
    const {css, font} = this.#files;
    const sheets = Array.from(this.#sheets, object => css(object)?.length ?? '-');
    return [...sheets, ...Array.from(this.#fonts, object => font(object) ?? '-')].join();
  }

  /**
   * The sheets without which nothing is painted: those that are linked in the head, and those that they or the head's
   * `style` elements import, as far as these imports are known.
   */
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
    // the element may be inside a noscript element of the head
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

/**
 * The largest number of characters of all sheets together. Even large pages have far fewer. A sheet beyond the limit is
 * left out.
 */
const MOST_CHARACTERS = 20_000_000;

const BLANK = ':root{opacity:0 !important}';
