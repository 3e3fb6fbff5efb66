import {INDEX_URL, type Page} from '../../../app/page/page.ts';
import {shownHtml} from '../../../app/page/shownHtml.ts';
import {objectUrl} from '../../../app/page/url.ts';
import type {ByteRange} from '../../../app/run/trace/shownRanges.ts';
import type {StyleFiles} from './documentStyles.ts';
import {DocumentStyles} from './documentStyles.ts';
import {emptyBox, type InertElement, inertElement} from './inertElement.ts';

/**
 * Builds the document that a browser would have built from the first bytes of a page's HTML, and shows it in a frame's
 * document. The HTML contains what the page's scripts inserted (`shownHtml`). Everything that loads or runs something
 * is left out (inertElement.ts). Links stay, but the user cannot follow them, because the frame is inert (Pane.tsx).
 *
 * The page is parsed in a document without a window. When more bytes arrive, the parser continues, and its changes are
 * repeated in the frame. All steps forwards together therefore cost as much as parsing the whole page once. For a step
 * back, the shorter page is parsed again, and nodes that are the same stay in the frame.
 *
 * The bytes can have holes: CATP (C03) can deliver bytes before earlier ones, and a part that a script inserts is
 * missing until the script inserts it. Bytes after a hole are shown as if they followed directly after the bytes before
 * the hole. If the bytes have a hole before or after a step, the page is parsed again, as for a step back.
 *
 * A box is an image element in the frame that shows an object of the page.
 */
export class GrowingDocument {
  readonly #frame: Document;
  readonly #html: Uint8Array;
  readonly #objectOf: (url: string) => number | undefined;
  /** Called with each new box, just before it is put into the frame's document. */
  readonly #onBox: (box: HTMLImageElement, object: number) => void;
  #parser: Parser = new Parser();
  #shown: readonly ByteRange[] = [];
  #copies = new Map<Node, Node>();
  #sealed = new WeakSet<Node>();
  #base: string | undefined;
  #frames = 0;
  /** Style elements that may still grow. A style element is complete when the page has something after it. */
  #openStyles: HTMLStyleElement[] = [];
  readonly #styles: DocumentStyles;
  #boxes = new Map<number, HTMLImageElement[]>();
  /** The object that each box or style element shows. */
  readonly #owners = new WeakMap<Node, number>();
  #loading: HTMLImageElement[] = [];

  /** `frame` must have been opened for this page (frameDocument.ts). */
  constructor(frame: Document, page: Page, onBox: (box: HTMLImageElement, object: number) => void) {
    this.#frame = frame;
    this.#html = shownHtml(page).bytes;
    const objects = new Map(page.objects.map(({url}, object) => [url, object]));
    this.#objectOf = url => objects.get(url);
    this.#styles = new DocumentStyles(frame, page, this.#objectOf);
    this.#onBox = onBox;
  }

  /** How many bytes of the HTML are shown, from the first byte to the first hole. */
  get bytes(): number {
    return firstBytes(this.#shown);
  }

  /** Shows the first `bytes` bytes of the HTML. An incomplete character at the end is not shown. */
  show(bytes: number): void {
    this.showRanges(bytes === 0 ? [] : [{first: 0, end: bytes}]);
  }

  /** Shows these ranges of the HTML's bytes. The ranges must be in order and must not touch. */
  showRanges(ranges: readonly ByteRange[]): void {
    if (areSame(ranges, this.#shown)) return;
    const [bytes, isGrowing] = [firstBytes(ranges), isPrefix(ranges) && isPrefix(this.#shown)];
    const before = isGrowing && bytes >= this.bytes ? undefined : this.#restart();
    const isWhole = bytes >= this.#html.length;
    const next = isPrefix(ranges) ? [{first: this.bytes, end: bytes}] : ranges;
    const changes = this.#parser.parse(
      next.map(({first, end}) => this.#html.subarray(first, end)),
      isWhole,
    );
    this.#shown = ranges;
    if (before === undefined) this.#follow(changes);
    else this.#keepRoot(before);
    this.#finishStyles(isWhole);
    this.#styles.refresh();
  }

  /** Applies the available style sheets. */
  showStyles(files: StyleFiles): void {
    this.#styles.show(files);
  }

  /** The style sheets without which nothing is painted. */
  blockingSheets(): readonly number[] {
    return this.#styles.blocking();
  }

  /** The objects whose pictures the applied style sheets refer to. */
  stylePictures(): readonly number[] {
    return this.#styles.pictures();
  }

  /** Sets the picture of an object that style sheets refer to. Resolves when the picture is shown. */
  setStylePicture(object: number, address: string | undefined): Promise<void> {
    return this.#styles.setPicture(object, address);
  }

  /** The objects that have a box, in the order of the HTML. */
  objects(): readonly number[] {
    return Array.from(this.#boxes.keys());
  }

  /** The boxes of an object, in the order of the HTML. */
  boxesOf(object: number): readonly HTMLImageElement[] {
    return this.#boxes.get(object) ?? [];
  }

  /**
   * Resolves when the pictures inside the HTML itself (`data:` addresses) are shown, and the style sheets' available
   * fonts are loaded.
   */
  async loaded(): Promise<void> {
    const loading = this.#loading;
    this.#loading = [];
    await Promise.all([...loading.map(image => image.decode().catch(() => undefined)), this.#styles.loaded()]);
  }

  /** Restarts the parser. Returns the nodes that were parsed before, with their copies. */
  #restart(): Parsed {
    const before = {root: this.#parser.root, copies: this.#copies, sealed: this.#sealed};
    this.#parser = new Parser();
    this.#shown = [];
    this.#copies = new Map();
    this.#sealed = new WeakSet();
    this.#base = undefined;
    this.#frames = 0;
    this.#openStyles = [];
    this.#styles.clear();
    this.#boxes = new Map();
    return before;
  }

  #keepRoot(before: Parsed): void {
    const [root, copy] = [this.#parser.root, this.#frame.documentElement];
    if (root !== null && before.root !== null && isSame(root, before.root)) this.#keep(root, before.root, before);
    else copy?.replaceWith(root === null ? this.#frame.createElement('html') : this.#copy(root));
  }

  /** Keeps the copies of nodes that have not changed, and copies the other nodes. */
  #keep(node: Node, old: Node, before: Parsed): void {
    const copy = before.copies.get(old);
    if (copy === undefined) return;
    this.#copies.set(node, copy);
    if (node instanceof Element) this.#noteKept(node, copy);
    else if (node.nodeType === Node.TEXT_NODE && copy.nodeValue !== node.nodeValue) copy.nodeValue = node.nodeValue;
    if (before.sealed.has(old)) {
      this.#sealed.add(node);
      return;
    }
    let [child, oldChild] = [node.firstChild, old.firstChild];
    for (; child !== null && oldChild !== null && isSame(child, oldChild); child = child.nextSibling) {
      this.#keep(child, oldChild, before);
      oldChild = oldChild.nextSibling;
    }
    const from = oldChild === null ? null : (before.copies.get(oldChild) ?? null);
    while (from !== null && copy.lastChild !== null && copy.lastChild !== from) copy.lastChild.remove();
    from?.parentNode?.removeChild(from);
    for (; child !== null; child = child.nextSibling) copy.appendChild(this.#copy(child));
  }

  /** Records a kept element. Copying the element again would record the same. */
  #noteKept(original: Element, copy: Node): void {
    if (original.localName === 'base') this.#base ??= original.getAttribute('href') ?? undefined;
    if (original.localName === 'iframe') this.#frames += 1;
    if (original.localName === 'style') this.#openStyles.push(original as HTMLStyleElement);
    this.#styles.noteAttribute(original, this.#baseUrl());
    const owner = this.#owners.get(copy);
    if (owner === undefined) return;
    if (copy.nodeName === 'IMG') append(this.#boxes, owner, copy as HTMLImageElement);
    else this.#styles.addLink(copy as HTMLStyleElement, owner);
  }

  /** Repeats the parser's changes in the frame. */
  #follow(changes: readonly MutationRecord[]): void {
    // nodes that the parser has moved are inserted again below
    for (const {removedNodes} of changes) {
      for (const node of removedNodes) {
        const copy = this.#copies.get(node);
        if (copy !== undefined && copy !== this.#frame.documentElement) copy.parentNode?.removeChild(copy);
      }
    }
    for (const {type, target, addedNodes} of changes) {
      if (type === 'characterData') this.#copyText(target);
      else if (type === 'attributes') this.#addAttributes(target as Element);
      else for (const node of addedNodes) if (node.parentNode === target) this.#place(node, target);
    }
  }

  /** Inserts the copies of a node and its next siblings, up to the first one that is in the frame already. */
  #place(node: Node, parent: Node): void {
    if (parent.nodeType === Node.DOCUMENT_NODE) {
      this.#placeRoot(node);
      return;
    }
    const holder = this.#copies.get(parent);
    if (holder === undefined || this.#sealed.has(parent)) return;
    const missing: Node[] = [];
    for (let next: Node | null = node; next !== null; next = next.nextSibling) {
      const copy = this.#copies.get(next);
      if (copy?.parentNode === holder) break;
      this.#copy(next);
      missing.push(next);
    }
    for (const next of missing.reverse()) {
      const [copy, after] = [this.#copies.get(next), next.nextSibling];
      if (copy !== undefined) holder.insertBefore(copy, after === null ? null : (this.#copies.get(after) ?? null));
    }
  }

  #placeRoot(node: Node): void {
    if (node.nodeType !== Node.ELEMENT_NODE || this.#copies.has(node)) return;
    const [before, root] = [this.#frame.documentElement, this.#copy(node)];
    if (before === null) this.#frame.append(root);
    else before.replaceWith(root);
  }

  /** Copies a node and its descendants. The recursion is not too deep: Chromium's parser nests at most 512 elements. */
  #copy(node: Node): Node {
    const known = this.#copies.get(node);
    if (known !== undefined) return known;
    const copy = this.#frame.adoptNode(this.#inertCopy(node));
    this.#copies.set(node, copy);
    if (this.#sealed.has(node)) return copy;
    for (let child = node.firstChild; child !== null; child = child.nextSibling) {
      copy.appendChild(this.#copy(child));
    }
    return copy;
  }

  #inertCopy(node: Node): Node {
    if (node instanceof Element) return this.#inertElement(node);
    // an empty comment marks the position, so that nodes can be inserted before it
    return node.nodeType === Node.TEXT_NODE ? node.cloneNode() : new Comment();
  }

  #inertElement(original: Element): Node {
    if (original.localName === 'base') this.#base ??= original.getAttribute('href') ?? undefined;
    const isOneTooMany = original.localName === 'iframe' && ++this.#frames > MOST_FRAMES;
    const inert = isOneTooMany ? emptyBox(original) : inertElement(original);
    if (inert.isSealed) this.#sealed.add(original);
    if (original.localName === 'style') this.#openStyles.push(original as HTMLStyleElement);
    this.#styles.giveAttribute(original, inert.node, this.#baseUrl());
    const object = this.#shownIn(inert);
    if (inert.shows?.kind === 'style') return this.#sheet(inert.node, object);
    if (inert.picture === undefined) return inert.node;
    const image = inert.node as HTMLImageElement;
    return object === undefined ? this.#image(image, inert.picture) : this.#box(image, object, inert.picture);
  }

  #shownIn({shows}: InertElement): number | undefined {
    if (shows === undefined) return undefined;
    const url = objectUrl(shows.reference, this.#baseUrl());
    return url === undefined ? undefined : this.#objectOf(url);
  }

  #baseUrl(): string {
    return this.#base === undefined ? INDEX_URL : (objectUrl(this.#base, INDEX_URL) ?? INDEX_URL);
  }

  #sheet(sheet: Node, object: number | undefined): Node {
    if (object === undefined) return sheet;
    this.#styles.addLink(sheet as HTMLStyleElement, object);
    this.#owners.set(sheet, object);
    return sheet;
  }

  #image(image: HTMLImageElement, picture: string): Node {
    this.#frame.adoptNode(image);
    image.src = picture;
    // an input element has no decode(), so nothing waits for its picture
    if (image.localName === 'img') this.#loading.push(image);
    return image;
  }

  #box(box: HTMLImageElement, object: number, picture: string): Node {
    this.#frame.adoptNode(box);
    box.src = picture;
    box.dataset['object'] = String(object);
    box.dataset['percent'] = '0';
    append(this.#boxes, object, box);
    this.#owners.set(box, object);
    this.#onBox(box, object);
    return box;
  }

  #copyText(text: Node): void {
    const copy = this.#copies.get(text);
    if (copy?.nodeType === Node.TEXT_NODE) copy.nodeValue = text.nodeValue;
  }

  /** Adds attributes from a second html or body tag that the first tag did not have (HTML §13.2.6.4.7). */
  #addAttributes(original: Element): void {
    const copy = this.#copies.get(original);
    if (!(copy instanceof Node) || copy.nodeType !== Node.ELEMENT_NODE || this.#sealed.has(original)) return;
    const {node} = inertElement(original);
    if (!('attributes' in node)) return;
    for (const attribute of Array.from(node.attributes)) {
      const element = copy as Element;
      if (!element.hasAttribute(attribute.name)) element.setAttributeNode(attribute.cloneNode() as Attr);
    }
  }

  /** Sets the text of style elements. A browser uses a style element only after its end tag (HTML §4.2.6). */
  #finishStyles(isWhole: boolean): void {
    this.#openStyles = this.#openStyles.filter(style => {
      const isOpen = !isWhole && isLast(style);
      const copy = this.#copies.get(style);
      if (copy !== undefined) {
        this.#styles.setText(copy as HTMLStyleElement, isOpen ? '' : style.textContent, this.#baseUrl());
      }
      return isOpen;
    });
  }
}

/** A parsed document, and the copy of each of its nodes. */
interface Parsed {
  readonly root: Node | null;
  readonly copies: ReadonlyMap<Node, Node>;
  readonly sealed: WeakSet<Node>;
}

/** Builds a document from bytes as they arrive. The document has no window, so nothing is loaded or run. */
class Parser {
  readonly #document = document.implementation.createHTMLDocument();
  #decoder = new TextDecoder();
  readonly #observer = new MutationObserver(() => undefined);

  constructor() {
    this.#document.open();
    this.#observer.observe(this.#document, {subtree: true, childList: true, characterData: true, attributes: true});
  }

  get root(): Node | null {
    return this.#document.documentElement;
  }

  /**
   * Parses the next pieces and returns the changes. The first piece continues where the previous call ended; each
   * further piece follows a hole. `isWhole` means that the page ends with these pieces.
   */
  parse(pieces: readonly Uint8Array[], isWhole: boolean): readonly MutationRecord[] {
    for (const [i, piece] of pieces.entries()) {
      // a character that is divided by a hole is not shown
      if (i > 0) this.#decoder = new TextDecoder();
      this.#document.write(this.#decoder.decode(piece, {stream: !isWhole}));
    }
    if (isWhole) this.#document.close();
    return this.#observer.takeRecords();
  }
}

function firstBytes([range]: readonly ByteRange[]): number {
  return range?.first === 0 ? range.end : 0;
}

/** Whether the ranges are only the first bytes, without a hole. */
function isPrefix(ranges: readonly ByteRange[]): boolean {
  return ranges.length === 0 || (ranges.length === 1 && ranges[0]?.first === 0);
}

function areSame(ranges: readonly ByteRange[], others: readonly ByteRange[]): boolean {
  return (
    ranges.length === others.length &&
    ranges.every(({first, end}, i) => first === others[i]?.first && end === others[i]?.end)
  );
}

/**
 * Whether two nodes are the same, apart from their children. All text nodes count as the same, because texts can grow.
 */
function isSame(node: Node, old: Node): boolean {
  if (node.nodeType !== Node.ELEMENT_NODE) return node.nodeType === old.nodeType;
  return node.nodeName === old.nodeName && node.cloneNode().isEqualNode(old.cloneNode());
}

function isLast(node: Node): boolean {
  for (let each: Node | null = node; each !== null; each = each.parentNode) {
    if (each.nextSibling !== null) return false;
  }
  return true;
}

function append<V>(lists: Map<number, V[]>, key: number, value: V): void {
  const list = lists.get(key);
  if (list === undefined) lists.set(key, [value]);
  else list.push(value);
}

/**
 * The largest number of frames of a page that are shown. Chromium allows 1000 frames in a window (kMaxNumberOfFrames).
 */
const MOST_FRAMES = 20;
