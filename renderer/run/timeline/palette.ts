import {PALETTES, PANE_COLOURS, PANE_DASHES, TYPEFACE} from '../../../app/study/figures/palette.ts';
import {scaled} from './measures.ts';
import type {TimelineModel} from './model.ts';

export {PALETTES};

/** The opacity at which the previous run is drawn, as a faint ghost. */
export const GHOST_ALPHA = 0.3;

/** The dashes of the line at the predicted completion of a page, in px if the text has 13 px. */
export const PREDICTION_DASH = [12, 5];

/** The dashes of a pane's lines. They distinguish panes in one graph. */
export function dashOf(model: TimelineModel, pane: number): readonly number[] {
  return (PANE_DASHES[pane] ?? []).map(px => scaled(model, px));
}

export function fontOf(fontPx: number): string {
  return `${fontPx}px ${TYPEFACE}`;
}

/**
 * The colour of a pane's own line. With more than two panes in a graph, each pane has its own colour. Otherwise all
 * lines have the colour of text.
 */
export function paneColour({theme}: TimelineModel, panes: number, pane: number): string {
  return (panes > 2 ? PANE_COLOURS[theme][pane] : undefined) ?? PALETTES[theme].text;
}
