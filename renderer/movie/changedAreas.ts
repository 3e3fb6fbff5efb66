/** A rectangle of a picture, in whole px. */
export interface Area {
  readonly left: number;
  readonly top: number;
  readonly right: number;
  readonly bottom: number;
}

/**
 * Finds the areas of a run's picture that may have changed since the picture was drawn. It recognises what changes when
 * only the run time t changes and the layout stays the same: texts above and below the panes, the timeline's cursor,
 * the pictures in a page, and the blocks that a synthetic page has for its objects. For any other change it reports a
 * whole pane or the whole picture.
 */
export class ChangedAreas {
  readonly #picture: HTMLElement;
  readonly #observer = new MutationObserver(records => this.#records.push(...records));
  readonly #records: MutationRecord[] = [];
  readonly #frames = new Map<Document, Frame>();
  readonly #texts = new WeakMap<Node, string | null>();
  /** The areas of the elements that {@link MOVES} selects. */
  #areas = new Map<Element, Area>();
  /** The positions of the elements that {@link STAYS} selects. */
  #places = '';

  constructor(picture: HTMLElement) {
    this.#picture = picture;
    this.#observer.observe(document.documentElement, WATCHED);
  }

  /**
   * The areas that may have changed since the last call. They may overlap. Undefined if the whole picture may have
   * changed.
   */
  take(): readonly Area[] | undefined {
    this.#records.push(...this.#observer.takeRecords());
    const records = this.#records.splice(0);
    const hasNewFrame = this.#findFrames();
    const places = placesOf(this.#picture.querySelectorAll(STAYS));
    const stays = places === this.#places && !hasNewFrame && records.length > 0;
    this.#places = places;
    const before = this.#areas;
    this.#areas = new Map(Array.from(this.#picture.querySelectorAll(MOVES), each => [each, areaOf(each)]));
    const areas: Area[] = [];
    for (const [element, area] of this.#areas) {
      const old = before.get(element);
      if (old === undefined || !isSame(old, area)) areas.push(area, ...(old === undefined ? [] : [old]));
    }
    let isKnown = stays;
    const seen = new Set<Element | Frame>();
    for (const record of records) {
      const frame = this.#frames.get(record.target.ownerDocument ?? (record.target as Document));
      if (frame !== undefined) frame.note(record);
      else if (!this.#isSameText(record)) {
        const element = elementOf(record);
        const area = this.#areas.get(element) ?? blockArea(element);
        const pane = element.closest('.pane-page');
        if (area === undefined && pane === null) isKnown = false;
        else if (!seen.has(element)) areas.push(area ?? areaOf(pane ?? element));
        seen.add(element);
      }
    }
    for (const frame of this.#frames.values()) areas.push(...frame.take());
    return isKnown && areas.length <= MOST_AREAS ? areas.filter(isThere) : undefined;
  }

  /** Begins to watch the iframes of new panes. Returns true if there are any. */
  #findFrames(): boolean {
    let isNew = false;
    for (const element of this.#picture.querySelectorAll<HTMLIFrameElement>('.pane iframe')) {
      const inside = element.contentDocument;
      if (inside === null || this.#frames.has(inside)) continue;
      isNew = true;
      this.#frames.set(inside, new Frame(element, inside));
      this.#observer.observe(inside, WATCHED);
    }
    return isNew;
  }

  /** Whether the change only set the same text again. A few texts of a pane are set at every t (Pane.tsx). */
  #isSameText({type, target}: MutationRecord): boolean {
    const element = type === 'characterData' ? target.parentElement : (target as Element);
    if (type === 'attributes' || element === null || element.childElementCount !== 0) return false;
    const text = element.textContent;
    const isSame = this.#texts.get(element) === text;
    this.#texts.set(element, text);
    return isSame;
  }
}

/**
 * The page in a pane. A delivered picture changes only its own box, unless boxes of the page move, or the page matches
 * {@link FAR_REACHING} or has more than {@link MOST_ELEMENTS} elements. Then the whole pane counts as changed.
 */
class Frame {
  readonly #element: HTMLIFrameElement;
  readonly #inside: Document;
  readonly #pictures = new Set<Element>();
  #hasChanged = true;
  #isPlain = false;
  #places = '';

  constructor(element: HTMLIFrameElement, inside: Document) {
    this.#element = element;
    this.#inside = inside;
  }

  note({type, target, attributeName}: MutationRecord): void {
    const isPicture = type === 'attributes' && /^(src|data-percent)$/.test(attributeName ?? '');
    if (isPicture) this.#pictures.add(target as Element);
    else this.#hasChanged = true;
  }

  take(): readonly Area[] {
    const [hasChanged, pictures] = [this.#hasChanged, Array.from(this.#pictures)];
    this.#hasChanged = false;
    this.#pictures.clear();
    if (hasChanged) this.#isPlain = !FAR_REACHING.test(this.#inside.documentElement?.outerHTML ?? '');
    if (!hasChanged && pictures.length === 0) return [];
    const before = this.#places;
    const all = this.#inside.getElementsByTagName('*');
    this.#places = all.length > MOST_ELEMENTS ? '' : placesOf(all);
    const frame = this.#element.getBoundingClientRect();
    const pane = areaOf(this.#element.closest('.pane-page') ?? this.#element);
    if (hasChanged || !this.#isPlain || this.#places === '' || this.#places !== before) return [pane];
    const scale = frame.width / this.#element.offsetWidth;
    return pictures.map(picture => {
      const {left, top, right, bottom} = picture.getBoundingClientRect();
      return wholePx({
        left: frame.left + left * scale,
        right: frame.left + right * scale,
        top: frame.top + top * scale,
        bottom: frame.top + bottom * scale,
      });
    });
  }
}

const WATCHED = {subtree: true, childList: true, characterData: true, attributes: true};

/** Selects the elements whose position does not depend on t. If one of them moves, the whole picture has changed. */
const STAYS = '.movie, .movie > *, .captioned-pane, .pane, .pane-header, .pane-page, .pane-told, .pane-caption';

/**
 * Selects the elements that may change or move alone, and that paint at most {@link MARGIN_PX} outside their boxes.
 */
const MOVES =
  '.heading *, .sentence *, .pane-header, .pane-header *, .pane-told, .pane-caption, .timeline canvas, .timeline-cursor span';

/**
 * Matches CSS and HTML of a page with which the search for changed areas would be wrong: CSS that lets a picture change
 * pixels outside its box, CSS that selects elements by their attributes, and backslashes, with which such CSS could be
 * disguised.
 */
const FAR_REACHING = /[\\[]|filter|blend|reflect|shape-outside|mask|element\(/i;

/** The largest number of elements of a page whose positions are compared for each frame. */
const MOST_ELEMENTS = 400;

/** With more areas than this, drawing the whole picture takes no longer. */
const MOST_AREAS = 80;

/** How far a letter, an outline or a filter may paint outside its box. */
const MARGIN_PX = 3;

function elementOf({target}: MutationRecord): Element {
  return target instanceof Element ? target : (target.parentElement ?? document.documentElement);
}

function blockArea(element: Element): Area | undefined {
  if (element.matches('.timeline-cursor')) return NOTHING;
  return element.matches('.pane-blocks [data-object]') ? areaOf(element) : undefined;
}

const NOTHING: Area = {left: 0, top: 0, right: 0, bottom: 0};

function areaOf(element: Element): Area {
  const box = element.getBoundingClientRect();
  return box.width * box.height === 0 ? NOTHING : wholePx(box);
}

function wholePx({left, top, right, bottom}: Area): Area {
  return {
    left: Math.floor(left) - MARGIN_PX,
    top: Math.floor(top) - MARGIN_PX,
    right: Math.ceil(right) + MARGIN_PX,
    bottom: Math.ceil(bottom) + MARGIN_PX,
  };
}

function isSame(a: Area, b: Area): boolean {
  return a.left === b.left && a.top === b.top && a.right === b.right && a.bottom === b.bottom;
}

function isThere({left, right}: Area): boolean {
  return right > left;
}

function placesOf(elements: Iterable<Element>): string {
  return Array.from(elements, element => {
    const {x, y, width, height} = element.getBoundingClientRect();
    return `${x},${y},${width},${height}`;
  }).join(';');
}
