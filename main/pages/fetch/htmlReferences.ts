import {Parser} from 'htmlparser2';
import type {Edit} from '../../../app/page/edits.ts';
import {sheetLink} from '../../../app/page/sheetObjects.ts';
import {chosenSource, type PictureSource} from '../../../app/page/sourceSet.ts';
import {namesSomething} from '../../../app/page/styleReferences.ts';
import {isDataUrl} from '../../../app/page/url.ts';

/** The references in a page's HTML, and the edits that keep the HTML from loading anything else. */
export interface HtmlReferences {
  /** The base of relative addresses. Undefined if the page does not name one. */
  readonly base: string | undefined;
  readonly found: readonly HtmlReference[];
  readonly styles: readonly StyleText[];
  /** Edits that are needed whether or not the page's objects can be fetched. */
  readonly edits: readonly Edit[];
  readonly saysCharset: boolean;
  /** How many elements and attributes of each kind, such as `script` or `video`, are not loaded. */
  readonly leftOut: ReadonlyMap<LeftOutKind, number>;
}

export interface HtmlReference {
  readonly kind: 'image' | 'style' | 'font' | 'other';
  readonly reference: string;
  /** Returns the edit that replaces the reference with another address. */
  put(address: string): Edit;
}

/** CSS within the HTML: the text of a style element or a style attribute. */
export interface StyleText {
  readonly css: string;
  put(css: string): Edit;
}

export type LeftOutKind =
  | 'script'
  | 'video'
  | 'sound'
  | 'frame'
  | 'plug-in'
  | 'background attribute'
  | 'image button'
  | 'reference of a drawing';

interface ReferenceOptions {
  /**
   * Whether the files of scripts, and the files that `link rel=preload` and `modulepreload` name, count as references.
   * If false, these files are not loaded.
   */
  readonly keepsScripts: boolean;
}

/**
 * Finds the references in HTML. The HTML must be within `HTML_LIMITS` (app/page/htmlReader.ts). The content of template
 * elements is ignored, because browsers load nothing from it.
 */
export function htmlReferences(html: string, options: ReferenceOptions = {keepsScripts: false}): HtmlReferences {
  const reader = new ReferenceReader(options);
  const parser: Parser = new Parser({
    onopentagname: () => reader.beginTag(),
    onattribute: (name, value) => reader.take(name, value, parser.startIndex, parser.endIndex),
    onopentag: name => reader.endTag(name, parser.startIndex),
    // htmlparser2 reports the index of the last character as the end of a text, but the index after the last character
    // as the end of an attribute
    ontext: text => reader.text(text, parser.startIndex, parser.endIndex + 1),
    onclosetag: name => reader.close(name),
  });
  parser.end(html);
  return reader;
}

interface Attribute {
  readonly value: string;
  readonly start: number;
  readonly end: number;
}

class ReferenceReader implements HtmlReferences {
  base: string | undefined;
  saysCharset = false;
  readonly found: HtmlReference[] = [];
  readonly styles: StyleText[] = [];
  readonly edits: Edit[] = [];
  readonly leftOut = new Map<LeftOutKind, number>();
  readonly #options: ReferenceOptions;
  #attributes = new Map<string, Attribute>();
  #templates = 0;
  /** Sources of the open picture element. */
  #sources: PictureSource[] | undefined;
  /** The text that the open style element has until now, and its place. `start` is -1 before the first text. */
  #style: {css: string; start: number; end: number} | undefined;

  constructor(options: ReferenceOptions) {
    this.#options = options;
  }

  beginTag(): void {
    this.#attributes = new Map();
  }

  /** Adds an attribute of the current tag. If a name occurs twice, the first attribute counts (HTML §13.2.5.33). */
  take(name: string, value: string, start: number, end: number): void {
    if (!this.#attributes.has(name)) this.#attributes.set(name, {value, start, end});
  }

  endTag(name: string, start: number): void {
    if (name === 'template') this.#templates += 1;
    if (this.#templates > 0) return;
    const afterName = start + '<'.length + name.length;
    switch (name) {
      case 'base':
        this.base ??= this.#value('href');
        this.#remove('href');
        break;
      case 'meta':
        this.#meta();
        break;
      case 'picture':
        this.#sources = [];
        break;
      case 'source':
        this.#source();
        break;
      case 'img':
        this.#image(afterName);
        break;
      case 'link':
        this.#link();
        break;
      case 'style':
        this.#style = {css: '', start: -1, end: -1};
        break;
      default:
        if (name !== 'script' || !this.#script()) this.#leaveOut(name);
    }
    this.#styleAttribute();
    this.#dropOthers(name);
  }

  text(text: string, start: number, end: number): void {
    if (this.#style === undefined) return;
    if (this.#style.start < 0) this.#style.start = start;
    this.#style.css += text;
    this.#style.end = end;
  }

  close(name: string): void {
    if (name === 'template') this.#templates -= 1;
    else if (name === 'picture') this.#sources = undefined;
    else if (name === 'style' && this.#style !== undefined) {
      const {css, start, end} = this.#style;
      this.#style = undefined;
      if (start >= 0) this.styles.push({css, put: text => ({start, end, text})});
    }
  }

  #value(name: string): string | undefined {
    return this.#attributes.get(name)?.value;
  }

  #remove(...names: readonly string[]): void {
    for (const name of names) {
      const attribute = this.#attributes.get(name);
      if (attribute !== undefined) this.edits.push({...rangeOf(attribute), text: ''});
    }
  }

  /** Edits a meta element: the HTML in a bundle is UTF-8, and must not refresh to another address. */
  #meta(): void {
    const charset = this.#attributes.get('charset');
    this.saysCharset ||= charset !== undefined;
    if (charset !== undefined) this.edits.push(setTo('charset', 'utf-8', charset));
    const pragma = this.#value('http-equiv')?.trim().toLowerCase();
    const content = this.#attributes.get('content');
    if (content === undefined) return;
    this.saysCharset ||= pragma === 'content-type';
    if (pragma === 'content-type') this.edits.push(setTo('content', 'text/html; charset=utf-8', content));
    else if (pragma === 'refresh') this.#remove('content');
  }

  #source(): void {
    const [srcset, type, media] = [this.#value('srcset'), this.#value('type'), this.#value('media')];
    this.#sources?.push({srcset, type, media});
    this.#remove('srcset', 'src');
  }

  /** Edits an img element so that `src` is its only address. */
  #image(afterName: number): void {
    const src = this.#attributes.get('src');
    const reference = chosenSource({
      src: src?.value,
      srcset: this.#value('srcset'),
      width: this.#value('width'),
      sources: this.#sources ?? [],
    });
    this.#remove('srcset', 'sizes');
    if (reference === undefined || isDataUrl(reference)) {
      if (reference !== undefined && reference !== src?.value) {
        this.edits.push(put('src', reference, src, afterName));
      }
      return;
    }
    this.found.push({kind: 'image', reference, put: address => put('src', address, src, afterName)});
  }

  #link(): void {
    const href = this.#attributes.get('href');
    this.#remove('imagesrcset');
    if (href === undefined) return;
    const isDisabled = this.#attributes.has('disabled');
    const isInUse = sheetLink({rel: this.#value('rel'), isDisabled}) === 'in use';
    if (!isInUse && this.#preload(href)) return;
    if (!isInUse || isDataUrl(href.value)) {
      if (!isDataUrl(href.value)) this.#remove('href');
      return;
    }
    this.found.push({kind: 'style', reference: href.value, put: address => setTo('href', address, href)});
  }

  /** Adds the file of a script to the references, if scripts are kept. Returns whether the file was added. */
  #script(): boolean {
    const src = this.#attributes.get('src');
    const type = this.#value('type')?.trim().toLowerCase() ?? '';
    const runs = SCRIPT_TYPE.test(type) && (type === 'module' || !this.#attributes.has('nomodule'));
    if (!this.#options.keepsScripts || src === undefined || !runs || isDataUrl(src.value)) return false;
    this.found.push({kind: 'other', reference: src.value, put: address => setTo('src', address, src)});
    return true;
  }

  /** Adds the file that a link element preloads, if scripts are kept. Returns whether the file was added. */
  #preload(href: Attribute): boolean {
    const rel = (this.#value('rel') ?? '').toLowerCase().split(/\s+/);
    const as = rel.includes('modulepreload') ? 'script' : (this.#value('as')?.trim().toLowerCase() ?? '');
    const isPreload = rel.includes('modulepreload') || rel.includes('preload');
    const kind = PRELOADED.get(as);
    if (!this.#options.keepsScripts || !isPreload || kind === undefined || isDataUrl(href.value)) return false;
    this.found.push({kind, reference: href.value, put: address => setTo('href', address, href)});
    return true;
  }

  #styleAttribute(): void {
    const style = this.#attributes.get('style');
    if (style === undefined || !namesSomething(style.value)) return;
    this.styles.push({css: style.value, put: css => setTo('style', css, style)});
  }

  #leaveOut(name: string): void {
    const kind = LEFT_OUT.get(name);
    if (kind === undefined) return;
    const type = this.#value('type')?.trim().toLowerCase() ?? '';
    // script elements of other types contain only data
    if (name !== 'script' || SCRIPT_TYPE.test(type)) this.#countLeftOut(kind);
    this.#remove('src', 'srcdoc', 'data', 'poster', 'code', 'archive');
    // in SVG, scripts have their addresses in other attributes
    if (name === 'script') this.#remove('href', 'xlink:href');
  }

  /** Removes addresses that browsers would load but this program does not. */
  #dropOthers(name: string): void {
    this.#dropAddress('background', 'background attribute');
    if (name === 'input') this.#dropAddress('src', 'image button');
    if (!DRAWN.has(name)) return;
    for (const href of ['href', 'xlink:href']) {
      if (this.#value(href)?.trim().startsWith('#') === false) this.#dropAddress(href, 'reference of a drawing');
    }
  }

  #dropAddress(attribute: string, kind: LeftOutKind): void {
    const value = this.#value(attribute);
    if (value === undefined || isDataUrl(value)) return;
    this.#remove(attribute);
    this.#countLeftOut(kind);
  }

  #countLeftOut(kind: LeftOutKind): void {
    this.leftOut.set(kind, (this.leftOut.get(kind) ?? 0) + 1);
  }
}

function put(name: string, value: string, attribute: Attribute | undefined, place: number): Edit {
  if (attribute !== undefined) return setTo(name, value, attribute);
  return {start: place, end: place, text: ` ${written(name, value)}`};
}

function setTo(name: string, value: string, attribute: Attribute): Edit {
  return {...rangeOf(attribute), text: written(name, value)};
}

function rangeOf({start, end}: Attribute): {start: number; end: number} {
  return {start, end};
}

function written(name: string, value: string): string {
  return `${name}="${value.replaceAll('&', '&amp;').replaceAll('"', '&quot;')}"`;
}

/** SVG elements that load something. */
const DRAWN: ReadonlySet<string> = new Set(['image', 'use', 'feimage', 'feImage']);

/** Types that browsers run as scripts (HTML §4.12.1; WHATWG MIME Sniffing §4.6, 'JavaScript MIME type'). */
const SCRIPT_TYPE =
  /^(|module|(text|application)\/(x-)?(java|ecma)script|text\/(javascript1\.[0-5]|jscript|livescript))$/;

/** The kind of a preloaded file, keyed by the value of the attribute `as`. */
const PRELOADED: ReadonlyMap<string, HtmlReference['kind']> = new Map([
  ['style', 'style'],
  ['script', 'other'],
  ['font', 'font'],
  ['image', 'image'],
  ['fetch', 'other'],
]);

const LEFT_OUT: ReadonlyMap<string, LeftOutKind> = new Map([
  ['script', 'script'],
  ['video', 'video'],
  ['audio', 'sound'],
  ['iframe', 'frame'],
  ['frame', 'frame'],
  ['object', 'plug-in'],
  ['embed', 'plug-in'],
  ['applet', 'plug-in'],
]);
