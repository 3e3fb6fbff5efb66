import {drawAxes} from './axes.ts';
import {columnsOf} from './columns.ts';
import {drawCause} from './drawCause.ts';
import type {Drawing} from './drawing.ts';
import {drawModel} from './drawModel.ts';
import {drawLegend} from './legend.ts';
import {lossObjects} from './losses.ts';
import type {Plot, TimelineModel} from './model.ts';
import {nameY, paneNames} from './names.ts';
import {layOut} from './plots.ts';
import {revealedNs} from './reveal.ts';

/** The whole picture but the cursor. A function of the model alone. */
export function drawTimeline(drawing: Drawing, model: TimelineModel): void {
  for (const column of columnsOf(model)) drawColumn(drawing, column);
}

function drawColumn(drawing: Drawing, model: TimelineModel): void {
  const plots = layOut(model);
  drawAxes(drawing, model, plots);
  for (const plot of plots) {
    model.view.draw(drawing, modelIn(model, plot), plot);
    drawModel(drawing, model, plot);
    if (model.view.tellsLosses !== true) drawCause(drawing, model, plot);
    const {box, panes} = plot;
    const [first] = paneNames(model, panes);
    const place = {x: box.x + box.width, y: nameY(model, plot, 0)};
    drawLegend(drawing, model, panes, first?.right ?? box.x, place);
  }
}

/** In the graph of a loss that is explained its objects stand out, unless others are pointed at. */
function modelIn(model: TimelineModel, {panes}: Plot): TimelineModel {
  const {explained, hovered} = model;
  const isExplained = explained != null && panes.some(({trace}) => trace === explained.trace);
  if (!isExplained || hovered.size > 0) return model;
  const {trace, cause} = explained;
  return {...model, hovered: new Set(lossObjects(trace, cause.packet, revealedNs(model)))};
}
