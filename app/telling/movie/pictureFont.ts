import type {Size} from './options.ts';

/** The font of a picture's text, px: a picture of any shape is at least 68 em wide and 38 em high. */
export function pictureFontPx({width, height}: Size): number {
  return Math.min(width / COLUMNS_EM, height / ROWS_EM);
}

/** A filmstrip is as high as it has rows: its width alone makes its font, px. */
export function filmstripFontPx({width}: Size): number {
  return width / COLUMNS_EM;
}

/** About 16:9: what two panes' headers beside each other take. */
const COLUMNS_EM = 68;
/** Two panes and two graphs. */
const ROWS_EM = 38;
