import type {ScaleBand} from 'd3-scale';
import type {Trace} from '../../../../app/run/trace/trace.ts';
import {objectColour} from '../../../kit/objectColours.ts';
import {isDimmed} from '../../../session/hovered.ts';
import {hasConnectionColours} from '../connections.ts';
import {type Box, clipped, type Drawing, drawText} from '../drawing.ts';
import {areaMark, ghostMarks, numberMark, predictionMarks, stripesMark, waitMarks} from '../marks.ts';
import {scaled} from '../measures.ts';
import type {Plot, TimelineModel, View} from '../model.ts';
import {drawRowNames, objectAtRow, objectRows, ROW_NAMES_EM, SMALLEST_NAME, sharesRows} from '../objectRows.ts';
import {fontOf, GHOST_ALPHA, PALETTES} from '../palette.ts';
import {oneOrEach} from '../plots.ts';
import {revealedNs, revealedPart} from '../reveal.ts';

/**
 * A row for each object, with a bar for each pane of the graph. The bar is light from the object's request, full from
 * its first byte, striped while bytes that have arrived wait for earlier ones, and red at the time when the object
 * fails.
 */
export const waterfall: View = {
  name: 'waterfall',
  label: 'waterfall',
  key: '3',
  height: 'high',
  leftEm: ROW_NAMES_EM,
  hasStrip: false,
  apartBy: 'rows',
  hasNameLines: false,
  predictionAt: 'top',
  graphs: (panes, layout) => oneOrEach(panes, sharesRows(panes) ? 'overlaid' : layout),
  legend: () => [],
  marks: panes => [
    areaMark('requested', 0.25),
    areaMark('arriving', 1),
    ...waitMarks(panes, stripesMark('arrived, had to wait')),
    ...(panes.some(pane => hasConnectionColours([pane])) ? [numberMark('connection number')] : []),
    ...predictionMarks(panes),
    ...ghostMarks(panes),
  ],
  draw,
  lossY: (_, {box, panes}, {cause: {cargo}}) => {
    const [part] = cargo.kind === 'data' ? cargo.parts : [];
    const count = panes[0]?.trace.objects.length ?? 0;
    return part === undefined ? undefined : box.y + (box.height * (part.object + 0.5)) / count;
  },
  hit: (_, plot, point) => {
    const object = objectAtRow(plot, point);
    return object === undefined ? undefined : {kind: 'object', object};
  },
};

function draw(drawing: Drawing, model: TimelineModel, plot: Plot): void {
  const {box, panes} = plot;
  const objects = panes[0]?.trace.objects ?? [];
  const rows = objectRows(plot);
  const height = rows.bandwidth() / panes.length;
  drawRowNames(drawing, model, plot, rows);
  clipped(drawing, revealedPart(model, plot, box), () => {
    for (const object of objects.keys()) {
      for (const [pane, {trace, before}] of panes.entries()) {
        const y = (rows(object) ?? 0) + pane * height;
        if (before !== undefined) drawBefore(drawing, model, plot, before, object, y + height);
        drawBar(drawing, model, plot, trace, object, {
          ...box,
          y,
          height: Math.max(height - scaled(model, 1), 1),
        });
      }
    }
  });
  drawing.globalAlpha = 1;
  if (hasConnectionColours(panes)) drawConnections(drawing, model, plot, rows);
}

/** Writes the connection's number before each bar. */
function drawConnections(drawing: Drawing, model: TimelineModel, plot: Plot, rows: ScaleBand<number>): void {
  const {box, x, panes} = plot;
  const fontPx = Math.min(rows.step(), SMALLEST_NAME * model.fontPx);
  for (const [object, {connection, requestNs}] of (panes[0]?.trace.objects ?? []).entries()) {
    if (connection === null || requestNs === null || requestNs > revealedNs(model)) continue;
    const place = {x: x(requestNs) - 0.3 * fontPx, y: (rows(object) ?? 0) + rows.bandwidth() / 2};
    if (place.x < box.x || place.x > box.x + box.width) continue;
    const style = {colour: PALETTES[model.theme].text, font: fontOf(fontPx), align: 'right'} as const;
    drawText(drawing, `${connection + 1}`, place, style);
  }
}

function drawBar(
  drawing: Drawing,
  model: TimelineModel,
  {x}: Plot,
  trace: Trace,
  object: number,
  {y, height}: Box,
): void {
  const row = trace.objects[object];
  if (row === undefined || row.requestNs === null) return;
  const endNs = row.completeNs ?? row.failedNs ?? trace.data.endNs;
  const alpha = isDimmed(model.hovered, object) ? 0.2 : 1;
  const palette = PALETTES[model.theme];
  const fill = (fromNs: number): void => drawing.fillRect(x(fromNs), y, Math.max(x(endNs) - x(fromNs), 1), height);
  drawing.fillStyle = objectColour(object, model.theme);
  drawing.globalAlpha = alpha * 0.25;
  fill(row.requestNs);
  drawing.globalAlpha = alpha;
  if (row.firstByteNs !== null) fill(row.firstByteNs);
  drawing.fillStyle = palette.text;
  const [every, stripe] = [scaled(model, 5), scaled(model, 2)];
  for (const {startNs, endNs: untilNs} of trace.blockedOf(object)) {
    for (let at = x(startNs); at < x(untilNs); at += every) {
      drawing.fillRect(at, y, Math.min(stripe, x(untilNs) - at), height);
    }
  }
  drawing.fillStyle = palette.warning;
  if (row.failedNs !== null) drawing.fillRect(x(row.failedNs) - stripe, y, 2 * stripe, height);
}

/** Draws a line below the bar: the time in which the object was loaded in the previous run. */
function drawBefore(drawing: Drawing, model: TimelineModel, {x}: Plot, before: Trace, object: number, y: number): void {
  const row = before.objects[object];
  if (row === undefined || row.requestNs === null) return;
  const endNs = row.completeNs ?? row.failedNs ?? before.data.endNs;
  drawing.globalAlpha = 2 * GHOST_ALPHA;
  drawing.fillStyle = objectColour(object, model.theme);
  drawing.fillRect(x(row.requestNs), y, x(endNs) - x(row.requestNs), scaled(model, 1));
}
