import {type Drawing, drawText, type Point} from './drawing.ts';
import {textWidth} from './measures.ts';
import type {TimelineModel, TimelinePane} from './model.ts';
import {fontOf} from './palette.ts';

/** Of a graph of these panes, CSS px, with the room before it; 0 if the view has no legend. */
export function legendWidth(model: TimelineModel, panes: readonly TimelinePane[]): number {
  const {view, theme} = model;
  return view.legend(theme, panes).reduce((sum, [text]) => sum + entryWidth(model, text), 0);
}

/** Ends at a point; as many entries, from the first, as have room from `left` (CSS px) on. */
export function drawLegend(
  drawing: Drawing,
  model: TimelineModel,
  panes: readonly TimelinePane[],
  left: number,
  {x, y}: Point,
): void {
  const {view, theme, fontPx} = model;
  let width = -GAP_EM * fontPx;
  const entries = view.legend(theme, panes).filter(([text]) => {
    width += entryWidth(model, text);
    return width <= x - left;
  });
  let right = x;
  for (const [text, colour] of entries.reverse()) {
    drawText(drawing, text, {x: right, y}, {colour, font: fontOf(fontPx), align: 'right'});
    right -= entryWidth(model, text);
  }
}

function entryWidth({fontPx}: TimelineModel, text: string): number {
  return textWidth(text, fontPx) + GAP_EM * fontPx;
}

/** Before each entry. */
const GAP_EM = 1.2;
