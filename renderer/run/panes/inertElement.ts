import {isHugeInPlace} from '../../../app/page/imageSize.ts';
import {sheetLink} from '../../../app/page/sheetObjects.ts';
import {chosenSource} from '../../../app/page/sourceSet.ts';
import {isInPlace} from '../../../app/page/url.ts';

/**
 * An image of which no byte has come: a browser lays it out by its attributes and style alone. It has no size and so no
 * ratio of its own, which would override the declared one (HTML §15.4.3, CSS Images 3 §4.1).
 */
export const EMPTY_IMAGE =
  'data:image/svg+xml,%3Csvg%20xmlns=%22http://www.w3.org/2000/svg%22%20width=%220%22%20height=%220%22/%3E';

/** An image that cannot be loaded: a browser shows its sign for broken images, and the alternative text. */
export const BROKEN_IMAGE = 'data:image/png,';

/** The picture of content that cannot be shown, at the default size of such elements (CSS 2.2 §10.3.2). */
const EMPTY_BOX = 'data:image/svg+xml,%3Csvg%20xmlns=%22http://www.w3.org/2000/svg%22/%3E';

/** The copy of a page's element that is put into the frame. */
export interface InertElement {
  readonly node: Element | Comment;
  /** Whether its children are left out. */
  readonly isSealed: boolean;
  /** The picture to set once the element is in the frame's document, where the frame's policy applies to loading it. */
  readonly picture?: string;
  /** The reference to the image or style sheet that it shows. */
  readonly shows?: {readonly kind: 'image' | 'style'; readonly reference: string};
}

/**
 * Copies an element, without its children. The copy loads nothing, runs nothing and links to nothing. It has a box
 * if the element has one in a browser without scripts, so that the layout stays the same. The content of a noscript
 * element is a part of the page. The original must be in a document without a window.
 */
export function inertElement(original: Element): InertElement {
  const element = original.cloneNode(false) as Element;
  for (const name of OURS) element.removeAttribute(name);
  // these names are also elements of SVG
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
  // so that it is painted in the first frame that has it, not some frames later
  element.setAttribute('decoding', 'sync');
  const inert = open(withoutAddresses(element));
  if (!isAnywhere) return inert;
  if (isInPlace(reference)) return {...inert, picture: shownInPlace(reference)};
  return {...inert, picture: EMPTY_IMAGE, shows: {kind: 'image', reference}};
}

function shownInPlace(reference: string): string {
  return isHugeInPlace(reference) ? BROKEN_IMAGE : reference;
}

/** The reference that the loader requests. */
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

/** A style sheet in use becomes a style element, which is empty until its bytes have come. */
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

/** Replaces a marquee, which would move by the clock. Some hundreds inside each other crash Chromium's renderer. */
function standing(marquee: Element): Element {
  const box = marquee.ownerDocument.createElement('div');
  for (const attribute of Array.from(marquee.attributes)) {
    // not by its name: a parser takes more names than setAttribute() does
    if (!MARQUEE.has(attribute.name)) box.setAttributeNode(attribute.cloneNode() as Attr);
  }
  return box;
}

/** An empty box for content that cannot be shown, of the size that its attributes and style say. */
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

/** Removes every address from which something would be loaded. */
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

/** Attributes of a marquee that its box does not get. */
const MARQUEE: ReadonlySet<string> = new Set(['behavior', 'direction']);

/** SVG elements that would change by the clock what is shown. */
const MOVING: ReadonlySet<string> = new Set(['animate', 'animateMotion', 'animateTransform', 'discard', 'set']);

/** Attributes that are removed: the frame marks its boxes with the first two, and a page could imitate them. */
const OURS = ['data-object', 'data-percent', 'autofocus'];

/** Attributes by which a style sheet selects an element. */
const PLAIN = ['id', 'class'];

/** Attributes that decide the size and place of a box. */
const BOX = [...PLAIN, 'style', 'width', 'height', 'align', 'hspace', 'vspace', 'border', 'hidden'];

/** Attributes from whose addresses browsers load, or used to load, and `autoplay`. */
const LOADING: ReadonlySet<string> = new Set(
  `src srcset srcdoc imagesrcset href poster background data codebase archive classid code lowsrc dynsrc icon
  manifest ping attributionsrc action formaction autoplay`.split(/\s+/),
);

/** Elements whose address is loaded only when somebody follows it, which nobody can do here. */
const LINKS: ReadonlySet<string> = new Set(['a', 'area']);

/** Attributes with addresses of pictures, which may hold the picture itself (`data:`). */
const MAY_BE_IN_PLACE: ReadonlySet<string> = new Set(['href', 'background']);
