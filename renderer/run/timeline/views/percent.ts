import {type ScaleLinear, scaleLinear} from 'd3-scale';
import type {Trace} from '../../../../app/run/trace/trace.ts';
import type {Axis} from '../../../../app/telling/movie/options.ts';
import {objectColour} from '../../../kit/objectColours.ts';
import {type Hovered, isDimmed} from '../../../session/hovered.ts';
import {drawValues, drawVertical} from '../axes.ts';
import {type Box, clipped, type Drawing, drawLine, drawText, type Point} from '../drawing.ts';
import {nearest} from '../hits.ts';
import {
  areaMark,
  barMark,
  ecnMarks,
  ghostMarks,
  lossMarks,
  milestoneMark,
  predictionMarks,
  stepsMark,
  textColour,
  waitMarks,
} from '../marks.ts';
import {scaled, VALUES_EM} from '../measures.ts';
import {heading, isEnd, milestones} from '../milestones.ts';
import type {Hit, Layout, Mark, Plot, TimelineModel, TimelinePane, View} from '../model.ts';
import {nameY, paneNames} from '../names.ts';
import {dashOf, fontOf, GHOST_ALPHA, PALETTES, paneColour} from '../palette.ts';
import {isCrowded, oneOrEach} from '../plots.ts';
import {revealedPart} from '../reveal.ts';
import {percentSteps} from '../steps.ts';
import {drawStrip, lossAt} from '../strip.ts';
import {yAxisOf} from '../yAxes.ts';

/**
 * A line for each object: its percentage over time. The y axis defines what is counted (yAxes.ts): bytes, scans, or
 * what can be seen. Data that waited is shaded, and lost packets are marked below the graph. If the axis counts what
 * can be seen, the page has a bold line, too. If a graph has more than two panes, each pane has a line for its whole
 * page, and an object has a line only if it is highlighted or selected.
 */
export const percent: View = {
  name: 'percent',
  label: 'percent',
  key: '2',
  height: 'usual',
  leftEm: VALUES_EM,
  hasStrip: true,
  apartBy: 'dashes',
  hasNameLines: true,
  predictionAt: 'bottom',
  graphs: oneOrEach,
  legend: () => [],
  marks,
  draw,
  hit: (model, plot, point) => (point.y > plot.strip.y ? lossAt(model, plot, point) : lineAt(model, plot, point)),
};

function marks(panes: readonly TimelinePane[], layout: Layout, axis: Axis): readonly Mark[] {
  const isOfPages = layout === 'overlaid' && isCrowded({panes});
  return [
    isOfPages
      ? stepsMark(`a page: % of its ${COUNTED[axis]}`, textColour)
      : stepsMark(`an object: % of its ${COUNTED[axis]}, in the colour of its frame`),
    ...(isOfPages ? [] : waitMarks(panes, areaMark('arrived, had to wait', 0.22))),
    ...lossMarks(panes),
    ...ecnMarks(panes),
    ...(panes.some(({metrics}) => metrics.retransmitted > 0) ? [barMark('sent again', 10)] : []),
    ...(axis === 'visual' && !isOfPages ? [stepsMark('the page: visual progress', textColour)] : []),
    ...(isOfPages
      ? []
      : [milestoneMark(axis === 'visual' ? 'recognisable, good, visually 85 %' : 'all at 25, 50, 75 %', [2, 3])]),
    milestoneMark('page complete', []),
    ...predictionMarks(panes),
    ...ghostMarks(panes, isOfPages ? textColour : undefined),
  ];
}

function draw(drawing: Drawing, model: TimelineModel, plot: Plot): void {
  const {box, x} = plot;
  const y = percentScale(plot);
  drawValues(drawing, model, plot, y, value => `${value} %`);
  for (const [pane, {trace, before}] of plot.panes.entries()) {
    drawMilestones(drawing, model, plot, pane);
    const {width} = revealedPart(model, plot, box);
    const room = {...box, width, y: box.y - scaled(model, 2), height: box.height + scaled(model, 4)};
    clipped(drawing, room, () => {
      if (before !== undefined) drawBefore(drawing, model, plot, pane, before);
      if (hasPageLine(model, plot)) drawPage(drawing, model, plot, pane, trace);
      for (const object of inOrder(shownObjects(model, plot, trace), model.hovered)) {
        drawing.globalAlpha = isDimmed(model.hovered, object) ? 0.15 : 1;
        const colour = objectColour(object, model.theme);
        drawWaiting(drawing, model, trace, object, point => ({x: x(point.x), y: y(point.y)}), colour);
        drawLine(drawing, linePoints(model, plot, trace, object), {
          colour,
          width: scaled(model, isMarkedIn(model, object) ? 4 : 2),
          dash: dashOf(model, pane),
        });
      }
      drawing.globalAlpha = 1;
    });
    drawStrip(drawing, model, plot, pane);
  }
}

/** Whether a graph has a line for each page. */
function hasPageLine(model: TimelineModel, plot: Plot): boolean {
  return isCrowded(plot) || yAxisOf(model).hasPageLine;
}

/** Draws the lines of the previous run faintly: those of its objects, and that of its page if pages have lines. */
function drawBefore(drawing: Drawing, model: TimelineModel, plot: Plot, pane: number, before: Trace): void {
  if (hasPageLine(model, plot)) drawPage(drawing, model, plot, pane, before, GHOST_ALPHA);
  drawing.globalAlpha = GHOST_ALPHA;
  const dash = dashOf(model, pane);
  for (const object of shownObjects(model, plot, before)) {
    const colour = objectColour(object, model.theme);
    drawLine(drawing, linePoints(model, plot, before, object), {colour, width: scaled(model, 1.5), dash});
  }
  drawing.globalAlpha = 1;
}

function drawPage(drawing: Drawing, model: TimelineModel, plot: Plot, pane: number, trace: Trace, alpha = 1): void {
  const {panes, x} = plot;
  const y = percentScale(plot);
  drawing.globalAlpha = model.hovered.size > 0 ? 0.35 * alpha : alpha;
  const points = yAxisOf(model)
    .pageSteps(trace)
    .map(point => ({x: x(point.x), y: y(point.y)}));
  const colour = paneColour(model, panes.length, pane);
  const width = scaled(model, isCrowded(plot) ? 2.5 : 4);
  drawLine(drawing, points, {colour, width, dash: dashOf(model, pane)});
  drawing.globalAlpha = 1;
}

function isMarkedIn({hovered, selected}: TimelineModel, object: number): boolean {
  return hovered.has(object) || object === selected;
}

/** The objects that have lines. */
function shownObjects(model: TimelineModel, plot: Plot, trace: Trace): readonly number[] {
  const {percentOf} = yAxisOf(model);
  return Array.from(trace.objects.keys()).filter(
    object => percentOf(trace, object, 0) !== null && (!isCrowded(plot) || isMarkedIn(model, object)),
  );
}

/** Sorts objects so that highlighted objects are drawn last, over the others. */
function inOrder(objects: readonly number[], hovered: Hovered): readonly number[] {
  return [...objects].sort((a, b) => Number(hovered.has(a)) - Number(hovered.has(b)));
}

/** The line of an object, CSS px. */
function linePoints(model: TimelineModel, plot: Plot, trace: Trace, object: number): readonly Point[] {
  const y = percentScale(plot);
  const {percentOf} = yAxisOf(model);
  return percentSteps(
    trace,
    object,
    model.toNs,
    bytes => percentOf(trace, object, bytes) ?? 0,
    (atNs, percent) => ({x: plot.x(atNs), y: y(percent)}),
  );
}

function percentScale({box}: Plot): ScaleLinear<number, number> {
  return scaleLinear([0, 100], [box.y + box.height, box.y]);
}

/**
 * Shades the data of an object that has arrived at the client's host and waits there for earlier data. The shaded area
 * lies between the percentage that was delivered to the page and the percentage that has arrived at the host.
 */
function drawWaiting(
  drawing: Drawing,
  model: TimelineModel,
  trace: Trace,
  object: number,
  place: (point: Point) => Point,
  colour: string,
): void {
  const {percentOf} = yAxisOf(model);
  for (const {startNs, endNs, bytes} of trace.blockedOf(object)) {
    const shown = trace.bytesAt(object, startNs);
    const [percent, waiting] = [shown, shown + bytes].map(each => percentOf(trace, object, each) ?? 0);
    const [from, to] = [place({x: startNs, y: waiting ?? 0}), place({x: endNs, y: percent ?? 0})];
    const alpha = drawing.globalAlpha;
    drawing.globalAlpha = alpha * 0.22;
    drawing.fillStyle = colour;
    drawing.fillRect(from.x, from.y, to.x - from.x, Math.max(to.y - from.y, 2));
    drawing.globalAlpha = alpha;
  }
}

/**
 * Draws a vertical line at each milestone of the page, such as the time when all objects have 25 % of their bytes. The
 * labels are above the graph, to the right of the pane's name.
 */
function drawMilestones(drawing: Drawing, model: TimelineModel, plot: Plot, pane: number): void {
  const {box, panes} = plot;
  const {dim} = PALETTES[model.theme];
  const dots = [scaled(model, 2), scaled(model, 3)];
  const colour = isCrowded(plot) ? paneColour(model, panes.length, pane) : dim;
  for (const {key, x} of milestones(model, plot, pane)) {
    const dash = panes.length === 1 && !isEnd({key}) ? dots : dashOf(model, pane);
    drawVertical(drawing, model, x, box.y, box.y + box.height, colour, dash);
  }
  const y = nameY(model, plot, paneNames(model, panes)[pane]?.line ?? 0);
  const font = fontOf(model.fontPx);
  const {note, labels} = heading(model, plot, pane);
  if (note !== undefined) drawText(drawing, note.text, {x: note.left, y}, {colour: dim, font});
  const nameRight = paneNames(model, panes)[pane]?.right ?? box.x;
  for (const {text, keys, from, to, isBefore} of labels) {
    // the lines of these milestones extend up to the label, to show that the label belongs to them
    const own = milestones(model, plot, pane).filter(({key, x}) => keys.includes(key) && x > nameRight);
    if (panes.length === 1)
      for (const {x} of own) drawVertical(drawing, model, x, y - FLAG_EM * model.fontPx, box.y, dim);
    const align = isBefore ? 'right' : 'left';
    drawText(drawing, text, {x: isBefore ? to : from, y}, {colour: dim, font, align});
  }
}

/** The object whose line in the graph is nearest to a point. */
function lineAt(model: TimelineModel, plot: Plot, point: Point): Hit | undefined {
  const part = revealedPart(model, plot, plot.box);
  const lines = plot.panes.flatMap(({trace}) =>
    shownObjects(model, plot, trace).map(object => ({
      hit: {kind: 'object', object, trace} as const,
      distance: distanceTo(linePoints(model, plot, trace, object), part, point),
    })),
  );
  return nearest(lines, NEAR_LINE_PX);
}

/** The distance to the nearest visible step of a line, CSS px. Each step is horizontal or vertical. */
function distanceTo(line: readonly Point[], {x: left, width}: Box, {x, y}: Point): number {
  let least = Number.POSITIVE_INFINITY;
  for (const [i, to] of line.entries()) {
    const from = line[i - 1] ?? to;
    const [start, end] = [Math.max(from.x, left), Math.min(to.x, left + width)];
    if (start > end) continue;
    const across = Math.max(start - x, 0, x - end);
    const up = Math.max(to.y - y, 0, y - from.y);
    least = Math.min(least, Math.hypot(across, up));
  }
  return least;
}

/** How far the line of a milestone rises above the middle of its label. */
const FLAG_EM = 0.55;
/** What the y axis counts. */
const COUNTED = {bytes: 'bytes', scans: 'scans', visual: 'final look'} as const satisfies {
  readonly [A in Axis]: string;
};
const NEAR_LINE_PX = 12;
