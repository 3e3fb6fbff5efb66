import {scaleLinear} from 'd3-scale';
import {objectColour, type Theme} from '../../../kit/objectColours.ts';
import {isLossUnknown} from '../absence.ts';
import {drawAbsence, drawValues} from '../axes.ts';
import {connectionLegend, hasConnectionColours, mostConnections, senderLine} from '../connections.ts';
import {clipped, type Drawing, drawLine} from '../drawing.ts';
import {senderAt} from '../hits.ts';
import {ghostMarks, textColour} from '../marks.ts';
import {scaled, VALUES_EM} from '../measures.ts';
import type {Plot, TimelineModel, TimelinePane, View} from '../model.ts';
import {dashOf, GHOST_ALPHA, PALETTES, paneColour} from '../palette.ts';
import {isCrowded, oneOrEach} from '../plots.ts';
import {revealedPart} from '../reveal.ts';
import {hasSamples, type Sender, sendersBefore, sendersOf, stepsOf} from '../senders.ts';

/**
 * The congestion window (cwnd), ssthresh and flight size of the servers. Recovery is shaded. If a graph has more than
 * two panes or several connections, it shows only the cwnd. In options and files the view is called `window`.
 */
export const cwnd: View = {
  name: 'window',
  label: 'cwnd',
  key: '5',
  height: 'usual',
  leftEm: VALUES_EM,
  hasStrip: false,
  apartBy: 'dashes',
  hasNameLines: false,
  graphs: oneOrEach,
  legend,
  // the legend inside the picture explains the lines
  marks: panes => ghostMarks(panes, textColour),
  draw,
  hit: (_, plot, point) => senderAt(valueLines(plot), point, 'cwnd'),
};

/** Names the lines of a graph. With more than two panes or several connections, all lines are cwnd. */
function legend(theme: Theme, panes: readonly TimelinePane[]): readonly (readonly [string, string])[] {
  const {text, dim, warning} = PALETTES[theme];
  if (hasConnectionColours(panes)) return [['cwnd of connections', dim], ...connectionLegend(theme, panes)];
  if (!hasAllLines({panes})) return [['cwnd', text]];
  return [
    ['cwnd ━', text],
    ['flight size ━', flightColour(theme)],
    ['ssthresh ┄', dim],
    ['recovery ▨', warning],
  ];
}

function draw(drawing: Drawing, model: TimelineModel, plot: Plot): void {
  const {box, panes} = plot;
  if (!hasSamples(panes)) {
    const why = isLossUnknown(panes) ? 'the server’s congestion window is not known' : 'no congestion window';
    drawAbsence(drawing, model, plot, why);
    return;
  }
  const senders = sendersOf(panes, 'server');
  const ghosts = sendersBefore(panes, 'server');
  const {scale, of: y} = bytesScale(plot);
  drawValues(drawing, model, plot, scale, value => `${value / 1000} KB`);
  clipped(drawing, revealedPart(model, plot, box), () => {
    drawing.globalAlpha = GHOST_ALPHA;
    for (const ghost of ghosts) {
      const colour = paneColour(model, panes.length, ghost.pane);
      const style = {colour, width: scaled(model, 1.5), dash: dashOf(model, ghost.pane)};
      drawLine(drawing, stepsOf(plot.x, ghost, ghost.trace.data.samples.cwndBytes, y), style);
    }
    drawing.globalAlpha = 1;
    for (const sender of senders) drawSender(drawing, model, plot, sender, y);
  });
}

/** The lines to which the pointer can point: cwnd, and the flight size if it is drawn. */
function valueLines(plot: Plot) {
  const y = bytesScale(plot).of;
  return sendersOf(plot.panes, 'server').flatMap(sender => {
    const {cwndBytes, flightBytes} = sender.trace.data.samples;
    const columns = hasAllLines(plot) ? [flightBytes, cwndBytes] : [cwndBytes];
    return columns.map(column => ({sender, points: stepsOf(plot.x, sender, column, y)}));
  });
}

/**
 * Whether a graph shows flight size and ssthresh besides cwnd. With more than two panes or several connections, nobody
 * could follow so many lines.
 */
function hasAllLines({panes}: Pick<Plot, 'panes'>): boolean {
  return !isCrowded({panes}) && mostConnections(panes) === 1;
}

/**
 * The y axis, bytes to CSS px. It has room for every cwnd and flight size. A larger value, such as the initial
 * ssthresh, is drawn at the top.
 */
function bytesScale({box, panes}: Plot) {
  const all = [...sendersOf(panes, 'server'), ...sendersBefore(panes, 'server')];
  const largest = Math.max(1, ...all.map(largestBytes));
  const scale = scaleLinear([0, largest], [box.y + box.height, box.y]).nice();
  return {scale, of: (bytes: number): number => scale(Math.min(bytes, scale.domain()[1] ?? 0))};
}

function drawSender(
  drawing: Drawing,
  model: TimelineModel,
  plot: Plot,
  sender: Sender,
  y: (bytes: number) => number,
): void {
  const {samples} = sender.trace.data;
  const steps = (column: Float64Array) => stepsOf(plot.x, sender, column, y);
  const {colour, dash} = senderLine(model, plot, sender);
  const [thin, thick] = [scaled(model, 1), scaled(model, 2)];
  if (hasAllLines(plot)) {
    drawRecovery(drawing, model, plot, sender);
    const dots = [scaled(model, 2), scaled(model, 4)];
    drawLine(drawing, steps(samples.ssthreshBytes), {colour: PALETTES[model.theme].dim, width: thin, dash: dots});
    drawLine(drawing, steps(samples.flightBytes), {colour: flightColour(model.theme), width: thick, dash});
  }
  drawLine(drawing, steps(samples.cwndBytes), {colour, width: thick, dash});
}

function drawRecovery(drawing: Drawing, model: TimelineModel, plot: Plot, {trace, rows}: Sender): void {
  const {box, x} = plot;
  const {samples, endNs} = trace.data;
  drawing.fillStyle = PALETTES[model.theme].warning;
  for (const [i, row] of rows.entries()) {
    const state = samples.state[row] ?? 0;
    if (state !== FAST_RECOVERY && state !== LOSS_RECOVERY) continue;
    const from = x(samples.atNs[row] ?? 0);
    drawing.globalAlpha = state === LOSS_RECOVERY ? 0.22 : 0.12;
    drawing.fillRect(from, box.y, x(samples.atNs[rows[i + 1] ?? -1] ?? endNs) - from, box.height);
  }
  drawing.globalAlpha = 1;
}

function largestBytes({trace, rows}: Sender): number {
  const {cwndBytes, flightBytes} = trace.data.samples;
  return rows.reduce((most, row) => Math.max(most, cwndBytes[row] ?? 0, flightBytes[row] ?? 0), 0);
}

function flightColour(theme: Theme): string {
  return objectColour(3, theme);
}

/** Values of `SampleColumns.state`. */
const FAST_RECOVERY = 3;
const LOSS_RECOVERY = 4;
