import type {DevTools, DevToolsValues} from './devTools.ts';
import {type Extent, MARK} from './marks.ts';

/** What the complete document looked like. */
export interface Seen {
  /** Elements that scripts inserted, in the order of the document. */
  readonly inserted: readonly InsertedElement[];
  /** The boxes of pictures and texts, in CSS pixels from the top left of the document. */
  readonly boxes: readonly SeenBox[];
}

export interface InsertedElement {
  /**
   * The element stands after the HTML's element with the number `mark` (marks.ts), or at the start of that element
   * (`in`).
   */
  readonly place: {readonly where: 'after' | 'in'; readonly mark: number};
  readonly html: string;
  /** The numbers of the HTML's elements that a script moved into this element. */
  readonly moved: readonly number[];
  /** The scripts that were running when the element was created, the innermost first. `line` is counted from 1. */
  readonly stack: readonly {readonly address: string; readonly line: number}[];
}

export interface SeenBox {
  /** Address of the picture. Null for text. */
  readonly address: string | null;
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

/** Makes Chromium remember which script created each element. Call this before the document is loaded. */
export async function watchElements(tools: DevTools, sessionId: string): Promise<void> {
  await tools.send('DOM.enable', {}, sessionId);
  await tools.send('DOM.setNodeStackTracesEnabled', {enable: true}, sessionId);
}

/**
 * Describes the complete document. The elements of its HTML must be numbered (marks.ts). `extents` says where each of
 * them is in the HTML.
 * @throws DevToolsError
 */
export async function lookAtDocument(tools: DevTools, sessionId: string, extents: readonly Extent[]): Promise<Seen> {
  const {root} = await tools.send('DOM.getDocument', {depth: -1, pierce: false}, sessionId);
  const found = new Collector(extents).collect(root as ElementNode);
  const inserted = await Promise.all(
    found.slice(0, MOST_INSERTED).map(async ({node: {nodeId}, place, moved}): Promise<InsertedElement> => {
      const [{outerHTML}, {creation}] = await Promise.all([
        tools.send('DOM.getOuterHTML', {nodeId}, sessionId),
        tools.send('DOM.getNodeStackTraces', {nodeId}, sessionId),
      ]);
      return {place, html: String(outerHTML), moved, stack: framesOf(creation)};
    }),
  );
  return {inserted, boxes: await boxesOf(tools, sessionId)};
}

/** A node as DevTools describes it. */
interface ElementNode {
  readonly nodeId: number;
  readonly nodeType: number;
  readonly localName: string;
  /** The name and the value of each attribute, one after the other. */
  readonly attributes?: readonly string[];
  readonly children?: readonly ElementNode[];
}

interface Found {
  readonly node: ElementNode;
  readonly place: InsertedElement['place'];
  readonly moved: readonly number[];
}

/** Collects the outermost elements that scripts inserted. */
class Collector {
  readonly #extents: readonly Extent[];
  readonly #seen = new Set<number>();
  readonly #found: Found[] = [];

  constructor(extents: readonly Extent[]) {
    this.#extents = extents;
  }

  collect(root: ElementNode): readonly Found[] {
    this.#visit(root, {where: 'in', mark: 0});
    return this.#found;
  }

  /** Visits the children of a node. `begin` is the place of an element that is inserted before the first child. */
  #visit({children = []}: ElementNode, begin: InsertedElement['place']): void {
    let place = begin;
    for (const node of children) {
      if (node.nodeType !== ELEMENT) continue;
      const mark = this.#ownMark(node);
      if (mark !== undefined) {
        this.#visit(node, {where: 'in', mark});
        // An element that was moved here stands elsewhere in the HTML, so it cannot be a place.
        if (this.#isIn(mark, begin)) place = {where: 'after', mark};
      } else if (markOf(node) === undefined && IMPLIED.has(node.localName)) this.#visit(node, place);
      else if (!UNSEEN.has(node.localName)) this.#found.push({node, place, moved: this.#movedInto(node)});
    }
  }

  /** The mark of an element of the HTML. Undefined for elements that scripts created, and for copies. */
  #ownMark(node: ElementNode): number | undefined {
    const mark = markOf(node);
    if (mark === undefined || this.#seen.has(mark)) return undefined;
    this.#seen.add(mark);
    return mark;
  }

  #movedInto(node: ElementNode): readonly number[] {
    return (node.children ?? []).flatMap(child => {
      const mark = this.#ownMark(child);
      return mark === undefined ? this.#movedInto(child) : [mark];
    });
  }

  /**
   * Whether, in the HTML, the element with this mark is the place's element or inside it. Always true for a place with
   * `where: 'after'`, if an extent is not known, and if the place's element is one of {@link IMPLIED}, whose extent in
   * the HTML is not certain.
   */
  #isIn(mark: number, {where, mark: of}: InsertedElement['place']): boolean {
    const [own, other] = [this.#extents[mark], this.#extents[of]];
    if (own === undefined || other === undefined || where === 'after') return true;
    return mark === of || (own.start >= other.opened && own.closed <= other.closed) || IMPLIED.has(other.name);
  }
}

function markOf({attributes = []}: ElementNode): number | undefined {
  const at = attributes.indexOf(MARK);
  return at < 0 || at % 2 !== 0 ? undefined : Number(attributes[at + 1]);
}

function framesOf(creation: DevToolsValues | undefined): InsertedElement['stack'] {
  const frames: InsertedElement['stack'][number][] = [];
  for (let stack = creation; stack !== undefined && frames.length < MOST_FRAMES; stack = stack['parent']) {
    for (const {url, lineNumber} of stack['callFrames'] ?? []) {
      if (typeof url === 'string' && url !== '') frames.push({address: url, line: Number(lineNumber) + 1});
    }
  }
  return frames;
}

async function boxesOf(tools: DevTools, sessionId: string): Promise<readonly SeenBox[]> {
  const {frameTree} = await tools.send('Page.getFrameTree', {}, sessionId);
  // scripts of the page cannot change what an isolated world computes
  const world = await tools.send(
    'Page.createIsolatedWorld',
    {frameId: frameTree['frame']['id'], worldName: 'interleave'},
    sessionId,
  );
  const {result} = await tools.send(
    'Runtime.evaluate',
    {expression: BOXES, contextId: world['executionContextId'], returnByValue: true},
    sessionId,
  );
  return (result['value'] ?? []) as readonly SeenBox[];
}

/** Node.ELEMENT_NODE */
const ELEMENT = 1;

/** Elements that a parser adds if the HTML has no tags for them. */
const IMPLIED: ReadonlySet<string> = new Set(['html', 'head', 'body', 'tbody', 'colgroup']);

/**
 * Elements that do not affect how a computed load looks. `iframe` is one of them, because a computed load shows no
 * frames. `link` and `style` are not, because style sheets affect how it looks.
 */
const UNSEEN: ReadonlySet<string> = new Set(['base', 'iframe', 'meta', 'noscript', 'script', 'template', 'title']);

/** Largest number of insertions. All further insertions are left out. */
const MOST_INSERTED = 2000;
/** When a stack has this many frames or more, the frames of its parent stacks are left out. */
const MOST_FRAMES = 50;
/** Largest number of boxes. All further boxes are left out. */
const MOST_BOXES = 2000;

/** A JavaScript expression that returns the box of each picture, and the box of the text that each element contains. */
const BOXES = `(() => {
  const boxes = [];
  const add = (address, {x, y, width, height}) => {
    if (width > 0 && height > 0 && boxes.length < ${MOST_BOXES})
      boxes.push({address, x: x + scrollX, y: y + scrollY, width, height});
  };
  for (const element of document.body?.querySelectorAll('*') ?? []) {
    if (element.localName === 'img') add(element.currentSrc, element.getBoundingClientRect());
    const texts = [...element.childNodes].filter(node => node.nodeType === Node.TEXT_NODE && node.data.trim() !== '');
    if (texts.length === 0) continue;
    const range = document.createRange();
    range.setStartBefore(texts[0]);
    range.setEndAfter(texts.at(-1));
    add(null, range.getBoundingClientRect());
  }
  return boxes;
})()`;
