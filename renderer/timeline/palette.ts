import type {Theme} from '../objectColours.ts';
import {scaled} from './measures.ts';
import type {TimelineModel} from './model.ts';

interface Palette {
  readonly background: string;
  readonly text: string;
  readonly dim: string;
  readonly line: string;
  readonly warning: string;
  readonly accent: string;
}

/** As in theme.css: a canvas has no custom properties. */
export const PALETTES: {readonly [T in Theme]: Palette} = {
  light: {
    ...{background: '#ffffff', text: '#16191d', dim: '#5a626c', line: '#d3d7dc'},
    ...{warning: '#b3261e', accent: '#1a5fb4'},
  },
  dark: {
    ...{background: '#14171a', text: '#f2f4f6', dim: '#a3abb5', line: '#3a4149'},
    ...{warning: '#ff8a80', accent: '#8ab4f8'},
  },
};

/** How faint a ghost of another run is. */
export const GHOST_ALPHA = 0.3;

/** Of the model's line, px of the window. */
export const MODEL_DASH = [12, 5];

/** Dashes that tell panes apart in one graph. */
export function dashOf(model: TimelineModel, pane: number): readonly number[] {
  return ([[], [6, 4], [2, 3], [8, 3, 2, 3]][pane] ?? []).map(px => scaled(model, px));
}

export function fontOf(fontPx: number): string {
  return `${fontPx}px system-ui, sans-serif`;
}

/** Of many panes in one graph each has its colour; of two their objects have theirs. */
export function paneColour({theme}: TimelineModel, panes: number, pane: number): string {
  return (panes > 2 ? PANE_COLOURS[theme][pane] : undefined) ?? PALETTES[theme].text;
}

/** Told apart by hue, on the background of theme.css; blue is a change's. */
const PANE_COLOURS: {readonly [T in Theme]: readonly string[]} = {
  light: ['#16191d', '#7b3fb0', '#b35900', '#1b7f4b'],
  dark: ['#f2f4f6', '#c8a2ff', '#ffb454', '#6fd39b'],
};
