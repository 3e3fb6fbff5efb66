import {scaleLinear} from 'd3-scale';
import type {Trace} from '../../app/trace/trace.ts';
import {type Hovered, isDimmed} from '../hovered.ts';
import {objectColour} from '../objectColours.ts';
import {drawValues, drawVertical} from './axes.ts';
import {clipped, type Drawing, drawCross, drawLine, drawText, type Point} from './drawing.ts';
import {scaled} from './measures.ts';
import {milestones} from './milestones.ts';
import {dashOf, fontOf, PALETTES, type Plot, type TimelineModel} from './plots.ts';

/** Percent rendered over time, a line per object; what waited is shaded, what was lost is marked below. */
export function drawPercent(drawing: Drawing, model: TimelineModel, plot: Plot): void {
  const {box, x, strip} = plot;
  const y = scaleLinear([0, 100], [box.y + box.height, box.y]);
  drawValues(drawing, model, plot, y, value => `${value} %`);
  drawMilestones(drawing, model, plot);
  for (const [pane, {trace}] of plot.panes.entries()) {
    clipped(drawing, {...box, y: box.y - scaled(model, 2), height: box.height + scaled(model, 4)}, () => {
      for (const object of inOrder(trace, model.hovered)) {
        drawing.globalAlpha = isDimmed(model.hovered, object) ? 0.15 : 1;
        const colour = objectColour(object, model.theme);
        drawWaiting(drawing, trace, object, point => ({x: x(point.x), y: y(point.y)}), colour);
        const isMarked = model.hovered.has(object) || object === model.selected;
        const points = percentSteps(trace, object, model.toNs).map(point => ({x: x(point.x), y: y(point.y)}));
        drawLine(drawing, points, {
          colour,
          width: scaled(model, isMarked ? 4 : 2),
          dash: dashOf(model, pane),
        });
      }
      drawing.globalAlpha = 1;
    });
    clipped(drawing, strip, () => drawPackets(drawing, model, plot, trace));
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

/** A line per milestone; panes in one graph are told apart by their dashes. */
function drawMilestones(drawing: Drawing, model: TimelineModel, plot: Plot): void {
  const {box, panes} = plot;
  const {dim} = PALETTES[model.theme];
  const dots = [scaled(model, 2), scaled(model, 3)];
  const y = box.y - model.fontPx * 0.7;
  for (const {pane, percent, x, label} of milestones(model, plot)) {
    const dash = panes.length === 1 && percent < 100 ? dots : dashOf(model, pane);
    drawVertical(drawing, model, x, box.y, box.y + box.height, dim, dash);
    if (label === undefined) continue;
    drawText(drawing, label.text, {x: label.left, y}, {colour: dim, font: fontOf(model.fontPx)});
  }
}

function drawPackets(drawing: Drawing, model: TimelineModel, {x, strip}: Plot, trace: Trace): void {
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
