import {MOST_RATIO} from './drawThumbnail.ts';

/** The rows of small pictures. */
export interface Strip {
  /** The panes that have a row, counted from 0. */
  readonly panes: readonly number[];
  /** The height of each row, CSS px. */
  readonly rowPx: number;
}

/** The room for small pictures, CSS px. */
interface StripRoom {
  /** The width of all small pictures of a row. */
  readonly width: number;
  /** The height of the window. */
  readonly windowHeight: number;
}

/**
 * Each pane has a row if the window is high enough. Otherwise the first and the last pane have one, because a
 * comparison usually goes from the oldest transport to the newest. Rows are as high as the room allows.
 */
export function stripOf(panes: number, {width, windowHeight}: StripRoom): Strip {
  const widestPx = Math.floor(MOST_RATIO * slotPx(width));
  const allPx = LEAST_STRIP_PX + STRIP_SHARE * Math.max(windowHeight - LEAST_WINDOW_PX, 0);
  const rowPx = (rows: number) => Math.max(Math.min(widestPx, Math.floor(allPx / rows)), 1);
  const all = Array.from({length: panes}, (_, pane) => pane);
  const shown = panes <= 2 || rowPx(panes) >= LEAST_ROW_PX ? all : [0, panes - 1];
  return {panes: shown, rowPx: rowPx(shown.length)};
}

/** The time that a small picture shows, ns. The last one shows the end of the run. */
export function timeOf(slot: number, endNs: number): number {
  return (endNs * (slot + 1)) / TIMES;
}

function slotPx(width: number): number {
  return width / TIMES - GAP_PX;
}

/** How many small pictures are in a row. */
export const TIMES = 10;
/** The room between two small pictures, px. */
export const GAP_PX = 6;
/** The height of all rows in a window of {@link LEAST_WINDOW_PX} and below, and their share of additional height. */
const LEAST_STRIP_PX = 76;
const STRIP_SHARE = 0.18;
const LEAST_WINDOW_PX = 720;
/** Below this height of a row, two rows are more useful than a row for each pane. */
const LEAST_ROW_PX = 34;
