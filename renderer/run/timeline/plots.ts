import {changeLinesEm} from './changeLabels.ts';
import {columnsOf} from './columns.ts';
import type {Box} from './drawing.ts';
import {timeScale} from './measures.ts';
import type {Plot, TimelineModel} from './model.ts';
import {NAME_EM, nameLines} from './names.ts';

/** Where each graph of the picture stands. */
export function allPlots(model: TimelineModel): readonly Plot[] {
  return columnsOf(model).flatMap(layOut);
}

/** Where each graph of a column stands: below each other on one axis of time, or several panes in one. */
export function layOut(model: TimelineModel): readonly Plot[] {
  const {height, fontPx, view} = model;
  const graphs = view.graphs(model.panes, model.layout);
  const x = timeScale(model);
  const [from = 0, to = 0] = x.range();
  const first = changeLinesEm(model) * fontPx;
  const graphHeight = (height - first - AXIS_EM * fontPx) / Math.max(model.rows ?? graphs.length, 1);
  return graphs.map((panes, index) => {
    const isLow = graphHeight < LOW_GRAPH_EM * fontPx;
    const namesHeight = fontPx * ((isLow ? 1.3 : 1.5) + (nameLines(model, panes) - 1) * NAME_EM);
    const rowEm = isLow || panes.length > 1 ? 0.8 : 1;
    const stripHeight = view.hasStrip ? fontPx * rowEm * panes.length : 0;
    // marks of packets stand clear of the values, where there are none the next name must
    const gap = isLow && stripHeight > 0 ? 0 : fontPx * 0.4;
    const top = first + index * graphHeight + namesHeight;
    const boxHeight = Math.max(graphHeight - namesHeight - stripHeight - gap, 1);
    const box = {x: from, y: top, width: to - from, height: boxHeight};
    return {box, panes, x, strip: {...box, y: top + boxHeight, height: stripHeight}};
  });
}

/** The row of the graph's strip that is a pane's. */
export function stripOf({strip, panes}: Plot, pane: number): Box {
  const height = strip.height / panes.length;
  return {...strip, y: strip.y + pane * height, height};
}

/** Below the last graph. */
const AXIS_EM = 1.7;
/** Lower graphs give their room to what is drawn in them. */
const LOW_GRAPH_EM = 5;
