import {type Drawing, drawText, type Point} from './drawing.ts';
import {textWidth} from './measures.ts';
import type {TimelineModel} from './model.ts';
import {fontOf} from './palette.ts';

/** Of a graph of so many panes, CSS px, with the room before it; 0 if the view has no legend. */
export function legendWidth(model: TimelineModel, panes: number): number {
  const {view, theme} = model;
  return view.legend(theme, panes).reduce((sum, [text]) => sum + entryWidth(model, text), 0);
}

/** Ends at a point. */
export function drawLegend(drawing: Drawing, model: TimelineModel, panes: number, {x, y}: Point): void {
  const {view, theme, fontPx} = model;
  let right = x;
  for (const [text, colour] of [...view.legend(theme, panes)].reverse()) {
    drawText(drawing, text, {x: right, y}, {colour, font: fontOf(fontPx), align: 'right'});
    right -= entryWidth(model, text);
  }
}

function entryWidth({fontPx}: TimelineModel, text: string): number {
  return textWidth(text, fontPx) + fontPx * 1.2;
}
