import {MOST_BELOW_EACH_OTHER} from './graphs.ts';
import type {TimelineModel} from './model.ts';

/**
 * The picture's columns, from the left, each a picture with an axis of time. Graphs of many panes stand beside each
 * other as their pages do, row by row: below each other they would be too low to read. Usually one.
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

/** The column at a place, CSS px. */
export function columnAt(model: TimelineModel, x: number): TimelineModel {
  const columns = columnsOf(model);
  return columns.find(({width}) => x < width) ?? columns.at(-1) ?? model;
}

/** As panes.css has the pages of as many. */
const COLUMNS = 3;
