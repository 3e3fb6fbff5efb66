import {objectColour} from '../objectColours.ts';
import {type Drawing, drawText, type Point} from './drawing.ts';
import {textWidth} from './measures.ts';
import {fontOf, PALETTES} from './palette.ts';
import type {TimelineModel} from './plots.ts';

/** What the lines of the congestion window's graph are; of many panes there is one each. */
export function windowLegend({theme}: TimelineModel, panes: number): readonly (readonly [string, string])[] {
  const palette = PALETTES[theme];
  if (panes > 2) return [['cwnd', palette.text]];
  return [
    ['cwnd ━', palette.text],
    ['flight size ━', objectColour(3, theme)],
    ['ssthresh ┄', palette.dim],
    ['recovery ▨', palette.warning],
  ];
}

/** CSS px, with the room before it. */
export function legendWidth(model: TimelineModel, panes: number): number {
  return windowLegend(model, panes).reduce((sum, [text]) => sum + entryWidth(model, text), 0);
}

/** Ends at a point. */
export function drawLegend(drawing: Drawing, model: TimelineModel, panes: number, {x, y}: Point): void {
  let right = x;
  for (const [text, colour] of [...windowLegend(model, panes)].reverse()) {
    drawText(drawing, text, {x: right, y}, {colour, font: fontOf(model.fontPx), align: 'right'});
    right -= entryWidth(model, text);
  }
}

function entryWidth({fontPx}: TimelineModel, text: string): number {
  return textWidth(text, fontPx) + fontPx * 1.2;
}
