import {type ScaleLinear, scaleLinear} from 'd3-scale';
import {DIRECTION, FATE} from '../../../../app/run/trace/columns.ts';
import {markedNs} from '../../../../app/run/trace/marks.ts';
import type {Trace} from '../../../../app/run/trace/trace.ts';
import {isDropped} from '../../../../app/run/trace/traceIndex.ts';
import {objectColour} from '../../../kit/objectColours.ts';
import {isDimmed} from '../../../session/hovered.ts';
import {arePacketsUnknown} from '../absence.ts';
import {drawAbsence, drawValues, drawVertical} from '../axes.ts';
import {connectionsByEndpoint, mostConnections} from '../connections.ts';
import {clipped, type Drawing, drawCross, drawDiamond, drawLine, drawText, type Point} from '../drawing.ts';
import {NEAR_MARK_PX, nearest} from '../hits.ts';
import {barMark, dimColour, ecnMarks, ghostMarks, lossMarks, stepsMark} from '../marks.ts';
import {scaled, VALUES_EM} from '../measures.ts';
import type {Hit, Plot, TimelineModel, TimelinePane, View} from '../model.ts';
import {dashOf, fontOf, GHOST_ALPHA, PALETTES, paneColour} from '../palette.ts';
import {oneOrEach} from '../plots.ts';
import {revealedNs} from '../reveal.ts';

/**
 * The server's packets with data over time. Each chunk of data in a packet has a bar, in the colour of the packet's
 * first object. The x of a bar is the time of sending. Its y is the number of the first byte (in TCP's stream, or in
 * the QUIC stream of the data) or of the chunk (SCTP's TSN, or the number of a frame in bare datagrams). High bars are
 * retransmissions, and crosses are lost packets. The line is what the client has acknowledged; QUIC and bare datagrams
 * have no such line. If there are several connections, each has its own lane.
 */
export const packets: View = {
  name: 'packets',
  label: 'packets',
  key: '4',
  height: 'usual',
  leftEm: VALUES_EM,
  hasStrip: false,
  apartBy: 'dashes',
  hasNameLines: false,
  hasPackets: true,
  graphs: (panes, layout) => oneOrEach(panes, layout).flatMap(ofOneKind),
  legend: () => [],
  marks: panes => [
    barMark('data sent', 4),
    ...(panes.some(({metrics}) => metrics.retransmitted > 0) ? [barMark('sent again', 12)] : []),
    ...lossMarks(panes, ['server data']),
    ...ecnMarks(panes),
    ...(panes.some(({trace}) => hasAcknowledged(trace)) ? [stepsMark('acknowledged by the browser', dimColour)] : []),
    ...ghostMarks(panes, dimColour),
  ],
  draw,
  lossY: (model, plot, {trace, cause}) => {
    const mark = packetMarks(model, plot).find(each => each.trace === trace && each.packet === cause.packet);
    return mark?.y;
  },
  hit: packetAt,
};

/** Divides panes by what the y axis counts. Bytes and chunks have no common scale, so they cannot share a graph. */
function ofOneKind(panes: readonly TimelinePane[]): readonly (readonly TimelinePane[])[] {
  const kinds = [...new Set(panes.map(({trace}) => trace.pipeline.numbers))];
  return kinds.map(kind => panes.filter(({trace}) => trace.pipeline.numbers === kind));
}

/** Returns what the y axis of a graph of chunks counts. */
function chunkName({panes}: Plot): string {
  const names = new Set(panes.map(({trace}) => (trace.pipeline.isOfDatagrams ? 'frame' : 'TSN')));
  return [...names].join(' / ');
}

/**
 * Whether a pane has a line of acknowledgements. Nothing acknowledges bare datagrams, and QUIC's acknowledgements count
 * packets, while the graph shows bytes.
 */
function hasAcknowledged({pipeline}: Trace): boolean {
  return pipeline.acknowledges === 'data' && pipeline.isOfDatagrams !== true;
}

function draw(drawing: Drawing, model: TimelineModel, plot: Plot): void {
  const {box, x} = plot;
  if (arePacketsUnknown(plot.panes)) {
    drawAbsence(drawing, model, plot, 'packets are not known');
    return;
  }
  const palette = PALETTES[model.theme];
  const lanes = lanesOf(plot);
  const isBytes = plot.panes[0]?.trace.pipeline.numbers === 'byte';
  if (lanes.length > 1) drawLanes(drawing, model, plot, lanes.length);
  for (const y of lanes.length > 1 ? [] : lanes)
    drawValues(drawing, model, plot, y, value => (isBytes ? `${value / 1000} KB` : `${value}`));
  if (!isBytes) {
    const place = {x: box.x - model.fontPx * 0.4, y: box.y - model.fontPx * 0.75};
    drawText(drawing, chunkName(plot), place, {colour: palette.dim, font: fontOf(model.fontPx), align: 'right'});
  }
  const px = (length: number): number => scaled(model, length);
  clipped(drawing, box, () => {
    for (const mark of packetMarks(model, plot)) {
      drawing.globalAlpha = isDimmed(model.hovered, mark.object) ? 0.15 : 1;
      drawing.fillStyle = objectColour(mark.object, model.theme);
      const height = px(mark.isAgain ? 12 : 4);
      drawing.fillRect(mark.x - px(1.5), mark.y - height / 2, px(3), height);
      if (mark.isDropped) drawCross(drawing, mark, {size: px(MARK_PX), width: px(2), colour: palette.warning});
      if (mark.isMarked) drawDiamond(drawing, mark, {size: px(MARK_PX), width: px(1.5), colour: palette.warning});
    }
    drawing.globalAlpha = 1;
    drawLookedInto(drawing, model, plot);
    const isShared = plot.panes.length > 1;
    for (const [pane, {trace, before}] of plot.panes.entries()) {
      const colour = isShared ? paneColour(model, plot.panes.length, pane) : palette.dim;
      const style = {colour, width: px(isShared ? 1.5 : 1), dash: dashOf(model, pane)};
      const drawAcknowledged = (of: Trace): void => {
        for (const [connection, {client}] of of.data.connections.entries()) {
          const points = acknowledged(of, client, revealedNs(model));
          const y = lanes[connection] ?? numberScale(plot);
          drawLine(
            drawing,
            points.map(point => ({x: x(point.x), y: y(point.y)})),
            style,
          );
        }
      };
      drawAcknowledged(trace);
      if (before === undefined || before.pipeline.numbers !== trace.pipeline.numbers) continue;
      drawing.globalAlpha = GHOST_ALPHA;
      drawAcknowledged(before);
      drawing.globalAlpha = 1;
    }
  });
}

/** Marks the packet that the packet panel shows, with a line at its time of sending and a frame around its data. */
function drawLookedInto(drawing: Drawing, model: TimelineModel, plot: Plot): void {
  const {openedPacket} = model;
  if (openedPacket == null || !plot.panes.some(({trace}) => trace === openedPacket.trace)) return;
  const {trace, packet} = openedPacket;
  const {box} = plot;
  const {text} = PALETTES[model.theme];
  const x = plot.x(trace.data.packets.sentNs[packet] ?? 0);
  drawVertical(drawing, model, x, box.y, box.y + box.height, text, [scaled(model, 1), scaled(model, 3)]);
  for (const mark of packetMarks(model, plot)) {
    if (mark.trace !== trace || mark.packet !== packet) continue;
    const [across, down] = [scaled(model, 5), scaled(model, mark.isAgain ? 9 : 6)];
    const corners = [
      [-1, -1],
      [1, -1],
      [1, 1],
      [-1, 1],
      [-1, -1],
    ].map(([right = 0, below = 0]) => ({x: mark.x + right * across, y: mark.y + below * down}));
    drawLine(drawing, corners, {colour: text, width: scaled(model, 1.5)});
  }
}

/** A chunk of the server's data in the graph, with its position in the picture. */
interface PacketMark extends Point {
  readonly trace: Trace;
  readonly packet: number;
  readonly object: number;
  readonly isAgain: boolean;
  readonly isDropped: boolean;
  readonly isMarked: boolean;
}

/** The visible marks up to the revealed time, pane by pane. The marks of a pane are in the order of sending. */
function packetMarks(model: TimelineModel, plot: Plot): readonly PacketMark[] {
  const untilNs = revealedNs(model);
  const {box, panes} = plot;
  const lanes = lanesOf(plot);
  const marks: PacketMark[] = [];
  for (const {trace} of panes) {
    const {packets, chunks} = trace.data;
    const connections = connectionsByEndpoint(trace);
    for (const [row, packet] of chunks.packet.entries()) {
      const sentNs = packets.sentNs[packet] ?? 0;
      const x = plot.x(sentNs);
      const isInSight = sentNs <= untilNs && x >= box.x - MARK_PX && x <= box.x + box.width + MARK_PX;
      if (packets.direction[packet] !== DIRECTION.down || !isInSight) continue;
      const object = trace.objectsOf(packet)[0]?.object ?? 0;
      const y = lanes[connections.get(packets.endpoint[packet] ?? 0) ?? 0] ?? numberScale(plot);
      const fate = (packets.fateNs[packet] ?? 0) <= untilNs ? packets.fate[packet] : FATE.inFlight;
      marks.push({
        trace,
        packet,
        object,
        x,
        y: y(chunks.first[row] ?? 0),
        isAgain: chunks.retransmission[row] === 1,
        isDropped: isDropped(fate),
        isMarked: packets.marked[packet] === 1 && markedNs(trace, packet) <= untilNs,
      });
    }
  }
  return marks;
}

/**
 * The scales of the connections' lanes, from the top: numbers of bytes or of chunks to CSS px. All lanes have room for
 * the same numbers.
 */
function lanesOf(plot: Plot): readonly ScaleLinear<number, number>[] {
  const {box, panes} = plot;
  const count = mostConnections(panes);
  const [from, to] = numberScale(plot).domain();
  const height = box.height / count;
  // keeps marks at the edge of a lane out of the next lane
  const gap = count === 1 ? 0 : LANE_GAP * height;
  return Array.from({length: count}, (_, lane) => {
    const foot = box.y + (lane + 1) * height;
    return scaleLinear([from ?? 0, to ?? 1], [foot - gap, foot - height + gap]);
  });
}

/** Draws a line below each lane, and writes the number of each connection beside its lane. */
function drawLanes(drawing: Drawing, model: TimelineModel, {box}: Plot, lanes: number): void {
  const {dim, line} = PALETTES[model.theme];
  const height = box.height / lanes;
  const fontPx = Math.min(model.fontPx, height);
  for (let lane = 0; lane < lanes; lane++) {
    const foot = box.y + (lane + 1) * height;
    const points = [box.x, box.x + box.width].map(x => ({x, y: foot}));
    drawLine(drawing, points, {colour: line, width: scaled(model, 1)});
    const place = {x: box.x - model.fontPx * 0.4, y: foot - height / 2};
    const name = height < model.fontPx ? `${lane + 1}` : `conn. ${lane + 1}`;
    drawText(drawing, name, place, {colour: dim, font: fontOf(fontPx), align: 'right'});
  }
}

function numberScale({box, panes}: Plot): ScaleLinear<number, number> {
  const largest = Math.max(1, ...panes.map(({trace}) => largestNumber(trace)));
  return scaleLinear([0, largest], [box.y + box.height, box.y]);
}

/** The share of a lane's height that is empty above and below its marks. */
const LANE_GAP = 0.1;

/** The size of a lost packet's cross and of the diamond of a packet with an ECN mark, in px if the text has 13 px. */
const MARK_PX = 9;

function largestNumber({data}: Trace): number {
  const {packets, chunks} = data;
  let largest = 0;
  for (const [row, packet] of chunks.packet.entries()) {
    if (packets.direction[packet] === DIRECTION.down) largest = Math.max(largest, chunks.first[row] ?? 0);
  }
  return largest;
}

/**
 * The line of the cumulative acknowledgements of a client: at each time it shows the highest one that has reached the
 * server. It ends at the last acknowledgement that arrives by `untilNs`; x in ns. Empty if {@link hasAcknowledged} is
 * false.
 */
function acknowledged(trace: Trace, client: number, untilNs: number): readonly Point[] {
  if (!hasAcknowledged(trace)) return [];
  const {packets} = trace.data;
  const acks = Array.from(packets.sentNs.keys())
    .filter(row => packets.endpoint[row] === client && packets.fate[row] === FATE.delivered)
    .filter(row => !Number.isNaN(packets.cumulativeAck[row] ?? Number.NaN))
    .filter(row => (packets.fateNs[row] ?? 0) <= untilNs)
    .sort((a, b) => (packets.fateNs[a] ?? 0) - (packets.fateNs[b] ?? 0));
  const points: Point[] = [];
  let highest = 0;
  for (const row of acks) {
    const x = packets.fateNs[row] ?? 0;
    points.push({x, y: highest});
    highest = Math.max(highest, packets.cumulativeAck[row] ?? 0);
    points.push({x, y: highest});
  }
  return points;
}

/** The packet whose mark is nearest to a point. Marks with their middle outside the graph are ignored. */
function packetAt(model: TimelineModel, plot: Plot, point: Point): Hit | undefined {
  const {x: left, width} = plot.box;
  const marks = packetMarks(model, plot)
    .filter(({x}) => x >= left && x <= left + width)
    .map(({trace, packet, object, isDropped, x, y}) => ({
      hit: isDropped ? ({kind: 'loss', trace, packet} as const) : ({kind: 'packet', trace, packet, object} as const),
      distance: Math.hypot(x - point.x, y - point.y),
    }));
  return nearest(marks, NEAR_MARK_PX);
}
