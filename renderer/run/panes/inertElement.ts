import {isHugeInPlace} from '../../../app/page/imageSize.ts';
import {sheetLink} from '../../../app/page/sheetObjects.ts';
import {chosenSource} from '../../../app/page/sourceSet.ts';
import {isInPlace} from '../../../app/page/url.ts';

/**
 * An image without a byte yet: a browser lays it out by its attributes and style alone. It has no size and so
 * no ratio of its own, which would stand in front of the one declared (HTML §15.4.3, CSS Images 3 §4.1).
 */
export const EMPTY_IMAGE =
  'data:image/svg+xml,%3Csvg%20xmlns=%22http://www.w3.org/2000/svg%22%20width=%220%22%20height=%220%22/%3E';

/** An image that cannot be had: a browser shows its sign for that, and the alternative text. */
export const BROKEN_IMAGE = 'data:image/png,';

/** What cannot be shown, in the size that such things have without one (CSS 2.2 §10.3.2). */
const EMPTY_BOX = 'data:image/svg+xml,%3Csvg%20xmlns=%22http://www.w3.org/2000/svg%22/%3E';

/** What an element of a page is in the frame. */
export interface InertElement {
  readonly node: Element | Comment;
  /** Whether what is inside of it stays out. */
  readonly isSealed: boolean;
  /** What to show once the element is in its document: only there an image loads, and by the frame's policy. */
  readonly picture?: string;
  /** The reference of what is to be shown in it: of an image or a style sheet. */
  readonly shows?: {readonly kind: 'image' | 'style'; readonly reference: string};
}

/**
 * A copy of an element, without what is inside, that loads nothing, runs nothing and leads nowhere. It keeps its
 * place, and where a browser without scripts would have a box it has one, so that the page is laid out as ever: what
 * stands in a noscript element is a part of the page. The element has to be in a document without a window.
 */
export function inertElement(original: Element): InertElement {
  const element = original.cloneNode(false) as Element;
  for (const name of OURS) element.removeAttribute(name);
  // of SVG too
  if (element.localName === 'script') return sealed(stripped(element, PLAIN));
  if (element.localName === 'style') return sealed(stripped(element, [...PLAIN, 'media', 'title', 'type']));
  if (element.namespaceURI === SVG && MOVING.has(element.localName)) {
    return sealed(element.ownerDocument.createComment(''));
  }
  if (element.namespaceURI !== HTML) return open(withoutAddresses(element));
  switch (element.localName) {
    case 'img':
      return image(element, original);
    case 'link':
      return link(element);
    case 'input':
      return imageButton(element);
    case 'object':
    case 'embed':
      return emptyBox(element);
    case 'meta':
      return sealed(stripped(element, element.hasAttribute('http-equiv') ? PLAIN : [...PLAIN, 'name', 'content']));
    case 'base':
    case 'template':
      return sealed(stripped(element, PLAIN));
    case 'iframe':
    case 'video':
    case 'audio':
      return sealed(withoutAddresses(element));
    case 'marquee':
      return open(withoutAddresses(standing(element)));
    case 'frame':
      return sealed(element.ownerDocument.createComment(''));
    default:
      return open(withoutAddresses(element));
  }
}

function image(element: Element, original: Element): InertElement {
  const reference = referenceOf(element, original) ?? '';
  const isAnywhere = reference !== '' || element.hasAttribute('srcset');
  for (const name of ['src', 'srcset', 'sizes', 'loading', 'crossorigin']) element.removeAttribute(name);
  // painted with the frame that first has it, not some frames later
  element.setAttribute('decoding', 'sync');
  const inert = open(withoutAddresses(element));
  if (!isAnywhere) return inert;
  if (isInPlace(reference)) return {...inert, picture: shownInPlace(reference)};
  return {...inert, picture: EMPTY_IMAGE, shows: {kind: 'image', reference}};
}

function shownInPlace(reference: string): string {
  return isHugeInPlace(reference) ? BROKEN_IMAGE : reference;
}

/** The one that the loader asks for. */
function referenceOf(element: Element, original: Element): string | undefined {
  const attribute = (of: Element, name: string): string | undefined => of.getAttribute(name) ?? undefined;
  const picture = original.closest('picture');
  const sources = Array.from(picture?.querySelectorAll('source') ?? [])
    .filter(source => (source.compareDocumentPosition(original) & Node.DOCUMENT_POSITION_FOLLOWING) !== 0)
    .map(source => ({
      srcset: attribute(source, 'srcset'),
      type: attribute(source, 'type'),
      media: attribute(source, 'media'),
    }));
  return chosenSource({
    src: attribute(element, 'src'),
    srcset: attribute(element, 'srcset'),
    width: attribute(element, 'width'),
    sources,
  });
}

/** A style sheet in use stands in the page as a style element, empty until its bytes are there. */
function link(element: Element): InertElement {
  const reference = element.getAttribute('href');
  const rel = element.getAttribute('rel') ?? undefined;
  const isInUse = sheetLink({rel, isDisabled: element.hasAttribute('disabled')}) === 'in use';
  if (!isInUse || reference === null) {
    return sealed(stripped(element, PLAIN));
  }
  const style = element.ownerDocument.createElement('style');
  for (const name of [...PLAIN, 'media', 'title']) copyAttribute(element, style, name);
  return {...sealed(style), shows: {kind: 'style', reference}};
}

function imageButton(element: Element): InertElement {
  const reference = element.getAttribute('src')?.trim() ?? '';
  const isImage = element.getAttribute('type')?.trim().toLowerCase() === 'image' && reference !== '';
  const inert = open(withoutAddresses(element));
  if (!isImage) return inert;
  return {...inert, picture: isInPlace(reference) ? shownInPlace(reference) : EMPTY_IMAGE};
}

/** It would move by the clock, and some hundreds in each other end Chromium's renderer. */
function standing(marquee: Element): Element {
  const box = marquee.ownerDocument.createElement('div');
  for (const attribute of Array.from(marquee.attributes)) {
    // not by its name: a parser takes more names than setAttribute() does
    if (!MARQUEE.has(attribute.name)) box.setAttributeNode(attribute.cloneNode() as Attr);
  }
  return box;
}

/** A box of what cannot be shown; as large as its attributes and style say. */
export function emptyBox(element: Element): InertElement {
  const box = element.ownerDocument.createElement('img');
  for (const name of BOX) copyAttribute(element, box, name);
  return {...sealed(box), picture: EMPTY_BOX};
}

function open(node: Element): InertElement {
  return {node, isSealed: false};
}

function sealed(node: Element | Comment): InertElement {
  return {node, isSealed: true};
}

/** Without every address that something is loaded from. */
function withoutAddresses(element: Element): Element {
  for (const {name, localName, value} of Array.from(element.attributes)) {
    const isLink = localName === 'href' && LINKS.has(element.localName);
    if (!LOADING.has(localName) || isLink) continue;
    const staysInPlace = MAY_BE_IN_PLACE.has(localName) && isInPlace(value) && !isHugeInPlace(value);
    if (!staysInPlace && !(localName === 'href' && value.startsWith('#'))) element.removeAttribute(name);
  }
  return element;
}

function stripped(element: Element, kept: readonly string[]): Element {
  for (const {name} of Array.from(element.attributes)) if (!kept.includes(name)) element.removeAttribute(name);
  return element;
}

function copyAttribute(from: Element, to: Element, name: string): void {
  const value = from.getAttribute(name);
  if (value !== null) to.setAttribute(name, value);
}

const HTML = 'http://www.w3.org/1999/xhtml';
const SVG = 'http://www.w3.org/2000/svg';

/** What a marquee's box does not have from its attributes. */
const MARQUEE: ReadonlySet<string> = new Set(['behavior', 'direction']);

/** They would change what is shown by the clock. */
const MOVING: ReadonlySet<string> = new Set(['animate', 'animateMotion', 'animateTransform', 'discard', 'set']);

/** What the frame's boxes are known by; a page's own would be taken for them. */
const OURS = ['data-object', 'data-percent', 'autofocus'];

/** What a style sheet finds an element by. */
const PLAIN = ['id', 'class'];

/** What makes a box's size and place. */
const BOX = [...PLAIN, 'style', 'width', 'height', 'align', 'hspace', 'vspace', 'border', 'hidden'];

/** Attributes from whose addresses browsers load, or have loaded; and what would play. */
const LOADING: ReadonlySet<string> = new Set(
  `src srcset srcdoc imagesrcset href poster background data codebase archive classid code lowsrc dynsrc icon
  manifest ping attributionsrc action formaction autoplay`.split(/\s+/),
);

/** They are followed when somebody does so, and nobody can. */
const LINKS: ReadonlySet<string> = new Set(['a', 'area']);

/** Of pictures, which may stand in their own address. */
const MAY_BE_IN_PLACE: ReadonlySet<string> = new Set(['href', 'background']);
