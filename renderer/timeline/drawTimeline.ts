import {drawAxes} from './axes.ts';
import type {Drawing} from './drawing.ts';
import {drawLegend} from './legend.ts';
import type {TimelineModel} from './model.ts';
import {nameY, paneNames} from './names.ts';
import {layOut} from './plots.ts';

/** The whole picture but the cursor. A function of the model alone. */
export function drawTimeline(drawing: Drawing, model: TimelineModel): void {
  const plots = layOut(model);
  drawAxes(drawing, model, plots);
  for (const plot of plots) {
    model.view.draw(drawing, model, plot);
    const {box, panes} = plot;
    const [first] = paneNames(model, panes);
    const place = {x: box.x + box.width, y: nameY(model, plot, 0)};
    drawLegend(drawing, model, panes.length, first?.right ?? box.x, place);
  }
}
