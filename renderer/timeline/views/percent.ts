import {scaleLinear} from 'd3-scale';
import type {Trace} from '../../../app/trace/trace.ts';
import {type Hovered, isDimmed} from '../../hovered.ts';
import {objectColour} from '../../objectColours.ts';
import {drawValues, drawVertical} from '../axes.ts';
import {clipped, type Drawing, drawLine, drawText, type Point} from '../drawing.ts';
import {isCrowded, oneOrEach} from '../graphs.ts';
import {scaled, VALUES_EM} from '../measures.ts';
import {milestoneLabels, milestones} from '../milestones.ts';
import type {Hit, Plot, TimelineModel, View} from '../model.ts';
import {nameY, paneNames} from '../names.ts';
import {nearest} from '../nearest.ts';
import {dashOf, fontOf, PALETTES, paneColour} from '../palette.ts';
import {pageSteps, percentSteps} from '../steps.ts';
import {drawStrip, lossAt} from '../strip.ts';

/**
 * Percent rendered over time, a line per object; what waited is shaded, what was lost is marked below. Of many
 * panes in one graph each has the line of its page, and the objects that are pointed at have theirs.
 */
export const percent: View = {
  name: 'percent',
  label: 'percent',
  key: '1',
  height: 'usual',
  leftEm: VALUES_EM,
  hasStrip: true,
  apartBy: 'dashes',
  hasNameLines: true,
  graphs: oneOrEach,
  legend: () => [],
  draw,
  hit: (_, plot, point) => (point.y > plot.strip.y ? lossAt(plot, point) : lineAt(plot, point)),
};

function draw(drawing: Drawing, model: TimelineModel, plot: Plot): void {
  const {box, x} = plot;
  const y = scaleLinear([0, 100], [box.y + box.height, box.y]);
  drawValues(drawing, model, plot, y, value => `${value} %`);
  for (const [pane, {trace}] of plot.panes.entries()) {
    drawMilestones(drawing, model, plot, pane);
    clipped(drawing, {...box, y: box.y - scaled(model, 2), height: box.height + scaled(model, 4)}, () => {
      if (isCrowded(plot)) drawPage(drawing, model, plot, pane);
      for (const object of inOrder(trace, model.hovered)) {
        if (isCrowded(plot) && !isMarkedIn(model, object)) continue;
        drawing.globalAlpha = isDimmed(model.hovered, object) ? 0.15 : 1;
        const colour = objectColour(object, model.theme);
        drawWaiting(drawing, trace, object, point => ({x: x(point.x), y: y(point.y)}), colour);
        const points = percentSteps(trace, object, model.toNs).map(point => ({x: x(point.x), y: y(point.y)}));
        drawLine(drawing, points, {
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

function drawPage(drawing: Drawing, model: TimelineModel, {panes, box, x}: Plot, pane: number): void {
  const {trace} = panes[pane] ?? {};
  if (trace === undefined) return;
  const y = scaleLinear([0, 100], [box.y + box.height, box.y]);
  drawing.globalAlpha = model.hovered.size > 0 ? 0.35 : 1;
  const points = pageSteps(trace).map(point => ({x: x(point.x), y: y(point.y)}));
  const colour = paneColour(model, panes.length, pane);
  drawLine(drawing, points, {colour, width: scaled(model, 2.5), dash: dashOf(model, pane)});
  drawing.globalAlpha = 1;
}

function isMarkedIn({hovered, selected}: TimelineModel, object: number): boolean {
  return hovered.has(object) || object === selected;
}

/** Those that stand out are drawn last, over the others. */
function inOrder(trace: Trace, hovered: Hovered): readonly number[] {
  const objects = Array.from(trace.objects.keys());
  return objects.sort((a, b) => Number(hovered.has(a)) - Number(hovered.has(b)));
}

/** From what the page has to what the host has, while it has more. */
function drawWaiting(
  drawing: Drawing,
  trace: Trace,
  object: number,
  place: (point: Point) => Point,
  colour: string,
): void {
  const size = trace.objects[object]?.bytes ?? 0;
  for (const {startNs, endNs, bytes} of trace.blockedOf(object)) {
    const percent = trace.percentAt(object, startNs);
    const waiting = size === 0 ? 0 : (100 * bytes) / size;
    const [from, to] = [
      place({x: startNs, y: Math.min(100, percent + waiting)}),
      place({x: endNs, y: percent}),
    ];
    const alpha = drawing.globalAlpha;
    drawing.globalAlpha = alpha * 0.22;
    drawing.fillStyle = colour;
    drawing.fillRect(from.x, from.y, to.x - from.x, Math.max(to.y - from.y, 2));
    drawing.globalAlpha = alpha;
  }
}

/** A line per milestone, and what they are in the line of the pane's name. */
function drawMilestones(drawing: Drawing, model: TimelineModel, plot: Plot, pane: number): void {
  const {box, panes} = plot;
  const {dim} = PALETTES[model.theme];
  const dots = [scaled(model, 2), scaled(model, 3)];
  const colour = isCrowded(plot) ? paneColour(model, panes.length, pane) : dim;
  for (const {percent, x} of milestones(plot, pane)) {
    const dash = panes.length === 1 && percent < 100 ? dots : dashOf(model, pane);
    drawVertical(drawing, model, x, box.y, box.y + box.height, colour, dash);
  }
  const y = nameY(model, plot, paneNames(model, panes)[pane]?.line ?? 0);
  for (const {text, from, to, isBefore} of milestoneLabels(model, plot, pane)) {
    const style = {colour: dim, font: fontOf(model.fontPx)};
    drawText(drawing, text, {x: isBefore ? to : from, y}, {...style, align: isBefore ? 'right' : 'left'});
  }
}

function lineAt(plot: Plot, point: Point): Hit | undefined {
  const {panes, x, box} = plot;
  // objects of many panes have no lines there
  if (isCrowded(plot)) return undefined;
  const tNs = x.invert(point.x);
  const lines = panes.flatMap(({trace}) =>
    Array.from(trace.objects.entries())
      .filter(([, {requestNs}]) => requestNs !== null && requestNs <= tNs)
      .map(([object]) => ({
        hit: {kind: 'object', object} as const,
        distance: distanceToLine(trace, object, tNs, point.y, box.y, box.height, x),
      })),
  );
  return nearest(lines, NEAR_LINE_PX);
}

/** To the step's level at t, or to the rise of the step next to it. */
function distanceToLine(
  trace: Trace,
  object: number,
  tNs: number,
  y: number,
  top: number,
  height: number,
  x: Plot['x'],
): number {
  const level = (percent: number): number => top + height * (1 - percent / 100);
  const now = trace.percentAt(object, tNs);
  const completeNs = trace.objects[object]?.completeNs ?? Number.POSITIVE_INFINITY;
  const flat = completeNs <= tNs ? Number.POSITIVE_INFINITY : Math.abs(y - level(now));
  const rises = Array.from(trace.deliveriesOf(object).atNs)
    .filter(atNs => Math.abs(x(atNs) - x(tNs)) < NEAR_LINE_PX)
    .map(atNs => {
      const [from, to] = [level(trace.percentAt(object, atNs - 1)), level(trace.percentAt(object, atNs))];
      const beside = Math.abs(x(atNs) - x(tNs));
      return y >= to - 2 && y <= from + 2 ? beside : Number.POSITIVE_INFINITY;
    });
  return Math.min(flat, ...rises);
}

const NEAR_LINE_PX = 12;
