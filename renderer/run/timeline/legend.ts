import {type Drawing, drawText, type Point} from './drawing.ts';
import {textWidth} from './measures.ts';
import type {TimelineModel, TimelinePane} from './model.ts';
import {fontOf} from './palette.ts';

/** The width of a graph's legend and the gap before it, CSS px. It is 0 if the view has no legend. */
export function legendWidth(model: TimelineModel, panes: readonly TimelinePane[]): number {
  const {view, theme} = model;
  return view.legend(theme, panes).reduce((sum, [text]) => sum + entryWidth(model, text), 0);
}

/**
 * Draws the legend so that it ends at a point. If there is no room from `left` on (CSS px), the last entries are left
 * out.
 */
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

/** The gap before each entry. */
const GAP_EM = 1.2;
