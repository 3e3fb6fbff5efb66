import {DIRECTION} from '../../../app/run/trace/columns.ts';
import {markedNs} from '../../../app/run/trace/marks.ts';
import type {Trace} from '../../../app/run/trace/trace.ts';
import {objectColour} from '../../kit/objectColours.ts';
import {type Box, clipped, type Drawing, drawCross, drawDiamond, type Point} from './drawing.ts';
import {NEAR_MARK_PX, nearest} from './hits.ts';
import {scaled} from './measures.ts';
import type {Hit, MarkStyle, Plot, TimelineModel} from './model.ts';
import {drawSample, SAMPLE_EM} from './names.ts';
import {PALETTES} from './palette.ts';
import {stripOf} from './plots.ts';
import {revealedNs} from './reveal.ts';

/**
 * Draws a pane's row below its graph. Bars are retransmissions, crosses are lost packets, and diamonds are packets that
 * a queue marked.
 */
export function drawStrip(drawing: Drawing, model: TimelineModel, plot: Plot, pane: number): void {
  const strip = stripOf(plot, pane);
  const {trace} = plot.panes[pane] ?? {};
  if (trace === undefined) return;
  if (plot.panes.length > 1) {
    const place = {x: strip.x - SAMPLE_EM * model.fontPx, y: strip.y + strip.height / 2};
    drawSample(drawing, model, plot, pane, place);
  }
  clipped(drawing, roomOf(strip), () => drawMarks(drawing, model, plot, trace, strip));
}

/** The lost or marked packet whose mark in a graph's strip is nearest to a point. Undefined if no mark is near. */
export function lossAt(model: TimelineModel, plot: Plot, point: Point): Hit | undefined {
  const {panes, x} = plot;
  const inRow = panes.filter((_, pane) => {
    const {y, height} = stripOf(plot, pane);
    return point.y > y && point.y <= y + height;
  });
  const room = roomOf(stripOf(plot, 0));
  const marks = (kind: 'loss' | 'mark') =>
    (panes.length === 1 ? panes : inRow).flatMap(({trace}) =>
      (kind === 'loss' ? trace.droppedPackets() : trace.markedPackets()).flatMap(packet => {
        const atNs = kind === 'loss' ? (trace.data.packets.fateNs[packet] ?? 0) : markedNs(trace, packet);
        const at = x(atNs);
        const isInSight = atNs <= revealedNs(model) && at >= room.x && at <= room.x + room.width;
        return isInSight ? [{hit: {kind, trace, packet}, distance: Math.abs(at - point.x)}] : [];
      }),
    );
  return nearest([...marks('loss'), ...marks('mark')], NEAR_MARK_PX);
}

/** Extends a row to both sides, so that marks at the very beginning or end are drawn completely. */
function roomOf(row: Box): Box {
  const margin = row.height / 2;
  return {...row, x: row.x - margin, width: row.width + 2 * margin};
}

/**
 * Draws a lost packet. `height` is that of the row, CSS px. A packet from the server is red, one from the browser grey.
 * A packet without data is small.
 */
export function drawLoss(
  drawing: Drawing,
  style: MarkStyle,
  place: Point,
  {height, isFromServer, hasData}: {readonly height: number; readonly isFromServer: boolean; readonly hasData: boolean},
): void {
  const {warning, dim} = PALETTES[style.theme];
  const size = height * (hasData ? 0.6 : 0.36);
  drawCross(drawing, place, {
    size,
    width: scaled(style, hasData ? 2 : 1),
    colour: isFromServer ? warning : dim,
  });
}

/** Draws a packet that a queue marked. The colours are those of losses. */
export function drawMarked(
  drawing: Drawing,
  style: MarkStyle,
  place: Point,
  {height, isFromServer}: {readonly height: number; readonly isFromServer: boolean},
): void {
  const {warning, dim} = PALETTES[style.theme];
  const colour = isFromServer ? warning : dim;
  drawDiamond(drawing, place, {size: height * 0.6, width: scaled(style, 1.5), colour});
}

/** Draws the packets of a trace that queues marked, with their middles at `y`. */
export function drawMarkedPackets(
  drawing: Drawing,
  model: TimelineModel,
  {x}: Plot,
  trace: Trace,
  {y, height}: {readonly y: number; readonly height: number},
): void {
  for (const packet of trace.markedPackets()) {
    const atNs = markedNs(trace, packet);
    if (atNs > revealedNs(model)) continue;
    const isFromServer = trace.data.packets.direction[packet] === DIRECTION.down;
    drawMarked(drawing, model, {x: x(atNs), y}, {height, isFromServer});
  }
}

function drawMarks(drawing: Drawing, model: TimelineModel, plot: Plot, trace: Trace, strip: Box): void {
  const {x} = plot;
  const untilNs = revealedNs(model);
  const {packets} = trace.data;
  const palette = PALETTES[model.theme];
  const middle = strip.y + strip.height / 2;
  const [width, margin] = [scaled(model, 3), scaled(model, 1)];
  for (const packet of trace.retransmissions()) {
    if ((packets.sentNs[packet] ?? 0) > untilNs) continue;
    const [first] = trace.objectsOf(packet);
    drawing.fillStyle = first === undefined ? palette.dim : objectColour(first.object, model.theme);
    const left = x(packets.sentNs[packet] ?? 0) - width / 2;
    drawing.fillRect(left, strip.y + margin, width, strip.height - 2 * margin);
  }
  drawMarkedPackets(drawing, model, plot, trace, {y: middle, height: strip.height});
  for (const packet of trace.droppedPackets()) {
    if ((packets.fateNs[packet] ?? 0) > untilNs) continue;
    const place = {x: x(packets.fateNs[packet] ?? 0), y: middle};
    const isFromServer = packets.direction[packet] === DIRECTION.down;
    const hasData = trace.objectsOf(packet).length > 0;
    drawLoss(drawing, model, place, {height: strip.height, isFromServer, hasData});
  }
}
