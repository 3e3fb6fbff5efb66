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
}

/** Widths at which a page is tried: those of windows that people have, CSS px. */
export const PAGE_WIDTHS: readonly number[] = [800, 1000, 1280, 1600];

/** The layout that shows most of the page's own area in `room`, and how large it is then; the narrowest of equals. */
export function bestFit(layouts: readonly PageLayout[], room: Size): Fit {
  const fits = layouts.map((layout): Fit => {
    const scale = Math.min(room.width / layout.width, room.height / layout.height, LARGEST_SCALE);
    return {layout, scale: Math.max(scale, SMALLEST_SCALE)};
  });
  return fits.reduce((best, fit) => (shownArea(fit) > shownArea(best) ? fit : best));
}

function shownArea({layout, scale}: Fit): number {
  return layout.filledWidth * layout.height * scale ** 2;
}

/** For projectors of 3840 px. */
const LARGEST_SCALE = 3;
const SMALLEST_SCALE = 0.1;
