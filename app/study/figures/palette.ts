/** The colours of a figure or of the window, except those of series and objects. */
export interface Palette {
  readonly background: string;
  readonly text: string;
  readonly dim: string;
  readonly line: string;
  readonly warning: string;
  readonly accent: string;
}

/** The colours of theme.css. They are repeated here because a canvas cannot use custom properties. */
export const PALETTES: {readonly [T in 'light' | 'dark']: Palette} = {
  light: {
    background: '#ffffff',
    text: '#16191d',
    dim: '#5a626c',
    line: '#d3d7dc',
    warning: '#b3261e',
    accent: '#1a5fb4',
  },
  dark: {
    background: '#14171a',
    text: '#f2f4f6',
    dim: '#a3abb5',
    line: '#3a4149',
    warning: '#ff8a80',
    accent: '#8ab4f8',
  },
};

/**
 * The typeface of figures and canvases, as in theme.css. The window and movies load it (renderer/kit/fonts.ts). An SVG
 * file names the typeface but does not contain it, because most programs that show or edit an SVG ignore a typeface
 * inside the file. Every text has an anchor, so another typeface does not move the text away from its mark.
 */
export const TYPEFACE = "'Inter Variable', Inter, system-ui, sans-serif";

/**
 * Colours of panes in one graph, for the background of theme.css. Blue is not one of them, because it marks changes of
 * the path.
 */
export const PANE_COLOURS: {readonly [T in 'light' | 'dark']: readonly string[]} = {
  light: ['#16191d', '#7b3fb0', '#b35900', '#1b7f4b', '#b3246b', '#00707d'],
  dark: ['#f2f4f6', '#c8a2ff', '#ffb454', '#6fd39b', '#ff8fc4', '#5fd3e0'],
};

/** Dashes, px, that distinguish panes without colour. */
export const PANE_DASHES: readonly (readonly number[])[] = [
  [],
  [6, 4],
  [2, 3],
  [8, 3, 2, 3],
  [12, 4],
  [2, 3, 2, 3, 8, 3],
];
