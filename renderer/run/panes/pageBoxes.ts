import type {Page} from '../../../app/page/page.ts';

/** A rectangle, CSS px of the page. */
export interface PageBox {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

/** Where the pictures and the lines of text of a complete page are, as thumbnails draw them. */
export interface PageBoxes {
  readonly width: number;
  readonly height: number;
  /** The page's background, as CSS. */
  readonly background: string;
  /** The lines of text, in the order of the HTML. */
  readonly texts: readonly PageBox[];
  readonly pictures: readonly (PageBox & {readonly object: number})[];
}

const known = new WeakMap<Page, PageBoxes>();

/** The boxes of a page that a pane has laid out. Undefined if no pane has laid it out yet. */
export function boxesOf(page: Page): PageBoxes | undefined {
  return known.get(page);
}

/** The width at which pages are laid out for thumbnails, CSS px. At this width pages are low, as thumbnails are. */
export const THUMBNAIL_PAGE_WIDTH = 1600;

/**
 * Reads the boxes of a page that is laid out with all its pictures, and keeps them for {@link boxesOf}. Only the upper
 * part of a long page is read. `boxOf` gives the box of an object.
 */
export function readBoxes(
  page: Page,
  inside: Document,
  width: number,
  objects: readonly number[],
  boxOf: (object: number) => DOMRect | undefined,
): void {
  const {body} = inside;
  if (body === null) return;
  const least = width * LOWEST;
  const pictures = objects.flatMap(object => {
    const box = boxOf(object);
    return box === undefined || box.top > least ? [] : [{object, ...placeOf(box)}];
  });
  const height = Math.max(inside.documentElement?.scrollHeight ?? 0, 1);
  const background = inside.defaultView?.getComputedStyle(body).backgroundColor ?? '';
  known.set(page, {width, height, background, texts: textsOf(body, least), pictures});
}

/** The lines of text that begin above the y position `least`, in the order of the HTML. */
function textsOf(body: HTMLElement, least: number): readonly PageBox[] {
  const walker = body.ownerDocument.createTreeWalker(body, NodeFilter.SHOW_TEXT);
  const range = body.ownerDocument.createRange();
  const lines: PageBox[] = [];
  for (let i = 0; i < MOST_TEXTS && walker.nextNode() !== null; i++) {
    if (!/\S/.test(walker.currentNode.nodeValue ?? '')) continue;
    range.selectNodeContents(walker.currentNode);
    for (const box of range.getClientRects()) if (box.top < least) lines.push(placeOf(box));
  }
  return lines;
}

function placeOf({x, y, width, height}: DOMRect): PageBox {
  return {x, y, width, height};
}

/** A page is read down to this y position, as a multiple of its width. */
const LOWEST = 1;
/** How many text nodes of a page are read at most. */
const MOST_TEXTS = 1500;
