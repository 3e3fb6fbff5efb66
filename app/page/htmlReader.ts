import {Parser} from 'htmlparser2';
import {type FoundObject, sheetLink, styleObjects} from './sheetObjects.ts';
import {chosenSource, type PictureSource} from './sourceSet.ts';
import {objectUrl} from './url.ts';

/**
 * Limits of the HTML that is loaded. A page within these limits is read in linear time, because a closing tag is
 * compared with no more than {@link HTML_LIMITS}.depth open tags.
 */
export const HTML_LIMITS = {
  /**
   * The number of bytes. For each video frame, all HTML that has arrived is parsed and laid out, which takes half a
   * second for this size.
   */
  bytes: 1_000_000,
  /** The number of opening and closing tags. Today's largest pages have far fewer. */
  tags: 50_000,
  /**
   * The depth of nesting. It is the limit of Chromium, which flattens deeper nesting (kMaximumHTMLParserDOMTreeDepth).
   */
  depth: 512,
  /** The number of elements, counting each time that a browser reopens one (HTML §13.2.4.3). */
  elements: 50_000,
  /**
   * The number of elements that a browser reopens in every following element. The browser's work grows with the cube of
   * this number (500 took 44 s).
   */
  lingering: 64,
  /**
   * The number of base elements. For each of them, a browser searches the document for the first one, so the work grows
   * with the square of their number.
   */
  bases: 100,
  /** The number of objects, including index.html. It is the largest number in a synthetic page. */
  objects: 1001,
} as const;

/** The point at which the HTML exceeds a limit. */
export interface Overrun {
  /** Offset in characters: of the first tag beyond the limit, or of the end of the part within the limit of bytes. */
  readonly at: number;
  /** The limit, for users: `its tags are nested more than 512 deep`. */
  readonly why: string;
}

/**
 * The functions by which an {@link HtmlReader} reports what it reads, besides the objects that it finds. Nothing inside
 * a template is reported, nor is its start tag.
 */
export interface HtmlObserver {
  /**
   * Called for each start tag, before the objects that it names are found. It is not called for a base element with an
   * `href`.
   */
  handleTag(tag: HtmlTag): void;
  /** Called for text, which may arrive in pieces. The text of scripts and style sheets is included. */
  handleText(text: string): void;
  /** Called when an element ends. */
  handleEnd(name: string): void;
}

export interface HtmlTag {
  readonly name: string;
  readonly attributes: Readonly<Record<string, string>>;
  /**
   * The path and query of the object that the tag loads. It is undefined if the tag loads no object from the page's
   * host.
   */
  readonly url: string | undefined;
  /** The path and query against which references are resolved. */
  readonly base: string;
}

/**
 * Reads HTML as it arrives, up to {@link HTML_LIMITS}. Like the preload scanner of a browser, it finds the objects that
 * the page loads: images, style sheets, scripts, and the objects that CSS in the HTML names. Each object is found once,
 * in the order of the HTML. Objects that scripts would load and objects on other hosts are not found.
 */
export class HtmlReader {
  readonly #parser: Parser;
  readonly #seen = new Set<string>();
  readonly #open: OpenElement[] = [];
  readonly #lingering = new ElementsToReopen();
  #found: FoundObject[] = [];
  /** Sources of the open picture element, or null outside a picture element. */
  #sources: PictureSource[] | null = null;
  /** Text of the open style element. */
  #css: string | null = null;
  #templateDepth = 0;
  #base: string;
  #bases = 0;
  #isBaseNamed = false;
  #tags = 0;
  #elements = 0;
  #deepest = 0;
  #overrun: Overrun | null = null;

  readonly #observer: HtmlObserver | undefined;

  /** `indexUrl` is the URL of the HTML. Relative URLs are resolved against it. */
  constructor(indexUrl: string, observer?: HtmlObserver) {
    this.#observer = observer;
    this.#base = indexUrl;
    this.#seen.add(indexUrl);
    const parser: Parser = new TagParser(
      {
        onopentagname: name => this.#begin(name, parser.startIndex),
        onopentag: (name, attributes) => this.#take(name, attributes, parser.startIndex),
        ontext: text => this.#readText(text),
        onclosetag: (name, isImplied) => this.#close(name, isImplied),
      },
      at => this.#count(at),
    );
    this.#parser = parser;
  }

  /** Reads the next piece of text. Returns the objects whose tags or styles it completes. */
  write(text: string): readonly FoundObject[] {
    if (this.#overrun === null) this.#parser.write(text);
    const found = this.#found;
    this.#found = [];
    return found;
  }

  /**
   * The point at which the HTML exceeds a limit. Text after it is not read. It is null if the HTML read so far is
   * within its limits.
   */
  get overrun(): Overrun | null {
    return this.#overrun;
  }

  /**
   * The number of tags, the deepest nesting and the number of elements in the HTML so far, counted as in {@link
   * HTML_LIMITS}. The work of reading is bounded by the length of the text plus tags times depth.
   */
  get work(): {readonly tags: number; readonly depth: number; readonly elements: number} {
    return {tags: this.#tags, depth: this.#deepest, elements: this.#elements};
  }

  #begin(name: string, at: number): void {
    if (!this.#count(at)) return;
    this.#closeBefore(name);
    this.#open.push({name, formatting: FORMATTING.has(name) ? name : null});
    this.#deepest = Math.max(this.#deepest, this.#open.length);
    this.#elements += 1 + this.#lingering.count;
    const {depth, elements, lingering} = HTML_LIMITS;
    if (this.#open.length > depth) this.#stop(at, `its tags are nested more than ${depth} deep`);
    else if (this.#lingering.count > lingering) {
      this.#stop(at, `it leaves more than ${lingering} formatting elements unclosed`);
    } else if (this.#elements > elements)
      this.#stop(at, `a browser would create more than ${elements} elements from its tags`);
  }

  #take(name: string, attributes: Readonly<Record<string, string>>, at: number): void {
    const opened = this.#open.at(-1);
    if (opened !== undefined && FORMATTING.has(name)) opened.formatting = name + JSON.stringify(attributes);
    if (name === 'template') this.#templateDepth += 1;
    if (this.#templateDepth > 0) return; // the content of a template is not loaded (HTML §4.12.3)
    if (name === 'base') this.#bases += 1;
    if (this.#bases > HTML_LIMITS.bases) {
      this.#stop(at, `it has more than ${HTML_LIMITS.bases} base elements`);
      return;
    }
    if (name === 'base' && attributes['href'] !== undefined) {
      // Only the first base element is used (HTML §2.4.3).
      if (this.#isBaseNamed) return;
      this.#isBaseNamed = true;
      const base = objectUrl(attributes['href'], this.#base);
      // Longer addresses are ignored, because the base is part of every object's URL.
      if (base !== undefined && base.length <= LONGEST_BASE) this.#base = base;
      return;
    }
    if (name === 'style') this.#css = '';
    if (name === 'picture') this.#sources = [];
    if (name === 'source') {
      const {srcset, type, media} = attributes;
      this.#sources?.push({srcset, type, media});
    }
    const reference = referenceOf(name, attributes, this.#sources ?? []);
    const url = reference === undefined ? undefined : objectUrl(reference, this.#base);
    if (this.#overrun === null) this.#observer?.handleTag({name, attributes, url, base: this.#base});
    const isSheet = name === 'link' && linkOf(attributes) === 'in use';
    if (url !== undefined) this.#find({url, isSheet}, at);
    for (const found of styleObjects(attributes['style'] ?? '', this.#base)) this.#find(found, at);
  }

  #find(found: FoundObject, at: number): void {
    if (this.#overrun !== null || this.#seen.has(found.url)) return;
    if (this.#seen.size === HTML_LIMITS.objects) {
      this.#stop(at, `it names more than ${HTML_LIMITS.objects - 1} objects`);
      return;
    }
    this.#seen.add(found.url);
    this.#found.push(found);
  }

  #readText(text: string): void {
    if (this.#css !== null) this.#css += text;
    if (this.#templateDepth === 0) this.#observer?.handleText(text);
  }

  #close(name: string, isImplied: boolean): void {
    const closed = this.#open.pop();
    if (name === 'template') this.#templateDepth -= 1;
    if (name === 'picture') this.#sources = null;
    if (name === 'style' && this.#css !== null) {
      for (const found of styleObjects(this.#css, this.#base)) this.#find(found, this.#parser.startIndex);
      this.#css = null;
    }
    if (isImplied && closed?.formatting) this.#lingering.add(closed.formatting);
    if (this.#templateDepth === 0) this.#observer?.handleEnd(name);
  }

  /**
   * Called for a start tag, which may end open elements without their end tags. Marks these elements as closed. Some
   * tags end an open paragraph, and the tag of a list item ends the previous list item (HTML §13.2.6.4.7). A browser
   * closes these elements with everything inside them, but htmlparser2 keeps them open.
   */
  #closeBefore(name: string): void {
    const closed = name === 'li' || name === 'dd' || name === 'dt' ? name : ENDS_PARAGRAPH.has(name) ? 'p' : '';
    if (closed === '') return;
    const from = this.#open.findLastIndex(each => each.name === closed || SCOPES.has(each.name));
    if (this.#open[from]?.name !== closed) return;
    for (const each of this.#open.slice(from)) {
      if (each.formatting !== null) this.#lingering.add(each.formatting);
      each.name = '';
      each.formatting = null;
    }
  }

  /** Counts a tag. Returns false if a limit is exceeded. */
  #count(at: number): boolean {
    if (this.#overrun !== null) return false;
    this.#tags += 1;
    if (this.#tags > HTML_LIMITS.tags) this.#stop(at, `it has more than ${HTML_LIMITS.tags} tags`);
    return this.#overrun === null;
  }

  #stop(at: number, why: string): void {
    this.#overrun = {at, why};
    this.#parser.pause();
  }
}

interface OpenElement {
  /** The element's name. It is empty for an element that a browser has already closed. */
  name: string;
  /**
   * A key of a formatting element, which is equal for equal elements. It is null for elements that browsers do not
   * reopen.
   */
  formatting: string | null;
}

/**
 * Formatting elements that ended with their parent, before their own closing tag. A browser reopens each of them in
 * every following element.
 */
class ElementsToReopen {
  readonly #times = new Map<string, number>();
  #count = 0;

  get count(): number {
    return this.#count;
  }

  /**
   * Adds an element, unless three equal elements have been added. A browser reopens at most three equal elements (HTML
   * §13.2.4.3, the Noah's Ark clause).
   */
  add(element: string): void {
    const times = this.#times.get(element) ?? 0;
    if (times === 3) return;
    this.#times.set(element, times + 1);
    this.#count += 1;
  }
}

/** A parser that reports every closing tag, even if no element is open. */
class TagParser extends Parser {
  readonly #onClosingTag: (at: number) => boolean;

  constructor(handler: ConstructorParameters<typeof Parser>[0], onClosingTag: (at: number) => boolean) {
    super(handler);
    this.#onClosingTag = onClosingTag;
  }

  override onclosetag(start: number, end: number): void {
    if (this.#onClosingTag(start - '</'.length)) super.onclosetag(start, end);
  }
}

/**
 * Returns the reference that a tag loads. For an image, {@link chosenSource} chooses one, independently of the screen.
 */
function referenceOf(
  name: string,
  attributes: Readonly<Record<string, string>>,
  sources: readonly PictureSource[],
): string | undefined {
  const {src, srcset, width} = attributes;
  if (name === 'img') return chosenSource({src, srcset, width, sources});
  if (name === 'script') return src;
  if (name !== 'link') return undefined;
  return linkOf(attributes) === 'none' ? undefined : attributes['href'];
}

function linkOf(attributes: Readonly<Record<string, string>>): ReturnType<typeof sheetLink> {
  return sheetLink({rel: attributes['rel'], isDisabled: attributes['disabled'] !== undefined});
}

/** Formatting elements (HTML §13.2.4.2). */
const FORMATTING: ReadonlySet<string> = new Set('a b big code em font i nobr s small strike strong tt u'.split(' '));

/** Elements that end an open paragraph (HTML §13.2.6.4.7). */
const ENDS_PARAGRAPH: ReadonlySet<string> = new Set(
  `address article aside blockquote center dd details dialog dir div dl dt fieldset figcaption figure footer form h1
  h2 h3 h4 h5 h6 header hgroup hr li listing main menu nav ol p plaintext pre search section summary table ul
  xmp`.split(/\s+/),
);

/**
 * Elements that limit the scope of start tags: a tag inside such an element does not close a paragraph or item outside
 * it (HTML §13.2.4.2).
 */
const SCOPES: ReadonlySet<string> = new Set(
  'applet button caption html marquee object ol select table td template th ul'.split(' '),
);

/**
 * The longest base address that is used, in characters. By default, Apache and nginx refuse request lines of more than
 * about 8 KB, so an object with a longer base could not be requested.
 */
const LONGEST_BASE = 8000;

// Browsers and Node have TextDecoder (WHATWG Encoding), but app/ is compiled without the types of either.
declare const TextDecoder: new (label: string) => {decode(bytes: Uint8Array, options?: {stream: boolean}): string};

/** Finds a page's objects as the bytes of its HTML arrive. See {@link HtmlReader}. */
export class ObjectScanner {
  readonly #decoder = new TextDecoder('utf-8');
  readonly #reader: HtmlReader;

  /** `indexUrl` is the URL of the HTML. Relative URLs are resolved against it. */
  constructor(indexUrl: string) {
    this.#reader = new HtmlReader(indexUrl);
  }

  /** Reads the next bytes of the HTML. Returns the objects whose tags or styles they complete. */
  push(bytes: Uint8Array): readonly FoundObject[] {
    return this.#reader.write(this.#decoder.decode(bytes, {stream: true}));
  }
}
