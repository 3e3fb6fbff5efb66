import {causeColour} from './causeColours.ts';
import type {FigureSeries} from './figure.ts';
import {PALETTES, PANE_COLOURS, PANE_DASHES, type Palette} from './palette.ts';

/** The look of a figure. There is one for print, where colours may be lost, and one for screens and projectors. */
export interface FigureStyle {
  readonly palette: Palette;
  /** The colours of the series. */
  readonly colours: readonly string[];
  /** The size of the text, px. */
  readonly fontPx: number;
  readonly lineWidth: number;
}

export const FIGURE_STYLES: {readonly [S in 'print' | 'screen']: FigureStyle} = {
  print: {palette: PALETTES.light, colours: PANE_COLOURS.light, fontPx: 11, lineWidth: 1.25},
  screen: {palette: PALETTES.dark, colours: PANE_COLOURS.dark, fontPx: 14, lineWidth: 2},
};

/** Returns the colour of a series. */
export function seriesColour(style: FigureStyle, {cause, colour}: FigureSeries): string {
  if (cause === undefined) return colourOf(style, colour);
  return causeColour(cause, style.palette === PALETTES.dark ? 'dark' : 'light');
}

export function colourOf({colours, palette}: FigureStyle, colour: number): string {
  return colours[colour % colours.length] ?? palette.text;
}

/** The dash pattern of an SVG stroke. The lines of a paper's own numbers are dotted. */
export function dashOf(colour: number, isPaper: boolean): string | undefined {
  if (isPaper) return '1,3';
  const dash = PANE_DASHES[colour % PANE_DASHES.length] ?? [];
  return dash.length === 0 ? undefined : dash.join();
}

/** Plot's names of the symbols that distinguish series without colour. */
export const SYMBOLS = ['circle', 'square', 'triangle', 'diamond'] as const;
