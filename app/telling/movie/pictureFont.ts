import type {Size} from './options.ts';

/** The font size of a picture's text, px. It makes every picture at least 68 em wide and 38 em high. */
export function pictureFontPx({width, height}: Size): number {
  return Math.min(width / COLUMNS_EM, height / ROWS_EM);
}

/** The font size of a filmstrip, px. It depends on the width alone, because a filmstrip grows with its rows. */
export function filmstripFontPx({width}: Size): number {
  return width / COLUMNS_EM;
}

/**
 * The width that the headers of two panes beside each other need, em. Together with {@link ROWS_EM} it gives about
 * 16:9.
 */
const COLUMNS_EM = 68;
/** The height that two panes and two graphs need, em. */
const ROWS_EM = 38;
