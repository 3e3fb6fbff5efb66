import {isHugeDataUrl} from '../../../app/page/imageSize.ts';
import {sheetLink} from '../../../app/page/sheetObjects.ts';
import {chosenSource} from '../../../app/page/sourceSet.ts';
import {isDataUrl} from '../../../app/page/url.ts';

/**
 * An image of which no byte has arrived. It has no size, so a browser lays it out only by the attributes and the style
 * of its element. It has no ratio either, because a ratio would override the declared one (HTML §15.4.3, CSS Images 3
 * §4.1).
 */
export const EMPTY_IMAGE =
  'data:image/svg+xml,%3Csvg%20xmlns=%22http://www.w3.org/2000/svg%22%20width=%220%22%20height=%220%22/%3E';

/** An image that cannot be loaded. A browser shows its sign for broken images, and the alternative text. */
export const BROKEN_IMAGE = 'data:image/png,';

/**
 * The picture that replaces content that cannot be shown. It has the default size of such elements (CSS 2.2 §10.3.2).
 */
const EMPTY_BOX = 'data:image/svg+xml,%3Csvg%20xmlns=%22http://www.w3.org/2000/svg%22/%3E';

/** The copy of a page's element that is put into the frame. */
export interface InertElement {
  readonly node: Element | Comment;
  /** Whether the element's children are left out. */
  readonly isSealed: boolean;
  /**
   * The picture to set when the element is in the frame's document, so that the frame's policy applies to loading it.
   */
  readonly picture?: string;
  /** The reference to the image or style sheet that the element shows. */
  readonly shows?: {readonly kind: 'image' | 'style'; readonly reference: string};
}

/**
 * Copies an element, without its children. The copy loads nothing and runs nothing. A link keeps its address, but the
 * user cannot follow it, because the frame is inert (Pane.tsx). To keep the layout, the copy has a box wherever the
 * element has one in a browser without scripts. Scripts do not run here, so the content of a noscript element is shown.
 * The original must be in a document without a window.
 */
export function inertElement(original: Element): InertElement {
  const element = original.cloneNode(false) as Element;
  for (const name of OWN_ATTRIBUTES) element.removeAttribute(name);
  // SVG also has script and style elements, to which the next two lines apply as well
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
  // so that the picture is painted in the first frame that has it, not some frames later
  element.setAttribute('decoding', 'sync');
  const inert = open(withoutAddresses(element));
  if (!isAnywhere) return inert;
  if (isDataUrl(reference)) return {...inert, picture: shownInPlace(reference)};
  return {...inert, picture: EMPTY_IMAGE, shows: {kind: 'image', reference}};
}

function shownInPlace(reference: string): string {
  return isHugeDataUrl(reference) ? BROKEN_IMAGE : reference;
}

/** The reference that the page's loader requests for this image. */
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

/** Replaces the link to an active style sheet by a style element, which is empty until the sheet's bytes arrive. */
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
  return {...inert, picture: isDataUrl(reference) ? shownInPlace(reference) : EMPTY_IMAGE};
}

/**
 * Replaces a marquee by a box that does not move. The content of a marquee would move with the clock instead of the run
 * time t. Besides, a few hundred nested marquees crash Chromium's renderer.
 */
function standing(marquee: Element): Element {
  const box = marquee.ownerDocument.createElement('div');
  for (const attribute of Array.from(marquee.attributes)) {
    // copies the node instead of its name and value: a parser accepts more names than setAttribute()
    if (!MARQUEE.has(attribute.name)) box.setAttributeNode(attribute.cloneNode() as Attr);
  }
  return box;
}

/** An empty box that replaces content that cannot be shown. Its attributes and style determine its size. */
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

/**
 * Removes every address from which the browser would load something. Pictures inside the HTML (`data:`) and references
 * within the document (`#id`) stay.
 */
function withoutAddresses(element: Element): Element {
  for (const {name, localName, value} of Array.from(element.attributes)) {
    const isLink = localName === 'href' && LINKS.has(element.localName);
    if (!LOADING.has(localName) || isLink) continue;
    const staysInPlace = MAY_BE_IN_PLACE.has(localName) && isDataUrl(value) && !isHugeDataUrl(value);
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

/** Attributes of a marquee that are not copied to the box that replaces it. */
const MARQUEE: ReadonlySet<string> = new Set(['behavior', 'direction']);

/** SVG elements that would change the picture with the clock. */
const MOVING: ReadonlySet<string> = new Set(['animate', 'animateMotion', 'animateTransform', 'discard', 'set']);

/**
 * Attributes that are removed. The frame uses the first two for its boxes, and a page could imitate them. The third
 * would move the focus.
 */
const OWN_ATTRIBUTES = ['data-object', 'data-percent', 'autofocus'];

/** Attributes by which style sheets usually select an element. */
const PLAIN = ['id', 'class'];

/** Attributes that determine the size and position of a box. */
const BOX = [...PLAIN, 'style', 'width', 'height', 'align', 'hspace', 'vspace', 'border', 'hidden'];

/** Attributes with addresses from which browsers load or once loaded something, and `autoplay`. */
const LOADING: ReadonlySet<string> = new Set(
  `src srcset srcdoc imagesrcset href poster background data codebase archive classid code lowsrc dynsrc icon
  manifest ping attributionsrc action formaction autoplay`.split(/\s+/),
);

/** Elements whose address is loaded only when the user follows a link, which is not possible here. */
const LINKS: ReadonlySet<string> = new Set(['a', 'area']);

/** Attributes with the address of a picture. The address may contain the picture itself (`data:`). */
const MAY_BE_IN_PLACE: ReadonlySet<string> = new Set(['href', 'background']);
