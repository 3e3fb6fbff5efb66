import {INDEX_URL, type Page} from '../../../app/page/page.ts';
import {objectUrl} from '../../../app/page/url.ts';
import type {ByteRange} from '../../../app/run/trace/shownRanges.ts';
import type {StyleFiles} from './documentStyles.ts';
import {DocumentStyles} from './documentStyles.ts';
import {emptyBox, type InertElement, inertElement} from './inertElement.ts';

/**
 * The document of the first bytes of a page's HTML, as a browser builds it while they come, shown in a frame's
 * document without anything that loads, runs or leads away (inertElement.ts).
 *
 * The page is parsed in a document without a window, which goes on where it was when more bytes come; what the
 * parser did since is then done in the frame. So forwards, all steps together cost as much as the whole page at
 * once. For a step back the shorter page is parsed, and what of the longer one is the same stays in the frame. So it
 * is where bytes are shown that others are in front of (C03): a hole is as if the page had nothing there.
 */
export class GrowingDocument {
  readonly #frame: Document;
  readonly #html: Uint8Array;
  readonly #objectOf: (url: string) => number | undefined;
  /** Told each box of an object when it comes into the frame. */
  readonly #onBox: (box: HTMLImageElement, object: number) => void;
  #parser: Parser = new Parser();
  #shown: readonly ByteRange[] = [];
  #copies = new Map<Node, Node>();
  #sealed = new WeakSet<Node>();
  #base: string | undefined;
  #frames = 0;
  /** Parsed and not known to be whole: what follows in the page tells. */
  #openStyles: HTMLStyleElement[] = [];
  readonly #styles: DocumentStyles;
  #boxes = new Map<number, HTMLImageElement[]>();
  /** Whose each box and sheet is. */
  readonly #owners = new WeakMap<Node, number>();
  #loading: HTMLImageElement[] = [];

  /** `frame` is opened for this page (frameDocument.ts). */
  constructor(frame: Document, page: Page, onBox: (box: HTMLImageElement, object: number) => void) {
    this.#frame = frame;
    this.#html = page.objects[0]?.body ?? new Uint8Array();
    const objects = new Map(page.objects.map(({url}, object) => [url, object]));
    this.#objectOf = url => objects.get(url);
    this.#styles = new DocumentStyles(frame, page, this.#objectOf);
    this.#onBox = onBox;
  }

  /** How much of the HTML is on show, from its first byte on. */
  get bytes(): number {
    return firstBytes(this.#shown);
  }

  /** Shows the first `bytes` of the HTML; a character cut in two is not there yet. */
  show(bytes: number): void {
    this.showRanges(bytes === 0 ? [] : [{first: 0, end: bytes}]);
  }

  /** Shows these of the HTML's bytes, in order and apart. */
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

  /** Shows the style sheets that there are. */
  showStyles(files: StyleFiles): void {
    this.#styles.show(files);
  }

  /** Style sheets without which nothing is painted. */
  blockingSheets(): readonly number[] {
    return this.#styles.blocking();
  }

  /** Objects whose pictures the style sheets on show name. */
  stylePictures(): readonly number[] {
    return this.#styles.pictures();
  }

  /** The picture of an object where a style sheet names it; kept when it is on show. */
  setStylePicture(object: number, address: string | undefined): Promise<void> {
    return this.#styles.setPicture(object, address);
  }

  /** Objects that have a box, in the order in which the HTML names them. */
  objects(): readonly number[] {
    return Array.from(this.#boxes.keys());
  }

  /** The boxes of an object, in the order of the HTML. */
  boxesOf(object: number): readonly HTMLImageElement[] {
    return this.#boxes.get(object) ?? [];
  }

  /** Kept when the pictures that the HTML itself holds are on show, and fonts are in use. */
  async loaded(): Promise<void> {
    const loading = this.#loading;
    this.#loading = [];
    await Promise.all([...loading.map(image => image.decode().catch(() => undefined)), this.#styles.loaded()]);
  }

  /** Gives what was parsed, with its copies. */
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

  /** Takes over the copy of what was the same in what was parsed before, as far as it is, and copies the rest. */
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

  /** As if the element had been copied again. */
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

  /** Does in the frame what the parser did. */
  #follow(changes: readonly MutationRecord[]): void {
    // what moves is put back below
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

  /** Puts a node's copy where the node is, and first those of what follows it and is not there yet. */
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

  /** The node's copy with all that is inside; Chromium's parser goes no deeper than 512 elements. */
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
    // a comment keeps a place for what comes before it
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
    // a button's picture cannot be waited for
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

  /** A second html or body tag adds what the first did not have (HTML §13.2.6.4.7). */
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

  /** A browser uses a style element when its end tag has come (HTML §4.2.6). */
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

/** What was parsed, and the copy of each node of it. */
interface Parsed {
  readonly root: Node | null;
  readonly copies: ReadonlyMap<Node, Node>;
  readonly sealed: WeakSet<Node>;
}

/** Builds a document of bytes as they come, where nothing is loaded or run: it has no window. */
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

  /** Takes the next pieces, the last if `isWhole`; gives what changed. The first goes on where the one before ended. */
  parse(pieces: readonly Uint8Array[], isWhole: boolean): readonly MutationRecord[] {
    for (const [i, piece] of pieces.entries()) {
      // what a hole cuts in two is not there
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

/** Whether nothing is in front of what is there. */
function isPrefix(ranges: readonly ByteRange[]): boolean {
  return ranges.length === 0 || (ranges.length === 1 && ranges[0]?.first === 0);
}

function areSame(ranges: readonly ByteRange[], others: readonly ByteRange[]): boolean {
  return (
    ranges.length === others.length &&
    ranges.every(({first, end}, i) => first === others[i]?.first && end === others[i]?.end)
  );
}

/** Whether two nodes are the same but for what is inside of them; texts may go on. */
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

/** Each is a document of its own, and Chromium has at most 1000 of them in a window (kMaxNumberOfFrames). */
const MOST_FRAMES = 20;
