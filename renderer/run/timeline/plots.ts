import {changeLinesEm} from './changeLabels.ts';
import type {Box} from './drawing.ts';
import {timeScale} from './measures.ts';
import type {Layout, Plot, TimelineModel, TimelinePane} from './model.ts';
import {NAME_EM, nameLines} from './names.ts';

/** The panes of each graph: in the overlaid layout one graph for all panes, otherwise one graph for each pane. */
export function oneOrEach(panes: readonly TimelinePane[], layout: Layout): readonly (readonly TimelinePane[])[] {
  return layout === 'overlaid' && panes.length > 0 ? [panes] : panes.map(pane => [pane]);
}

/** The most graphs below each other. More graphs would be too low to read, so they are in columns. */
export const MOST_BELOW_EACH_OTHER = 4;

/** Whether a graph shows only one line for each pane, because nobody can follow all lines of more than two panes. */
export function isCrowded({panes}: {readonly panes: readonly TimelinePane[]}): boolean {
  return panes.length > 2;
}

/**
 * The picture's columns from the left, each with its own time axis. Usually there is one column. The graphs of many
 * panes are in several columns, in the same order as the panes' pages.
 */
export function columnsOf(model: TimelineModel): readonly TimelineModel[] {
  const graphs = model.view.graphs(model.panes, model.layout);
  if (graphs.length <= MOST_BELOW_EACH_OTHER) return [model];
  const width = model.width / COLUMNS;
  const rows = Math.ceil(graphs.length / COLUMNS);
  return Array.from({length: COLUMNS}, (_, column) => ({
    ...model,
    panes: graphs.flatMap((panes, graph) => (graph % COLUMNS === column ? panes : [])),
    leftPx: column * width,
    width: (column + 1) * width,
    rows,
    allPanes: model.panes,
  }));
}

/** The column at an x position, CSS px. */
export function columnAt(model: TimelineModel, x: number): TimelineModel {
  const columns = columnsOf(model);
  return columns.find(({width}) => x < width) ?? columns.at(-1) ?? model;
}

/** The number of columns, which is the same as that of the pages in panes.css. */
const COLUMNS = 3;

/** The positions of all graphs of the picture. */
export function allPlots(model: TimelineModel): readonly Plot[] {
  return columnsOf(model).flatMap(layOut);
}

/** The positions of the graphs of a column. The graphs are below each other, above one time axis. */
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
    // the room between the values and the marks of packets, or if there are no marks, the name of the next graph
    const gap = isLow && stripHeight > 0 ? 0 : fontPx * 0.4;
    const top = first + index * graphHeight + namesHeight;
    const boxHeight = Math.max(graphHeight - namesHeight - stripHeight - gap, 1);
    const box = {x: from, y: top, width: to - from, height: boxHeight};
    return {box, panes, x, strip: {...box, y: top + boxHeight, height: stripHeight}};
  });
}

/** The row of a graph's strip that belongs to a pane. */
export function stripOf({strip, panes}: Plot, pane: number): Box {
  const height = strip.height / panes.length;
  return {...strip, y: strip.y + pane * height, height};
}

/** The height for the times below the last graph. */
const AXIS_EM = 1.7;
/** Graphs that are lower than this have smaller margins. */
const LOW_GRAPH_EM = 5;

/** The position of t, CSS px, and whether the graphs show t. */
interface Cursor {
  readonly x: number;
  readonly isInSight: boolean;
}

export function cursorAt(x: Plot['x'], tNs: number): Cursor {
  const at = x(tNs);
  const [left = 0, right = 0] = x.range();
  return {x: at, isInSight: at >= left - 1 && at <= right + 1};
}

/** The part of the cursor in a graph, CSS px. It does not cross the names, which would be hard to read then. */
export function cursorPart({box, strip}: Plot): Box {
  return {x: box.x, y: box.y, width: 0, height: strip.y + strip.height - box.y};
}
