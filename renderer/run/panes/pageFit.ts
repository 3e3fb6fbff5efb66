/** CSS px. */
export interface Size {
  readonly width: number;
  readonly height: number;
}

/** A page laid out in a window of `width`; `filledWidth` of it is the page's, the rest margins. */
export interface PageLayout extends Size {
  readonly filledWidth: number;
}

export interface Fit {
  readonly layout: PageLayout;
  readonly scale: number;
  /** How much of the layout's height is in sight at once; less than all of it where the page is scrolled. */
  readonly shownHeight: number;
}

/** Widths at which a page is tried: those of windows that people have, CSS px. */
export const PAGE_WIDTHS: readonly number[] = [800, 1000, 1280, 1600];

/**
 * The layout that shows most of the page's own area in `room`, and how large it is then; the narrowest of equals.
 * A page that would be a ribbon which nobody can read is as wide as the room instead, and scrolled.
 */
export function bestFit(layouts: readonly PageLayout[], room: Size): Fit {
  const whole = layouts
    .map((layout): Fit => {
      const scale = Math.min(room.width / layout.width, room.height / layout.height, LARGEST_SCALE);
      return {layout, scale: Math.max(scale, SMALLEST_SCALE), shownHeight: layout.height};
    })
    .reduce((best, fit) => (shownArea(fit) > shownArea(best) ? fit : best));
  const {layout} = whole;
  if (whole.scale >= READABLE_SCALE || layout.height < RIBBON * layout.width) return whole;
  const scale = Math.max(Math.min(room.width / layout.width, LARGEST_SCALE), SMALLEST_SCALE);
  return {layout, scale, shownHeight: Math.min(layout.height, room.height / scale)};
}

/** From where on a scrolled page is in sight, so that `endY` is at the lower edge; both in its CSS px. */
export function scrollTop({layout, shownHeight}: Fit, endY: number): number {
  return Math.min(Math.max(endY - shownHeight, 0), layout.height - shownHeight);
}

function shownArea({layout, scale}: Fit): number {
  return layout.filledWidth * layout.height * scale ** 2;
}

/** For projectors of 3840 px. */
const LARGEST_SCALE = 3;
const SMALLEST_SCALE = 0.1;
/** Of a page's usual 16 px, 5 are left. */
const READABLE_SCALE = 1 / 3;
/** Height to width of a page that people scroll. */
const RIBBON = 2;
