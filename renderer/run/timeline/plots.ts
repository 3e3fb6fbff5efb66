import {changeLinesEm} from './changeLabels.ts';
import type {Box} from './drawing.ts';
import {type TimeAxis, timeScale} from './measures.ts';
import type {Layout, Plot, TimelineModel, TimelinePane} from './model.ts';
import {NAME_EM, nameLines} from './names.ts';

/** The panes of each graph: in the overlaid layout one graph for all panes, otherwise one graph for each pane. */
export function oneOrEach(panes: readonly TimelinePane[], layout: Layout): readonly (readonly TimelinePane[])[] {
  return layout === 'overlaid' && panes.length > 0 ? [panes] : panes.map(pane => [pane]);
}

/** The largest number of graphs below each other. More graphs would be too low to read, so they are in columns. */
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
  const columns = columnCount(model, graphs);
  if (columns === 1) return [model];
  const width = model.width / columns;
  const rows = Math.ceil(graphs.length / columns);
  return Array.from({length: columns}, (_, column) => ({
    ...model,
    panes: graphs.flatMap((panes, graph) => (graph % columns === column ? panes : [])),
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

type Graphs = readonly (readonly TimelinePane[])[];

/**
 * The number of columns of graphs. More than four graphs are in up to three columns. Four graphs are in up to two
 * columns if they would be too low below each other. Fewer graphs are in one column.
 */
function columnCount(model: TimelineModel, graphs: Graphs): number {
  if (graphs.length > MOST_BELOW_EACH_OTHER)
    return model.leastPlotPx === undefined ? COLUMNS : columnsWithin(model, COLUMNS);
  if (graphs.length < MOST_BELOW_EACH_OTHER || model.leastPlotPx === undefined) return 1;
  return model.height < stackedPx(model, graphs, 1) ? columnsWithin(model, 2) : 1;
}

/** At most `most` columns, and so few that each column has room for the name of its pane. */
function columnsWithin({width, fontPx}: Pick<TimelineModel, 'width' | 'fontPx'>, most: number): number {
  return Math.max(Math.min(most, Math.floor(width / (LEAST_COLUMN_EM * fontPx))), 1);
}

/** What the least height of a picture depends on. */
type LeastModel = TimeAxis & Pick<TimelineModel, 'panes' | 'layout' | 'changes' | 'leastPlotPx'>;

/**
 * The least height of a picture in which every graph has its least height, CSS px. Four graphs need only the height of
 * two if they can be in two columns.
 */
export function leastTimelinePx(model: LeastModel): number {
  const graphs = model.view.graphs(model.panes, model.layout);
  const most = graphs.length > MOST_BELOW_EACH_OTHER ? COLUMNS : graphs.length === MOST_BELOW_EACH_OTHER ? 2 : 1;
  return stackedPx(model, graphs, columnsWithin(model, most));
}

/** The height of these graphs in columns, if each graph has its least height, CSS px. */
function stackedPx(model: LeastModel, graphs: Graphs, columns: number): number {
  const {fontPx, view, leastPlotPx = 0} = model;
  const openPx = leastPlotPx + fontPx * (NAMES_EM + (view.hasStrip ? STRIP_EM : 0) + GAP_EM);
  const heights = Array.from({length: columns}, (_, column) => {
    const own = graphs.filter((_, graph) => graph % columns === column);
    return own.reduce((sum, panes) => sum + (isFolded(model, panes) ? FOLDED_EM * fontPx : openPx), 0);
  });
  // in narrow columns the texts of changes need more lines
  const first = columns === 1 ? model : {...model, leftPx: 0, width: model.width / columns};
  return (changeLinesEm(first) + AXIS_EM) * fontPx + Math.max(...heights, 0);
}

/** Whether a graph is folded to a strip. Only a graph of a single pane can be folded. */
function isFolded({view}: Pick<TimelineModel, 'view'>, panes: readonly TimelinePane[]): boolean {
  return panes.length === 1 && panes[0]?.isFolded === true && view.apartBy !== 'own rows';
}

/** The number of columns if there are many graphs. The pages have the same number of columns (panes.css). */
const COLUMNS = 3;
/** The least width of a column, em. */
const LEAST_COLUMN_EM = 16;
/** The least height of a graph in the window, CSS px. */
export const LEAST_PLOT_PX = 48;

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
  const folded = graphs.filter(panes => isFolded(model, panes)).length;
  const openHeight = height - first - (AXIS_EM + folded * FOLDED_EM) * fontPx;
  const graphHeight = openHeight / Math.max((model.rows ?? graphs.length) - folded, 1);
  let nextTop = first;
  return graphs.map((panes): Plot => {
    const isStrip = isFolded(model, panes);
    const isLow = graphHeight < LOW_GRAPH_EM * fontPx;
    const namesHeight =
      fontPx * ((isLow || isStrip ? LOW_NAMES_EM : NAMES_EM) + (nameLines(model, panes) - 1) * NAME_EM);
    const rowEm = isLow || panes.length > 1 ? 0.8 : STRIP_EM;
    const stripHeight = isStrip ? fontPx * 0.8 : view.hasStrip ? fontPx * rowEm * panes.length : 0;
    // the room below the graph and its strip; a low graph with a strip has none
    const gap = isLow && stripHeight > 0 ? 0 : fontPx * GAP_EM;
    const top = nextTop + namesHeight;
    nextTop += isStrip ? FOLDED_EM * fontPx : graphHeight;
    const boxHeight = isStrip ? 0 : Math.max(graphHeight - namesHeight - stripHeight - gap, 1);
    const box = {x: from, y: top, width: to - from, height: boxHeight};
    const strip = {...box, y: top + boxHeight, height: stripHeight};
    return {box, panes, x, strip, ...(isStrip ? {isFolded: true} : {})};
  });
}

/** The row of a graph's strip that belongs to a pane. */
export function stripOf({strip, panes}: Plot, pane: number): Box {
  const height = strip.height / panes.length;
  return {...strip, y: strip.y + pane * height, height};
}

/** The heights of a pane's name (in a usual and in a low graph), of a strip, and of the room below a graph, em. */
const NAMES_EM = 1.5;
const LOW_NAMES_EM = 1.3;
const STRIP_EM = 1;
const GAP_EM = 0.4;
/** The height of a folded graph: its name and its strip. */
const FOLDED_EM = 2.3;
/** The height for the times below the last graph. */
const AXIS_EM = 1.7;
/** Graphs that are lower than this have smaller margins. */
const LOW_GRAPH_EM = 5;

/** The x of the cursor for a time t, CSS px, and whether t is in the visible part of the run. */
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
