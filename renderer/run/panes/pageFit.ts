import type {Trace} from '../../../app/run/trace/trace.ts';

/** A width and a height, CSS px. */
export interface Size {
  readonly width: number;
  readonly height: number;
}

/**
 * The layout of a page in a browser window that is `width` wide. The page's own area is `filledWidth` wide, and the
 * rest of the width is margins.
 */
export interface PageLayout extends Size {
  readonly filledWidth: number;
  /** The lower edges of the boxes of objects in the complete page, in the order of the HTML, CSS px. */
  readonly ends?: readonly {readonly object: number; readonly y: number}[];
}

export interface Fit {
  readonly layout: PageLayout;
  readonly scale: number;
  /** How much of the layout's height is visible, in CSS px of the page. If not all is visible, the page is scrolled. */
  readonly shownHeight: number;
}

/** The window widths that are tried for a page, CSS px. */
export const PAGE_WIDTHS: readonly number[] = [800, 1000, 1280, 1600];
/** The window widths that are tried for a page in a pane of the window, which may be low. */
export const PANE_PAGE_WIDTHS: readonly number[] = [...PAGE_WIDTHS, 2000];

/**
 * The layout that shows the page's own area largest in `room`, and its scale. If several layouts show it equally large,
 * the first of them is chosen. A long page that would be too small to read gets the full width of the room, and is
 * scrolled.
 *
 * The page's own area fills at least `leastShare` of the room's width. If the room is too low for that, a wider and
 * thus lower layout is chosen. If no layout is low enough, the one with the largest visible share is chosen, and is
 * scrolled.
 */
export function bestFit(layouts: readonly PageLayout[], room: Size, leastShare = 0): Fit {
  const fits = layouts.map((layout): Fit => {
    const scale = Math.min(room.width / layout.width, room.height / layout.height, LARGEST_SCALE);
    return {layout, scale: Math.max(scale, SMALLEST_SCALE), shownHeight: layout.height};
  });
  const wide = fits.filter(fit => isWide(fit, room, leastShare));
  const whole = largest(wide.length > 0 ? wide : fits);
  const {layout} = whole;
  if (whole.scale < READABLE_SCALE && isRibbon(layout)) {
    const scale = Math.max(Math.min(room.width / layout.width, LARGEST_SCALE), SMALLEST_SCALE);
    return scrolled(layout, scale, room);
  }
  if (wide.length > 0) return whole;
  return layouts
    .map(each => scrolled(each, Math.min((leastShare * room.width) / each.filledWidth, LARGEST_SCALE), room))
    .reduce((best, fit) => (visibleShare(fit) > visibleShare(best) ? fit : best));
}

function largest(fits: readonly Fit[]): Fit {
  return fits.reduce((best, fit) => (shownArea(fit) > shownArea(best) ? fit : best));
}

/** Whether the page's own area fills this share of the room's width, or cannot because the page is very small. */
function isWide({layout, scale}: Fit, room: Size, leastShare: number): boolean {
  return scale >= LARGEST_SCALE || layout.filledWidth * scale >= leastShare * room.width;
}

function scrolled(layout: PageLayout, scale: number, room: Size): Fit {
  return {layout, scale, shownHeight: Math.min(layout.height, room.height / scale)};
}

function visibleShare({layout, shownHeight}: Fit): number {
  return shownHeight / layout.height;
}

/**
 * The y at which the visible part of a scrolled page begins, so that this part ends at `endY`, but never extends beyond
 * the page. `endY` and the result are in the page's CSS px.
 */
export function scrollTop({layout, shownHeight}: Fit, endY: number): number {
  return Math.min(Math.max(endY - shownHeight, 0), layout.height - shownHeight);
}

/**
 * The largest y that a reader can have reached at t in any of these loads, in the page's CSS px. A reader stops at the
 * first picture that is not complete and has not failed, and at the end of the HTML that has arrived. If a low window
 * cuts off the page, all its panes show the part that ends at this y, so that the same part is compared.
 */
export function furthestReadEnd(layout: PageLayout, traces: readonly Trace[], tNs: number): number {
  return Math.max(...traces.map(trace => readEnd(layout, trace, tNs)));
}

function readEnd({height, ends = []}: PageLayout, trace: Trace, tNs: number): number {
  const htmlEnd = (height * trace.percentAt(0, tNs)) / 100;
  const awaited = ends.find(({object}) => !['complete', 'failed'].includes(trace.stateAt(object, tNs)));
  return Math.min(htmlEnd, awaited?.y ?? height);
}

/** Whether a page is much higher than wide. Such a page is read by scrolling in windows of any size. */
export function isRibbon({width, height}: Size): boolean {
  return height >= RIBBON * width;
}

function shownArea({layout, scale}: Fit): number {
  return layout.filledWidth * layout.height * scale ** 2;
}

/** The least share of a pane’s width that a page fills in the window: 75 %, and a little for the borders. */
export const LEAST_PAGE_SHARE = 0.76;
/**
 * The same share in presenter mode. There panes are low, because type is large. A page may be narrower, so that the
 * audience sees all of its height.
 */
export const LEAST_PRESENTED_SHARE = 0.5;
/** The largest scale of a page. It is large enough for projectors of 3840 px. */
const LARGEST_SCALE = 3;
const SMALLEST_SCALE = 0.1;
/** The smallest scale at which text can be read: a page's usual 16 px become 5 px. */
const READABLE_SCALE = 1 / 3;
/** The ratio of height to width from which a page counts as much higher than wide ({@link isRibbon}). */
const RIBBON = 2;
