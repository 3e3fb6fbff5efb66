import {type ScaleLinear, scaleLinear} from 'd3-scale';
import type {TimelineModel} from './model.ts';

/** ns to CSS px, the same for every graph. */
export function timeScale(model: TimelineModel): ScaleLinear<number, number> {
  const {view, width, fontPx, fromNs, toNs, leftPx} = model;
  // a column has no room for more
  const leftEm = leftPx === undefined ? view.leftEm : Math.min(view.leftEm, COLUMN_EM);
  return scaleLinear([fromNs, toNs], [(leftPx ?? 0) + fontPx * leftEm, width - fontPx * 1.2]);
}

/** `100 KB` and a gap, em: what most views need to the left of their graphs. */
export const VALUES_EM = 4.2;

/** `lighthouse` beside its colour, where names are small. */
const COLUMN_EM = 5.4;

/** A length of the window, whose font has 13 px, in the model's picture; CSS px. */
export function scaled({fontPx}: Pick<TimelineModel, 'fontPx'>, px: number): number {
  return (px * fontPx) / 13;
}

/** About how wide a text is, CSS px: a drawing need not be able to measure it. */
export function textWidth(text: string, fontPx: number): number {
  return text.length * fontPx * 0.58;
}
