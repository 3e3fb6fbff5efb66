import type {ScaleLinear} from 'd3-scale';
import type {PaneMetrics} from '../../app/metrics/metrics.ts';
import type {Caption} from '../../app/movie/captions.ts';
import type {Trace} from '../../app/trace/trace.ts';
import type {Hovered} from '../hovered.ts';
import type {Theme} from '../objectColours.ts';
import type {TimelineView} from '../store/view.ts';
import {changeLinesEm} from './changeLabels.ts';
import type {Box} from './drawing.ts';
import {scaled, timeScale} from './measures.ts';

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
  /** The graph's name has a line of its own, above its milestones. */
  readonly hasNameApart: boolean;
  /** Below the box: marks of packets. */
  readonly strip: Box;
  /** ns to CSS px. */
  readonly x: ScaleLinear<number, number>;
}

export interface Palette {
  readonly text: string;
  readonly dim: string;
  readonly line: string;
  readonly warning: string;
  readonly accent: string;
}

/** As in theme.css: a canvas has no custom properties. */
export const PALETTES: {readonly [T in Theme]: Palette} = {
  light: {text: '#16191d', dim: '#5a626c', line: '#d3d7dc', warning: '#b3261e', accent: '#1a5fb4'},
  dark: {text: '#f2f4f6', dim: '#a3abb5', line: '#3a4149', warning: '#ff8a80', accent: '#8ab4f8'},
};

/** Where each graph stands: below each other on one axis of time, or all panes in one. */
export function layOut(model: TimelineModel): readonly Plot[] {
  const {panes, height, fontPx, layout} = model;
  const rows = layout === 'overlaid' && panes.length > 0 ? [panes] : panes.map(pane => [pane]);
  const x = timeScale(model);
  const first = changeLinesEm(model) * fontPx;
  const rowHeight = (height - first - AXIS_EM * fontPx) / Math.max(rows.length, 1);
  const isLow = rowHeight < LOW_ROW_EM * fontPx;
  const hasNameApart = model.view === 'percent' && layout === 'overlaid' && panes.length > 1;
  const nameHeight = fontPx * ((isLow ? 1.3 : 1.5) + (hasNameApart ? NAME_EM : 0));
  const stripHeight = model.view === 'percent' ? fontPx * (isLow ? 0.8 : 1) : 0;
  // marks of packets stand clear of the values, where there are none the next name must
  const gap = isLow && stripHeight > 0 ? 0 : fontPx * 0.4;
  return rows.map((each, row) => {
    const top = first + row * rowHeight + nameHeight;
    const boxHeight = Math.max(rowHeight - nameHeight - stripHeight - gap, 1);
    const [from = 0, to = 0] = x.range();
    const box = {x: from, y: top, width: to - from, height: boxHeight};
    return {box, panes: each, x, hasNameApart, strip: {...box, y: top + boxHeight, height: stripHeight}};
  });
}

/** Below the last graph. */
const AXIS_EM = 1.7;
/** A name's line. */
export const NAME_EM = 1.2;
/** Lower rows give their room to the graphs. */
const LOW_ROW_EM = 5;

/** Dashes that tell panes apart in one graph. */
export function dashOf(model: TimelineModel, pane: number): readonly number[] {
  return ([[], [6, 4], [2, 3], [8, 3, 2, 3]][pane] ?? []).map(px => scaled(model, px));
}

export function fontOf(fontPx: number): string {
  return `${fontPx}px system-ui, sans-serif`;
}

/** What a graph is called: its panes. */
export function nameOf({panes}: Plot): string {
  return panes.map(pane => pane.label).join('   ┄   ');
}
