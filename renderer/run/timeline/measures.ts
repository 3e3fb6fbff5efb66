import {type ScaleLinear, scaleLinear} from 'd3-scale';
import type {TimelineModel} from './model.ts';

/** What the time scale depends on. */
export type TimeAxis = Pick<TimelineModel, 'view' | 'width' | 'fontPx' | 'fromNs' | 'toNs' | 'leftPx'>;

/** The time scale of the graphs of a picture, or of one of its columns, from ns to CSS px. */
export function timeScale(model: TimeAxis): ScaleLinear<number, number> {
  const {view, width, fontPx, fromNs, toNs, leftPx} = model;
  // in a picture with several columns, the room to the left of the graphs is limited
  const leftEm = leftPx === undefined ? view.leftEm : Math.min(view.leftEm, COLUMN_EM);
  return scaleLinear([fromNs, toNs], [(leftPx ?? 0) + fontPx * leftEm, width - fontPx * RIGHT_EM]);
}

/** The room to the right of the graphs, em. */
export const RIGHT_EM = 1.2;

/** The room that most views need to the left of their graphs, em. It is enough for the text `100 KB` and a gap. */
export const VALUES_EM = 4.2;

/**
 * The largest room to the left of the graphs in a picture with several columns, em. It is enough for the name
 * `lighthouse` in small text, beside a square with the object's colour.
 */
const COLUMN_EM = 5.4;

/** Scales a length to the size of the picture's text. `px` is the length if the text has 13 px. Returns CSS px. */
export function scaled({fontPx}: Pick<TimelineModel, 'fontPx'>, px: number): number {
  return (px * fontPx) / 13;
}

/** Estimates the width of a text, CSS px. It does not measure, because not every drawing can measure text. */
export function textWidth(text: string, fontPx: number): number {
  return text.length * fontPx * 0.58;
}
