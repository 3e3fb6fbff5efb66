import {MOST_RATIO} from './drawThumbnail.ts';

/** The rows of small pictures. */
export interface Strip {
  /** The indices of the panes that have a row. */
  readonly panes: readonly number[];
  /** The height of each row, CSS px. */
  readonly rowPx: number;
  /** How many small pictures are in a row. */
  readonly times: number;
}

/** The room for small pictures, CSS px. */
interface StripRoom {
  /** The width of a row: that of the timeline's axis from 0 to the end of the run. */
  readonly width: number;
  /** The height of the window. */
  readonly windowHeight: number;
}

/**
 * Each pane has a row if the window is high enough. Otherwise the first and the last pane have one, because a
 * comparison usually goes from the oldest transport to the newest. A row has as many pictures as fit beside each other,
 * but at least {@link LEAST_TIMES} and at most {@link MOST_TIMES}.
 */
export function stripOf(panes: number, {width, windowHeight}: StripRoom): Strip {
  const leastPx = panes > 2 ? LEAST_OF_MANY_PX : LEAST_STRIP_PX;
  const allPx = leastPx + STRIP_SHARE * Math.max(windowHeight - LEAST_WINDOW_PX, 0);
  const rowPx = (rows: number) => Math.max(Math.min(MOST_ROW_PX, Math.floor(allPx / rows)), 1);
  const all = Array.from({length: panes}, (_, pane) => pane);
  const shown = panes <= 2 || rowPx(panes) >= LEAST_ROW_PX ? all : [0, panes - 1];
  const ownPx = rowPx(shown.length);
  const fitting = Math.floor(width / (ownPx / MOST_RATIO + GAP_PX));
  return {panes: shown, rowPx: ownPx, times: Math.min(Math.max(fitting, LEAST_TIMES), MOST_TIMES)};
}

/**
 * The time that the small picture with index `slot` shows in a row of `times` pictures, ns. The last picture shows the
 * end of the run.
 */
export function timeOf(slot: number, times: number, endNs: number): number {
  return (endNs * (slot + 1)) / times;
}

/** The room between two small pictures, px. */
export const GAP_PX = 4;
/** How many small pictures a row has at least and at most. */
const LEAST_TIMES = 5;
const MOST_TIMES = 24;
/** The height of all rows together in a window that is at most {@link LEAST_WINDOW_PX} high. */
const LEAST_STRIP_PX = 56;
/** The same height for three or more panes, because their pages need more of the window. */
const LEAST_OF_MANY_PX = 48;
/** The share of the window's height above {@link LEAST_WINDOW_PX} that the rows get in addition. */
const STRIP_SHARE = 0.2;
const LEAST_WINDOW_PX = 720;
/** Below this height of a row, two rows are more useful than a row for each pane. */
const LEAST_ROW_PX = 28;
/** The largest height of a row. */
export const MOST_ROW_PX = 48;
