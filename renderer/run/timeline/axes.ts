import {changeLabels, changeLinesEm, LINE_EM} from './changeLabels.ts';
import {type Drawing, drawLine, drawText} from './drawing.ts';
import {scaled, textWidth} from './measures.ts';
import type {Plot, TimelineModel} from './model.ts';
import {drawNames} from './names.ts';
import {fontOf, PALETTES} from './palette.ts';
import {revealedNs} from './reveal.ts';

/** Draws the times below the last graph, the grid lines, the changes of the path, and the names of the panes. */
export function drawAxes(drawing: Drawing, model: TimelineModel, plots: readonly Plot[]): void {
  const palette = PALETTES[model.theme];
  const font = fontOf(model.fontPx);
  const last = plots.at(-1);
  if (last === undefined) return;
  const seconds = last.x.copy().domain(last.x.domain().map(ns => ns / 1e9));
  const ticks = seconds.ticks(Math.max(2, (model.width - (model.leftPx ?? 0)) / (model.fontPx * 7)));
  const format = seconds.tickFormat(ticks.length);
  for (const plot of plots) {
    const bottom = plot.strip.y + plot.strip.height;
    for (const tick of ticks) drawVertical(drawing, model, seconds(tick), plot.box.y, bottom, palette.line);
    drawNames(drawing, model, plot);
  }
  drawChanges(drawing, model, plots);
  const y = last.strip.y + last.strip.height + model.fontPx * 0.9;
  for (const tick of ticks) {
    const text = `${format(tick)} s`;
    // after zooming, a tick may be at the right edge
    const x = Math.min(seconds(tick), model.width - textWidth(text, model.fontPx) / 2);
    drawText(drawing, text, {x, y}, {colour: palette.dim, font, align: 'center'});
  }
}

/**
 * Draws a line through each graph for each change of the path that the picture may show ({@link revealedNs}), and the
 * change's text above all graphs if there is room. No line crosses a text.
 */
function drawChanges(drawing: Drawing, model: TimelineModel, plots: readonly Plot[]): void {
  const {accent} = PALETTES[model.theme];
  const dash = [scaled(model, 4), scaled(model, 3)];
  const top = changeLinesEm(model) * model.fontPx;
  for (const {atNs, x, text, left, line} of changeLabels(model)) {
    if (atNs > revealedNs(model)) continue;
    for (const {box, strip} of plots) drawVertical(drawing, model, x, box.y, strip.y + strip.height, accent, dash);
    if (line === undefined) continue;
    const y = top - (line + 0.5) * LINE_EM * model.fontPx;
    drawText(drawing, text, {x: left, y}, {colour: accent, font: fontOf(model.fontPx)});
    drawVertical(drawing, model, x, y - model.fontPx / 2, top, accent, dash);
  }
}

/** Draws the values of the y axis to the left of a graph, and lines across the graph. */
export function drawValues(
  drawing: Drawing,
  model: TimelineModel,
  plot: Plot,
  y: ((value: number) => number) & {ticks(count: number): number[]},
  format: (value: number) => string,
): void {
  const palette = PALETTES[model.theme];
  const count = Math.max(2, Math.min(4, plot.box.height / (model.fontPx * 1.6)));
  let labelled = Number.POSITIVE_INFINITY;
  for (const value of y.ticks(count)) {
    const at = y(value);
    const points = [
      {x: plot.box.x, y: at},
      {x: plot.box.x + plot.box.width, y: at},
    ];
    drawLine(drawing, points, {colour: palette.line, width: scaled(model, 1)});
    if (Math.abs(at - labelled) < model.fontPx) continue; // no room for the label
    labelled = at;
    const place = {x: plot.box.x - model.fontPx * 0.4, y: Math.min(at, lowestLabelY(model, plot))};
    drawText(drawing, format(value), place, {
      colour: palette.dim,
      font: fontOf(model.fontPx),
      align: 'right',
    });
  }
}

/**
 * Returns the lowest position that the middle of a label may have, as y in CSS px. If several panes share the graph,
 * samples of their lines are below the graph, and labels must not cover these samples.
 */
function lowestLabelY({fontPx}: TimelineModel, {box, panes, strip}: Plot): number {
  const hasSamples = panes.length > 1 && strip.height > 0;
  return box.y + box.height - (hasSamples ? 0.4 * fontPx : 0);
}

/** Writes into the middle of an empty graph why it is empty. */
export function drawAbsence(drawing: Drawing, {theme, fontPx}: TimelineModel, {box}: Plot, why: string): void {
  const place = {x: box.x + box.width / 2, y: box.y + box.height / 2};
  drawText(drawing, why, place, {colour: PALETTES[theme].dim, font: fontOf(fontPx), align: 'center'});
}

export function drawVertical(
  drawing: Drawing,
  model: TimelineModel,
  x: number,
  from: number,
  to: number,
  colour: string,
  dash: readonly number[] = [],
): void {
  const points = [
    {x, y: from},
    {x, y: to},
  ];
  drawLine(drawing, points, {colour, width: scaled(model, 1), dash});
}
