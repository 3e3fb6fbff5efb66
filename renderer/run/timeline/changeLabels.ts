import {type TimeAxis, textWidth, timeScale} from './measures.ts';
import type {TimelineModel} from './model.ts';

/** A change of the path within the visible part of the run, and the position of its text above the graphs. */
export interface ChangeLabel {
  readonly atNs: number;
  /** The x of the change, CSS px. */
  readonly x: number;
  readonly text: string;
  /** Where the text begins, CSS px. */
  readonly left: number;
  /** The line of text above the graphs, counted upwards from 0. Undefined if there is no room for the text. */
  readonly line: number | undefined;
}

/**
 * The changes of the path, in order of time. A text that would extend over a later change is placed above the later
 * change's text, so that no line crosses a text.
 */
export function changeLabels(model: TimeAxis & Pick<TimelineModel, 'changes'>): readonly ChangeLabel[] {
  const {fontPx, width, fromNs, toNs, leftPx = 0} = model;
  const x = timeScale(model);
  const labels: ChangeLabel[] = [];
  const inSight = model.changes.filter(({atNs}) => atNs >= fromNs && atNs <= toNs);
  for (const {atNs, text} of [...inSight].reverse()) {
    const at = x(atNs);
    const left = Math.min(at + fontPx * 0.3, Math.max(width - textWidth(text, fontPx), leftPx));
    const right = left + textWidth(text, fontPx) + fontPx;
    const below = labels.filter(later => Math.min(later.x, later.left) < right).map(({line}) => line ?? -1);
    const line = Math.max(-1, ...below) + 1;
    labels.push({atNs, x: at, text, left, line: line < MOST_LINES ? line : undefined});
  }
  return labels.reverse();
}

/** The height of all lines of changes at the top of the picture, em. */
export function changeLinesEm(model: TimeAxis & Pick<TimelineModel, 'changes'>): number {
  return LINE_EM * Math.max(0, ...changeLabels(model).map(({line}) => (line ?? -1) + 1));
}

/** The distance from one line of changes to the next, em. */
export const LINE_EM = 1.2;
const MOST_LINES = 2;
