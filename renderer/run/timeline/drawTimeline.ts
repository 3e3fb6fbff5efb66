import {drawAxes} from './axes.ts';
import {drawCapacity, drawCapacityText} from './drawCapacity.ts';
import {drawCause} from './drawCause.ts';
import type {Drawing} from './drawing.ts';
import {drawPrediction} from './drawPrediction.ts';
import {lossObjects} from './explainedLoss.ts';
import {drawFolded} from './folded.ts';
import {drawLegend} from './legend.ts';
import type {Plot, TimelineModel} from './model.ts';
import {nameY, paneNames} from './names.ts';
import {columnsOf, layOut} from './plots.ts';
import {revealedNs} from './reveal.ts';

/** Draws the whole picture except the cursor. The picture depends only on the model. */
export function drawTimeline(drawing: Drawing, model: TimelineModel): void {
  for (const column of columnsOf(model)) drawColumn(drawing, column);
}

function drawColumn(drawing: Drawing, model: TimelineModel): void {
  const plots = layOut(model);
  drawAxes(drawing, model, plots);
  const firstOpen = plots.find(({isFolded}) => isFolded !== true);
  for (const plot of plots) {
    if (plot.isFolded) {
      drawFolded(drawing, model, plot);
      continue;
    }
    drawCapacity(drawing, model, plot);
    if (plot === firstOpen) drawCapacityText(drawing, model, plot);
    model.view.draw(drawing, modelIn(model, plot), plot);
    drawPrediction(drawing, model, plot);
    if (model.view.showsLosses !== true) drawCause(drawing, model, plot);
    const {box, panes} = plot;
    const [first] = paneNames(model, panes);
    const place = {x: box.x + box.width, y: nameY(model, plot, 0)};
    drawLegend(drawing, model, panes, first?.right ?? box.x, place);
  }
}

/**
 * The model for one graph. If the graph shows the pane of the explained loss, the loss's objects are highlighted,
 * unless an object is hovered.
 */
function modelIn(model: TimelineModel, {panes}: Plot): TimelineModel {
  const {explained, hovered} = model;
  const isExplained = explained != null && panes.some(({trace}) => trace === explained.trace);
  if (!isExplained || hovered.size > 0) return model;
  const {trace, cause} = explained;
  return {...model, hovered: new Set(lossObjects(trace, cause.packet, revealedNs(model)))};
}
