import type {Drawing} from './drawing.ts';
import {drawLine, drawText} from './drawing.ts';
import {legendWidth} from './legend.ts';
import {scaled, textWidth, timeScale, VALUES_EM} from './measures.ts';
import type {Plot, TimelineModel, TimelinePane} from './model.ts';
import {dashOf, fontOf, PALETTES, paneColour} from './palette.ts';

/** A pane's name above its graph, and the name's position. */
interface PaneName {
  readonly text: string;
  /** The index of its line of text above the graph, counted downwards from 0. */
  readonly line: number;
  /** Where the sample begins, or the text if there is no sample, CSS px. */
  readonly left: number;
  /** Where the text begins, CSS px. */
  readonly textLeft: number;
  readonly right: number;
}

/**
 * The names of the panes of one graph; none if the view draws them beside separate rows. If panes share the graph and
 * differ by their dashes, each name has a sample of the pane's line before it. A line of text contains as many names as
 * fit, or a single name if the view requires that ({@link View.hasNameLines}).
 */
export function paneNames(model: TimelineModel, panes: readonly TimelinePane[]): readonly PaneName[] {
  const {fontPx, view} = model;
  if (view.apartBy === 'own rows') return [];
  const [edge = 0, to = 0] = timeScale(model).range();
  const from = hasRoomBeside(model) ? (model.leftPx ?? 0) + fontPx * 0.4 : edge;
  const sample = panes.length > 1 && view.apartBy === 'dashes' ? SAMPLE_EM * fontPx : 0;
  const names: PaneName[] = [];
  let [line, left] = [0, saysRowOrder(model, panes) ? from + rowOrderWidth(model) : from];
  for (const pane of panes) {
    const label = model.leftPx === undefined ? pane.label : cut(pane.shortName ?? pane.label, model, from + sample);
    const width = sample + textWidth(label, fontPx * BOLD);
    const most = line === 0 ? to - legendWidth(model, panes) : to;
    const isFull = view.hasNameLines ? names.length > 0 : left + width > most && left > from;
    if (isFull) [line, left] = [line + 1, from];
    names.push({text: label, line, left, textLeft: left + sample, right: left + width});
    left += width + GAP_EM * fontPx;
  }
  return names;
}

/** The number of lines of names above a graph. */
export function nameLines(model: TimelineModel, panes: readonly TimelinePane[]): number {
  if (model.view.apartBy === 'own rows') return 0;
  return Math.max(0, ...paneNames(model, panes).map(({line}) => line)) + 1;
}

/** The y of the middle of a line of names, CSS px. */
export function nameY(model: TimelineModel, plot: Plot, line: number): number {
  return plot.box.y - model.fontPx * (0.75 + (nameLines(model, plot.panes) - 1 - line) * NAME_EM);
}

export function drawNames(drawing: Drawing, model: TimelineModel, plot: Plot): void {
  const {text, dim} = PALETTES[model.theme];
  const font = fontOf(model.fontPx);
  const names = paneNames(model, plot.panes);
  for (const [pane, name] of names.entries()) {
    const y = nameY(model, plot, name.line);
    if (name.textLeft > name.left) drawSample(drawing, model, plot, pane, {x: name.left, y});
    drawText(drawing, name.text, {x: name.textLeft, y}, {colour: text, font: `600 ${font}`});
  }
  if (!saysRowOrder(model, plot.panes)) return;
  drawText(drawing, ROW_ORDER, {x: plot.box.x, y: nameY(model, plot, 0)}, {colour: dim, font});
}

/** Draws a short sample of a pane's line at a point, CSS px. */
export function drawSample(
  drawing: Drawing,
  model: TimelineModel,
  plot: Plot,
  pane: number,
  {x, y}: {readonly x: number; readonly y: number},
): void {
  const points = [
    {x, y},
    {x: x + (SAMPLE_EM - 0.4) * model.fontPx, y},
  ];
  const colour = paneColour(model, plot.panes.length, pane);
  drawLine(drawing, points, {colour, width: scaled(model, 2), dash: dashOf(model, pane)});
}

/** Shortens a name so that it fits into a column. */
function cut(label: string, {width, fontPx}: TimelineModel, left: number): string {
  const most = Math.floor((width - left) / textWidth('m', fontPx * BOLD));
  return label.length > most ? `${label.slice(0, Math.max(most - 1, 1)).trimEnd()}…` : label;
}

/** Whether a pane's name may begin at the left edge of its column, above the names of the rows beside the graph. */
function hasRoomBeside({view, leftPx}: TimelineModel): boolean {
  return leftPx !== undefined && view.leftEm > VALUES_EM;
}

function saysRowOrder({view}: TimelineModel, panes: readonly TimelinePane[]): boolean {
  return panes.length > 1 && view.apartBy === 'rows';
}

function rowOrderWidth({fontPx}: TimelineModel): number {
  return textWidth(ROW_ORDER, fontPx) + GAP_EM * fontPx;
}

const ROW_ORDER = 'in each row, from the top:';
/** The height of a line of names. */
export const NAME_EM = 1.3;
export const SAMPLE_EM = 2.6;
const GAP_EM = 1.6;
/** The width of bold text as a multiple of the width of plain text. */
const BOLD = 1.08;
