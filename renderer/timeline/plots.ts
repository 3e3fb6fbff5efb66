import type {ScaleLinear} from 'd3-scale';
import type {PaneMetrics} from '../../app/metrics/metrics.ts';
import type {Caption} from '../../app/movie/captions.ts';
import type {Trace} from '../../app/trace/trace.ts';
import type {Hovered} from '../hovered.ts';
import type {Theme} from '../objectColours.ts';
import type {TimelineView} from '../store/view.ts';
import {changeLinesEm} from './changeLabels.ts';
import type {Box} from './drawing.ts';
import {timeScale} from './measures.ts';
import {NAME_EM, nameLines} from './names.ts';

/** One pane of the run, and what it is called. */
export interface TimelinePane {
  readonly trace: Trace;
  readonly metrics: PaneMetrics;
  readonly label: string;
}

/** Everything that the timeline's picture depends on, but t. */
export interface TimelineModel {
  readonly panes: readonly TimelinePane[];
  readonly view: TimelineView;
  readonly layout: 'stacked' | 'overlaid';
  readonly theme: Theme;
  readonly hovered: Hovered;
  readonly selected: number | null;
  /** When the path changes, and to what. */
  readonly changes: readonly Caption[];
  /** The whole picture, CSS px. */
  readonly width: number;
  readonly height: number;
  readonly fontPx: number;
  /** What of the run is on show. */
  readonly fromNs: number;
  readonly toNs: number;
}

/** A graph with its scale of time; `panes` are drawn in it. */
export interface Plot {
  readonly box: Box;
  readonly panes: readonly TimelinePane[];
  /** Below the box: marks of packets, a row for each pane. */
  readonly strip: Box;
  /** ns to CSS px. */
  readonly x: ScaleLinear<number, number>;
}

/** Where each graph stands: below each other on one axis of time, or several panes in one. */
export function layOut(model: TimelineModel): readonly Plot[] {
  const {height, fontPx} = model;
  const graphs = graphsOf(model);
  const x = timeScale(model);
  const [from = 0, to = 0] = x.range();
  const first = changeLinesEm(model) * fontPx;
  const graphHeight = (height - first - AXIS_EM * fontPx) / Math.max(graphs.length, 1);
  return graphs.map((panes, index) => {
    const isLow = graphHeight < LOW_GRAPH_EM * fontPx;
    const namesHeight = fontPx * ((isLow ? 1.3 : 1.5) + (nameLines(model, panes) - 1) * NAME_EM);
    const rowEm = isLow || panes.length > 1 ? 0.8 : 1;
    const stripHeight = model.view === 'percent' ? fontPx * rowEm * panes.length : 0;
    // marks of packets stand clear of the values, where there are none the next name must
    const gap = isLow && stripHeight > 0 ? 0 : fontPx * 0.4;
    const top = first + index * graphHeight + namesHeight;
    const boxHeight = Math.max(graphHeight - namesHeight - stripHeight - gap, 1);
    const box = {x: from, y: top, width: to - from, height: boxHeight};
    return {box, panes, x, strip: {...box, y: top + boxHeight, height: stripHeight}};
  });
}

/**
 * The panes of each graph. Overlaid, those whose numbers are of one kind share it: bytes and TSNs have no scale in
 * common. Rows of objects of many panes would be too low to read, so those share them.
 */
function graphsOf({panes, view, layout}: TimelineModel): readonly (readonly TimelinePane[])[] {
  const isShared = layout === 'overlaid' || (view === 'waterfall' && panes.length > 2);
  if (!isShared || panes.length === 0) return panes.map(pane => [pane]);
  if (view !== 'packets') return [panes];
  const kinds = [...new Set(panes.map(({trace}) => trace.data.pipeline))];
  return kinds.map(kind => panes.filter(({trace}) => trace.data.pipeline === kind));
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
