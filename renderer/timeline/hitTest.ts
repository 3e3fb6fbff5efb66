import {DIRECTION} from '../../app/trace/columns.ts';
import type {Trace} from '../../app/trace/trace.ts';
import type {Box, Point} from './drawing.ts';
import {packetMarks} from './drawPackets.ts';
import {layOut, type Plot, stripOf, type TimelineModel} from './plots.ts';

/** What the pointer is on. */
export type Hit =
  | {readonly kind: 'object'; readonly object: number}
  | {readonly kind: 'loss'; readonly trace: Trace; readonly packet: number};

/** A lost packet's mark, or the object whose line, row or packet is nearest; undefined where there is none. */
export function hitTest(model: TimelineModel, point: Point): Hit | undefined {
  const plot = layOut(model).find(({box, strip}) => {
    return point.y >= box.y - 4 && point.y <= strip.y + strip.height + 4;
  });
  if (plot === undefined) return undefined;
  switch (model.view) {
    case 'percent':
      return point.y > plot.strip.y ? lossAt(plot, point) : lineAt(plot, point);
    case 'waterfall':
      return rowAt(plot, point);
    case 'packets':
      return packetAt(plot, point);
    case 'window':
      return undefined;
  }
}

/** Whose data was lost with a packet, and whose waited for it. */
export function lossObjects(trace: Trace, packet: number): readonly number[] {
  const held = trace.holdOf(packet)?.held ?? [];
  return [...new Set([...trace.objectsOf(packet), ...held].map(({object}) => object))];
}

/** One line for people: what a lost packet held up, and for how long. */
export function lossText(trace: Trace, packet: number): string {
  const {packets} = trace.data;
  const from = packets.direction[packet] === DIRECTION.down ? 'server' : 'client';
  const what = trace.objectsOf(packet).map(({object}) => trace.objects[object]?.url);
  const cargo = what.length === 0 ? 'control' : what.join(', ');
  const lost = `lost at ${seconds(packets.fateNs[packet] ?? 0)}, sent by the ${from}: ${cargo}`;
  const hold = trace.holdOf(packet);
  if (hold === undefined) return lost;
  const repaired = hold.repairedNs === null ? 'never repaired' : `repaired at ${seconds(hold.repairedNs)}`;
  const held = hold.held.map(({object, startNs, endNs}) => {
    return `${trace.objects[object]?.url} for ${seconds(endNs - startNs)}`;
  });
  return `${lost}; ${repaired}; held up ${held.length === 0 ? 'nothing' : held.join(', ')}`;
}

/** Where the graph shows what a loss held up: from the loss to the last of it. Undefined if no graph has it. */
export function holdBox(
  model: TimelineModel,
  {trace, packet}: Extract<Hit, {kind: 'loss'}>,
): Box | undefined {
  const plot = layOut(model).find(({panes}) => panes.some(pane => pane.trace === trace));
  if (plot === undefined) return undefined;
  const {box, strip, x} = plot;
  const hold = trace.holdOf(packet);
  const lostNs = trace.data.packets.fateNs[packet] ?? 0;
  const ends = [lostNs, hold?.repairedNs ?? lostNs, ...(hold?.held ?? []).map(({endNs}) => endNs)];
  const [from, to] = [x(lostNs) - NEAR_MARK_PX, x(Math.max(...ends)) + NEAR_MARK_PX];
  return {x: from, y: box.y, width: to - from, height: strip.y + strip.height - box.y};
}

function rowAt({box, panes}: Plot, {y}: Point): Hit | undefined {
  const count = panes[0]?.trace.objects.length ?? 0;
  const object = Math.floor(((y - box.y) / box.height) * count);
  return object >= 0 && object < count ? {kind: 'object', object} : undefined;
}

function lossAt(plot: Plot, point: Point): Hit | undefined {
  const {panes, x} = plot;
  const inRow = panes.filter((_, pane) => {
    const {y, height} = stripOf(plot, pane);
    return point.y > y && point.y <= y + height;
  });
  const marks = (panes.length === 1 ? panes : inRow).flatMap(({trace}) =>
    trace.droppedPackets().map(packet => ({
      hit: {kind: 'loss', trace, packet} as const,
      distance: Math.abs(x(trace.data.packets.fateNs[packet] ?? 0) - point.x),
    })),
  );
  return nearest(marks, NEAR_MARK_PX);
}

function packetAt(plot: Plot, point: Point): Hit | undefined {
  const marks = packetMarks(plot).map(({trace, packet, object, isDropped, x, y}) => ({
    hit: isDropped ? ({kind: 'loss', trace, packet} as const) : ({kind: 'object', object} as const),
    distance: Math.hypot(x - point.x, y - point.y),
  }));
  return nearest(marks, NEAR_MARK_PX);
}

function lineAt({panes, x, box}: Plot, point: Point): Hit | undefined {
  // objects of many panes have no lines there
  if (panes.length > 2) return undefined;
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

function nearest(
  candidates: readonly {readonly hit: Hit; readonly distance: number}[],
  within: number,
): Hit | undefined {
  const best = candidates.reduce<{hit?: Hit; distance: number}>(
    (closest, each) => (each.distance < closest.distance ? each : closest),
    {distance: within},
  );
  return best.hit;
}

function seconds(ns: number): string {
  return `${(ns / 1e9).toFixed(2)} s`;
}

const NEAR_LINE_PX = 12;
const NEAR_MARK_PX = 8;
