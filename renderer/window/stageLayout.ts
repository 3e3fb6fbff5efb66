import {LEAST_PAGE_SHARE} from '../run/panes/pageFit.ts';

/** The size of the stage (StageArea.tsx) and of its font, CSS px. */
export interface StageRoom {
  readonly width: number;
  readonly height: number;
  readonly fontPx: number;
}

/**
 * How many panes are side by side: the first of the usual numbers for which each pane has room for its header. Four to
 * six panes are in one row if two rows would not show whole pages and the row is wide enough.
 */
export function paneColumns(panes: number, {width, height, fontPx}: StageRoom): number {
  const [widthEm, heightEm] = [width / fontPx, height / fontPx];
  const usual = USUAL_COLUMNS[panes] ?? USUAL_COLUMNS[6];
  const inRows = Math.min(Math.ceil(panes / 2), 3);
  const pageRoomEm = (heightEm - OTHER_PARTS_EM) / 2 - LOW_HEADER_EM;
  const isLow = pageRoomEm < (LOW_PAGE_RATIO * LEAST_PAGE_SHARE * widthEm) / inRows;
  if (panes > 3 && isLow && widthEm >= panes * LEAST_OF_ROW_EM) return panes;
  return usual.find(columns => widthEm >= columns * (columns < 4 ? LEAST_EM : LEAST_OF_FOUR_EM)) ?? 1;
}

/** The least height of all rows of panes together, CSS px. */
export function leastPanesPx(panes: number, room: StageRoom): number {
  const {width, fontPx} = room;
  const columns = paneColumns(panes, room);
  const rows = Math.ceil(panes / columns);
  if (columns === 1 && panes > 1) return rows * (PAGE_RATIO * width + HEADER_EM * fontPx);
  return rows * (rows === 1 ? ONE_ROW_EM : ROW_EM) * fontPx;
}

/**
 * The columns that are tried for each number of panes, the best first. Four pages in one row are as large as in two
 * rows if the row is wide enough ({@link LEAST_OF_FOUR_EM}), and one row leaves more height to the timeline.
 */
const USUAL_COLUMNS: {readonly 6: readonly number[]; readonly [panes: number]: readonly number[]} = {
  1: [1],
  2: [2],
  3: [3, 2],
  4: [4, 2],
  5: [3, 2],
  6: [3, 2],
};
/** The least width of a pane, em: below this, the header of a pane has no room. */
const LEAST_EM = 17;
/** The least width of each of four panes in one row, em. Below this, their pages are larger in two rows. */
const LEAST_OF_FOUR_EM = 20;
/** The least width of each of four to six panes in one row of a low stage, em. */
const LEAST_OF_ROW_EM = 16;
/** The height of all parts of the stage except two rows of panes, em. */
const OTHER_PARTS_EM = 41;
/** The height of the header of a low pane, em. */
const LOW_HEADER_EM = 2;
/** The height of a usual page as a share of its width, if the page has its widest and thus lowest layout. */
const LOW_PAGE_RATIO = 0.5;
/** The least height of the row of panes if there is only one row, em. */
const ONE_ROW_EM = 12;
/** The least height of each row of panes if there are several rows, em. */
const ROW_EM = 9;
/** The height of a usual page (4:3) as a share of its width. */
const PAGE_RATIO = 0.75;
/** The height of a pane's header, em. */
const HEADER_EM = 4;
