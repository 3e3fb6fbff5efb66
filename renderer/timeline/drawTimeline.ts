import type {TimelineView} from '../store/view.ts';
import {drawAxes} from './axes.ts';
import type {Drawing} from './drawing.ts';
import {drawPackets} from './drawPackets.ts';
import {drawPercent} from './drawPercent.ts';
import {drawWaterfall} from './drawWaterfall.ts';
import {drawWindow} from './drawWindow.ts';
import {layOut, type Plot, type TimelineModel} from './plots.ts';

/** The whole picture but the cursor. A function of the model alone. */
export function drawTimeline(drawing: Drawing, model: TimelineModel): void {
  const plots = layOut(model);
  drawAxes(drawing, model, plots);
  for (const plot of plots) VIEWS[model.view](drawing, model, plot);
}

const VIEWS: {readonly [V in TimelineView]: (drawing: Drawing, model: TimelineModel, plot: Plot) => void} = {
  percent: drawPercent,
  waterfall: drawWaterfall,
  packets: drawPackets,
  window: drawWindow,
};
