import {scaleLinear} from 'd3-scale';
import type {Trace} from '../../app/trace/trace.ts';
import {type Hovered, isDimmed} from '../hovered.ts';
import {objectColour} from '../objectColours.ts';
import {drawValues, drawVertical} from './axes.ts';
import {type Box, clipped, type Drawing, drawCross, drawLine, drawText, type Point} from './drawing.ts';
import {scaled} from './measures.ts';
import {milestoneLabels, milestones} from './milestones.ts';
import {drawSample, nameY, paneNames, SAMPLE_EM} from './names.ts';
import {dashOf, fontOf, PALETTES, paneColour} from './palette.ts';
import {type Plot, stripOf, type TimelineModel, type TimelinePane} from './plots.ts';

/**
 * Percent rendered over time, a line per object; what waited is shaded, what was lost is marked below. Of many
 * panes in one graph each has the line of its page, and the objects that are pointed at have theirs.
 */
export function drawPercent(drawing: Drawing, model: TimelineModel, plot: Plot): void {
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

/** An object's line: x in ns, y in percent. It rises from its first byte on, and ends at `toNs` or whole. */
export function percentSteps(trace: Trace, object: number, toNs: number): readonly Point[] {
  const row = trace.objects[object];
  if (row === undefined || row.requestNs === null) return [];
  const points: Point[] = [];
  let percent = 0;
  for (const atNs of trace.deliveriesOf(object).atNs) {
    points.push({x: atNs, y: percent});
    percent = trace.percentAt(object, atNs);
    points.push({x: atNs, y: percent});
  }
  // a whole object's line ends: many lines along the top would hide each other
  return percent >= 100 || points.length === 0
    ? points
    : [...points, {x: Math.min(toNs, trace.data.endNs), y: percent}];
}

/** Of all bytes of the page; x in ns, y in percent. */
export function pageSteps({data}: Trace): readonly Point[] {
  const size = data.objects.reduce((sum, {bytes}) => sum + bytes, 0);
  const had = new Map<number, number>();
  const points: Point[] = [];
  let total = 0;
  for (const [row, object] of data.deliveries.object.entries()) {
    const [atNs, bytes] = [data.deliveries.atNs[row] ?? 0, data.deliveries.bytes[row] ?? 0];
    points.push({x: atNs, y: percentOf(total, size)});
    total += bytes - (had.get(object) ?? 0);
    had.set(object, bytes);
    points.push({x: atNs, y: percentOf(total, size)});
  }
  return points.length === 0 ? [] : [...points, {x: data.endNs, y: percentOf(total, size)}];
}

function percentOf(bytes: number, size: number): number {
  return size === 0 ? 0 : (100 * bytes) / size;
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

/** Too many lines to follow any. */
function isCrowded({panes}: {readonly panes: readonly TimelinePane[]}): boolean {
  return panes.length > 2;
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

/** A pane's packets: retransmissions are bars, losses crosses. */
function drawStrip(drawing: Drawing, model: TimelineModel, plot: Plot, pane: number): void {
  const strip = stripOf(plot, pane);
  const {trace} = plot.panes[pane] ?? {};
  if (trace === undefined) return;
  if (plot.panes.length > 1) {
    const place = {x: strip.x - SAMPLE_EM * model.fontPx, y: strip.y + strip.height / 2};
    drawSample(drawing, model, plot, pane, place);
  }
  // a mark at the very beginning or end is seen whole
  const margin = strip.height / 2;
  const room = {...strip, x: strip.x - margin, width: strip.width + 2 * margin};
  clipped(drawing, room, () => drawPackets(drawing, model, plot, trace, strip));
}

function drawPackets(drawing: Drawing, model: TimelineModel, {x}: Plot, trace: Trace, strip: Box): void {
  const {packets} = trace.data;
  const palette = PALETTES[model.theme];
  const middle = strip.y + strip.height / 2;
  const [width, margin] = [scaled(model, 3), scaled(model, 1)];
  for (const packet of packets.sentNs.keys()) {
    if (!trace.isRetransmission(packet)) continue;
    const [first] = trace.objectsOf(packet);
    drawing.fillStyle = first === undefined ? palette.dim : objectColour(first.object, model.theme);
    const left = x(packets.sentNs[packet] ?? 0) - width / 2;
    drawing.fillRect(left, strip.y + margin, width, strip.height - 2 * margin);
  }
  for (const packet of trace.droppedPackets()) {
    const colour = packets.direction[packet] === 0 ? palette.warning : palette.dim;
    const place = {x: x(packets.fateNs[packet] ?? 0), y: middle};
    drawCross(drawing, place, {size: strip.height * 0.6, width: scaled(model, 2), colour});
  }
}
