import {type Box, Flow, type Size} from './flow.ts';
import {type HtmlObserver, HtmlReader, type HtmlTag} from './htmlReader.ts';
import {imageSize} from './imageSize.ts';
import {matchesMedia} from './media.ts';
import {INDEX_URL, type Page} from './page.ts';
import {sheetLink} from './sheetObjects.ts';
import {attributeFamilies, ElementNames, type Inventory, sheetUse} from './styleUse.ts';
import {objectUrl, originOf} from './url.ts';

/** What a browser finds while it reads a page's HTML and style sheets. It depends on the page alone. */
export interface Outline {
  /** Everything in the HTML that loads, blocks or shows something, in the order of the HTML. */
  readonly elements: readonly Element[];
  /**
   * The byte offset after the start tag of the body. If there is none, it is the offset after the first tag that
   * implies the body, or after the tag that follows the first text. If nothing implies a body, it is the length of the
   * HTML.
   */
  readonly bodyAt: number;
  readonly bytes: number;
  /** Maps the object number of each style sheet to what the sheet loads. */
  readonly sheets: ReadonlyMap<number, Sheet>;
  /** The font families that style attributes use. */
  readonly families: ReadonlySet<string>;
  /**
   * Objects that are requested without credentials if they are of another origin: fonts, module scripts, objects of
   * modulepreload links, and what has the attribute `crossorigin` with a value other than `use-credentials` (Fetch
   * §3.2; HTML §2.5.4).
   */
  readonly anonymous: ReadonlySet<number>;
}

export type FetchPriority = 'high' | 'low' | 'auto';

interface At {
  /**
   * The byte offset at which the element's start tag ends. For a script or style sheet inside the HTML, it is the byte
   * offset at which the end tag ends. For a text, it is the byte offset after the first byte of the text.
   */
  readonly at: number;
  readonly isInBody: boolean;
}

export interface ScriptElement extends At {
  readonly kind: 'script';
  /** Null for a script in the HTML. */
  readonly object: number | null;
  /** How many script elements of any type stand before it. */
  readonly number: number;
  readonly mode: 'sync' | 'async' | 'defer' | 'module' | 'async-module';
  readonly fetchPriority: FetchPriority;
}

export interface SheetElement extends At {
  readonly kind: 'sheet';
  /** Null for a style element. */
  readonly object: number | null;
  /** Whether the sheet applies to the screen. If not, only the load event waits for it. */
  readonly isForScreen: boolean;
  readonly fetchPriority: FetchPriority;
  /** What a style element loads. */
  readonly sheet?: Sheet;
}

export interface PictureElement extends At {
  readonly kind: 'picture';
  readonly object: number;
  readonly isLazy: boolean;
  readonly fetchPriority: FetchPriority;
  /** The size that the attributes state, if they state both width and height. */
  readonly stated: Size | undefined;
  readonly box: Box;
}

export interface HintElement extends At {
  readonly kind: 'preload' | 'modulepreload';
  readonly object: number;
  /** The kind of object that the link announces: its attribute `as`, or `script` for a modulepreload. */
  readonly as: 'style' | 'script' | 'font' | 'image' | 'fetch';
  readonly fetchPriority: FetchPriority;
}

export interface PreconnectElement extends At {
  readonly kind: 'preconnect';
  readonly origin: string;
  readonly isAnonymous: boolean;
}

/** A text. Painting it is a contentful paint (Paint Timing). */
export interface TextElement extends At {
  readonly kind: 'text';
  readonly characters: number;
  readonly box: Box;
}

export type Element = ScriptElement | SheetElement | PictureElement | HintElement | PreconnectElement | TextElement;

/** What a style sheet loads, by object numbers, in the order of the sheet. */
export interface Sheet {
  readonly imports: readonly number[];
  /** The pictures in the rules that apply to the document. */
  readonly pictures: readonly number[];
  readonly fonts: readonly {readonly object: number; readonly family: string}[];
  /** The font families that the rules of the sheet use. */
  readonly families: ReadonlySet<string>;
}

/** Returns the outline of a page. It is made once for each page. */
export function outlineOf(page: Page): Outline {
  const known = outlines.get(page);
  if (known !== undefined) return known;
  const outline = new OutlineReader(page).read();
  outlines.set(page, outline);
  return outline;
}

const outlines = new WeakMap<Page, Outline>();

class OutlineReader implements HtmlObserver {
  readonly #page: Page;
  readonly #numbers: ReadonlyMap<string, number>;
  readonly #elements: Draft[] = [];
  readonly #flow = new Flow();
  readonly #elementNames = new ElementNames();
  readonly #characters = new Set<number>();
  readonly #families = new Set<string>();
  readonly #anonymous = new Set<number>();
  /** The offset at which the bytes that are being read end. These bytes are the text up to a tag, and the tag. */
  #at = 0;
  /** The offset at which the bytes that are being read begin. */
  #from = 0;
  #bodyAt: number | undefined;
  #noScript = 0;
  /** Number of script elements so far, of any type. */
  #scripts = 0;
  /** The open script or style element, or another open element whose text does not count as text of the page. */
  #raw: {readonly name: string; readonly tag: HtmlTag; text: string} | undefined;
  /** The text since a block element began or ended, or since a picture, whichever was last. */
  #text: {readonly at: number; characters: number} | undefined;
  #heading = 0;

  constructor(page: Page) {
    this.#page = page;
    this.#numbers = new Map(page.objects.map(({url}, object) => [url, object]));
  }

  read(): Outline {
    const html = this.#page.objects[0]?.body ?? new Uint8Array(0);
    const reader = new HtmlReader(INDEX_URL, this);
    const decoder = new TextDecoder('utf-8');
    for (let from = 0; from < html.length; from = this.#at) {
      const end = html.indexOf(GREATER_THAN, from);
      this.#from = from;
      this.#at = end < 0 ? html.length : end + 1;
      // some decoders refuse memory that is shared between threads, so the bytes are copied
      reader.write(decoder.decode(html.slice(from, this.#at), {stream: true}));
    }
    this.#endText();
    const inventory = {elements: this.#elementNames, characters: this.#characters};
    // a text is added only when it ends, so the elements are not in order yet
    const ordered = this.#elements.toSorted((a, b) => a.at - b.at);
    const elements = ordered.map(({css, base, ...element}): Element => {
      if (element.kind !== 'sheet' || css === undefined) return element;
      return {...element, sheet: this.#sheet(css, base ?? INDEX_URL, inventory)};
    });
    return {
      elements,
      bodyAt: this.#bodyAt ?? html.length,
      bytes: html.length,
      sheets: this.#sheets(inventory),
      families: this.#families,
      anonymous: this.#anonymous,
    };
  }

  handleTag(tag: HtmlTag): void {
    const {name, attributes} = tag;
    if (name === 'script') this.#scripts += 1;
    if (name === 'noscript') this.#noScript += 1;
    if (this.#noScript > 0) return; // browsers that run scripts skip noscript elements (HTML §4.12.2)
    this.#elementNames.add(name, attributes);
    const style = attributes['style'];
    if (style !== undefined) for (const family of attributeFamilies(style)) this.#families.add(family);
    if (!IN_HEAD.has(name)) this.#bodyAt ??= this.#at;
    if (BLOCK.has(name)) this.#breakBlock();
    if (/^h[1-3]$/.test(name)) this.#heading = HEADINGS_PX[name] ?? 0;
    const height = pixelsIn(style, 'height');
    if (height !== undefined && BLOCK.has(name)) this.#flow.open(name, height);
    if (WITHOUT_TEXT.has(name)) this.#raw = {name, tag, text: ''};
    if (name === 'img') this.#picture(tag);
    else if (name === 'link') this.#link(tag);
    else if (name === 'script' && attributes['src'] !== undefined) this.#script(tag);
  }

  handleText(text: string): void {
    if (this.#raw !== undefined) {
      if (this.#raw.name === 'script' || this.#raw.name === 'style') this.#raw.text += text;
      return;
    }
    if (this.#noScript > 0 || !/\S/.test(text)) return;
    this.#bodyAt ??= this.#at;
    for (const character of text) this.#characters.add(character.codePointAt(0) ?? 0);
    this.#text ??= {at: this.#from + 1, characters: 0};
    this.#text.characters += text.trim().length;
  }

  handleEnd(name: string): void {
    if (name === 'noscript') this.#noScript -= 1;
    if (this.#noScript > 0) return;
    if (this.#raw?.name === name) {
      const {tag, text} = this.#raw;
      this.#raw = undefined;
      if (name === 'script' && tag.attributes['src'] === undefined) this.#script(tag);
      else if (name === 'style') this.#style(tag, text);
    }
    if (BLOCK.has(name)) this.#breakBlock();
    if (/^h[1-3]$/.test(name)) this.#heading = 0;
    this.#flow.close(name);
  }

  #breakBlock(): void {
    this.#endText();
    this.#flow.breakLine();
  }

  #endText(): void {
    const text = this.#text;
    this.#text = undefined;
    if (text === undefined) return;
    const box = this.#flow.placeText(text.characters, this.#heading || LINE_PX);
    this.#elements.push({kind: 'text', at: text.at, isInBody: true, characters: text.characters, box});
  }

  #place(): At {
    return {at: this.#at, isInBody: this.#bodyAt !== undefined};
  }

  #objectAt(url: string | undefined): number | undefined {
    return url === undefined ? undefined : this.#numbers.get(url);
  }

  /** Notes that an object is requested without credentials, if the element's attributes say so. */
  #noteMode(object: number, attributes: Readonly<Record<string, string>>): void {
    if (corsMode(attributes) === 'anonymous') this.#anonymous.add(object);
  }

  #picture({attributes, url}: HtmlTag): void {
    const object = this.#objectAt(url);
    if (object === undefined || object === 0) return;
    this.#noteMode(object, attributes);
    // text before the picture in the same block is placed first
    if (this.#text !== undefined) this.#endText();
    const [width, height] = [sizeIn(attributes, 'width'), sizeIn(attributes, 'height')];
    const stated = width === undefined || height === undefined ? undefined : {width, height};
    const own = imageSize(this.#page.objects[object]?.body ?? new Uint8Array(0));
    const estimated = this.#flow.place(stated ?? scaled(own, width, height));
    this.#elements.push({
      kind: 'picture',
      ...this.#place(),
      object,
      isLazy: attributes['loading']?.trim().toLowerCase() === 'lazy',
      fetchPriority: fetchPriorityOf(attributes),
      stated,
      box: this.#known(object) ?? estimated,
    });
  }

  /** Returns the place of a picture if the layout of the page is known. */
  #known(object: number): Box | undefined {
    const {layout, objects} = this.#page;
    const place = layout?.[objects[object]?.url ?? ''];
    if (place === undefined) return undefined;
    const [left, top, width, height] = place;
    return {left, top, width, height};
  }

  #script({attributes, url}: HtmlTag): void {
    const type = (attributes['type'] ?? '').trim().toLowerCase();
    const isModule = type === 'module';
    if (!isModule && !CLASSIC_TYPE.test(type)) return;
    if (!isModule && attributes['nomodule'] !== undefined) return;
    const object = attributes['src'] === undefined ? null : this.#objectAt(url);
    if (object === undefined) return;
    if (object !== null) this.#noteMode(object, attributes);
    const isAsync = attributes['async'] !== undefined;
    const external = isAsync ? 'async' : attributes['defer'] !== undefined ? 'defer' : 'sync';
    const mode = isModule ? (isAsync ? 'async-module' : 'module') : object === null ? 'sync' : external;
    if (object !== null && isModule && corsMode(attributes) !== 'use-credentials') this.#anonymous.add(object);
    const number = this.#scripts - 1;
    const fetchPriority = fetchPriorityOf(attributes);
    this.#elements.push({kind: 'script', ...this.#place(), object, number, mode, fetchPriority});
  }

  #style({attributes, base}: HtmlTag, css: string): void {
    const isForScreen = matchesMedia(attributes['media'] ?? '');
    this.#elements.push({
      kind: 'sheet',
      ...this.#place(),
      object: null,
      isForScreen,
      fetchPriority: 'auto',
      css,
      base,
    });
  }

  #link(tag: HtmlTag): void {
    const {attributes, base} = tag;
    const rel = (attributes['rel'] ?? '').toLowerCase().split(/\s+/);
    const href = attributes['href'];
    if (href === undefined) return;
    const media = attributes['media'] ?? '';
    const sheet = sheetLink({rel: attributes['rel'], isDisabled: attributes['disabled'] !== undefined});
    const object = this.#objectAt(objectUrl(href, base));
    const common = {...this.#place(), fetchPriority: fetchPriorityOf(attributes)};
    if (object !== undefined) this.#noteMode(object, attributes);
    if (sheet !== 'none') {
      // a disabled sheet is not loaded (HTML §4.6.7.19), but an alternative sheet is loaded
      const isLoaded = attributes['disabled'] === undefined;
      const isForScreen = sheet === 'in use' && matchesMedia(media);
      if (object !== undefined && isLoaded) this.#elements.push({kind: 'sheet', ...common, object, isForScreen});
      return;
    }
    if (rel.includes('preconnect')) {
      const isAnonymous = corsMode(attributes) === 'anonymous';
      const origin = originOf(href, this.#page.objects[0]?.address);
      if (origin !== undefined) this.#elements.push({kind: 'preconnect', ...this.#place(), origin, isAnonymous});
    } else if (rel.includes('modulepreload')) {
      if (object === undefined) return;
      // like a module script, it is requested in CORS mode even without the attribute crossorigin
      if (corsMode(attributes) !== 'use-credentials') this.#anonymous.add(object);
      this.#elements.push({kind: 'modulepreload', ...common, object, as: 'script'});
    } else if (rel.includes('preload') && matchesMedia(media)) {
      const as = AS.get((attributes['as'] ?? '').toLowerCase());
      if (object !== undefined && as !== undefined) this.#elements.push({kind: 'preload', ...common, object, as});
    }
  }

  #sheets(inventory: Inventory): ReadonlyMap<number, Sheet> {
    const sheets = new Map<number, Sheet>();
    for (const [object, {url, contentType, body}] of this.#page.objects.entries()) {
      if (!/^text\/css\b/.test(contentType) || body === null) continue;
      sheets.set(object, this.#sheet(new TextDecoder('utf-8').decode(body.slice()), url, inventory));
    }
    return sheets;
  }

  #sheet(css: string, base: string, inventory: Inventory): Sheet {
    const {uses, families} = sheetUse(css, inventory);
    const found = uses.flatMap(use => {
      const object = this.#objectAt(objectUrl(use.reference, base));
      return object === undefined ? [] : [{...use, object}];
    });
    for (const {kind, object} of found) if (kind === 'font') this.#anonymous.add(object);
    const used = found.filter(({isForScreen, isMatched}) => isForScreen && isMatched);
    const of = (kind: string) => [...new Set(used.filter(each => each.kind === kind).map(({object}) => object))];
    return {
      imports: of('import'),
      pictures: of('image'),
      fonts: used.flatMap(({kind, object, family = ''}) => (kind === 'font' ? [{object, family}] : [])),
      families,
    };
  }
}

/** An element. A style element keeps its text until the whole document is known. */
type Draft = Element & {readonly css?: string; readonly base?: string};

/** Returns the state of the attribute `crossorigin` (HTML §2.5.4). Undefined if the element does not have it. */
function corsMode(attributes: Readonly<Record<string, string>>): 'anonymous' | 'use-credentials' | undefined {
  const word = attributes['crossorigin']?.trim().toLowerCase();
  return word === undefined || word === 'use-credentials' ? word : 'anonymous';
}

function fetchPriorityOf(attributes: Readonly<Record<string, string>>): FetchPriority {
  const word = attributes['fetchpriority']?.trim().toLowerCase();
  return word === 'high' || word === 'low' ? word : 'auto';
}

/** Returns a size in px from the attribute with this name, or else from the style attribute. */
function sizeIn(attributes: Readonly<Record<string, string>>, name: 'width' | 'height'): number | undefined {
  const value = attributes[name];
  if (value !== undefined && /^\s*\d{1,5}(\.\d+)?\s*(px)?\s*$/.test(value)) return Number.parseFloat(value);
  return pixelsIn(attributes['style'], name);
}

function pixelsIn(style: string | undefined, name: 'width' | 'height'): number | undefined {
  const found =
    style === undefined ? null : new RegExp(`(?:^|[;\\s])${name}\\s*:\\s*(\\d{1,6}(?:\\.\\d+)?)px`).exec(style);
  return found === null ? undefined : Number(found[1]);
}

/** Returns the size of a picture of which at most one side is stated. */
function scaled(own: Size | undefined, width: number | undefined, height: number | undefined): Size {
  const {width: w, height: h} = own ?? {width: 0, height: 0};
  if (width !== undefined) return {width, height: w === 0 ? 0 : (h * width) / w};
  if (height !== undefined) return {width: h === 0 ? 0 : (w * height) / h, height};
  return {width: w, height: h};
}

// Browsers and Node have TextDecoder (WHATWG Encoding), but app/ is compiled without the types of either.
declare const TextDecoder: new (label: string) => {decode(bytes: Uint8Array, options?: {stream: boolean}): string};

const GREATER_THAN = 0x3e;

/** Types of classic scripts (HTML §4.12.1; WHATWG MIME Sniffing §4.6). */
const CLASSIC_TYPE = /^(|(text|application)\/(x-)?(java|ecma)script|text\/(javascript1\.[0-5]|jscript|livescript))$/;

/** Tags that may stand in a head (HTML §13.2.6.4.4). */
const IN_HEAD: ReadonlySet<string> = new Set(
  'html head base basefont bgsound link meta title noscript script style template'.split(' '),
);

/** Elements whose text does not count as text of the page. */
const WITHOUT_TEXT: ReadonlySet<string> = new Set('script style title textarea select option'.split(' '));

/** Elements that begin and end a line (HTML §15.3.3). */
const BLOCK: ReadonlySet<string> = new Set(
  `address article aside blockquote body center dd details dialog div dl dt fieldset figcaption figure footer form h1 h2
  h3 h4 h5 h6 header hr html legend li main menu nav ol p pre section summary table tr ul`.split(/\s+/),
);

/** Line heights of text and headings, px (HTML §15.3.6). */
const LINE_PX = 20;
const HEADINGS_PX: {readonly [name: string]: number} = {h1: 40, h2: 30, h3: 24};

/** Values of `as` that are preloaded. */
const AS: ReadonlyMap<string, HintElement['as']> = new Map([
  ['style', 'style'],
  ['script', 'script'],
  ['font', 'font'],
  ['image', 'image'],
  ['fetch', 'fetch'],
]);
