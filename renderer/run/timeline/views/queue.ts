import {scaleLinear} from 'd3-scale';
import {type Queue, queueAt, queuesOf} from '../../../../app/run/trace/queue.ts';
import {objectColour, type Theme} from '../../../kit/objectColours.ts';
import {drawAbsence, drawValues} from '../axes.ts';
import {type Box, clipped, type Drawing, drawLine, drawPlate, drawText, type Point} from '../drawing.ts';
import {areaMark, ecnMarks, ghostMarks, textColour} from '../marks.ts';
import {scaled, textWidth, VALUES_EM} from '../measures.ts';
import type {Hit, Plot, TimelineModel, TimelinePane, View} from '../model.ts';
import {fontOf, GHOST_ALPHA, PALETTES} from '../palette.ts';
import {packetsText, waitText} from '../queueText.ts';
import {revealedPart} from '../reveal.ts';
import {drawStrip, lossAt} from '../strip.ts';

/**
 * The packets in the queues of the path over time. The queue towards the client (`down`) is above a horizontal line,
 * and the queue towards the server (`up`) is below this line. The load's own packets are next to the line, and the
 * packets of other traffic are farther from it.
 */
export const queue: View = {
  name: 'queue',
  label: 'queue',
  key: '8',
  isRare: true,
  height: 'usual',
  leftEm: VALUES_EM,
  hasStrip: true,
  apartBy: 'dashes',
  hasNameLines: false,
  graphs: panes => panes.map(pane => [pane]),
  legend: (theme, panes) => groupsOf(panes).map((label, group) => [`${label} ■`, groupColour(theme, group)]),
  marks: panes => [
    ...groupsOf(panes).map((label, group) => areaMark(label, 1, 0.8, ({theme}) => groupColour(theme, group))),
    ...ecnMarks(panes),
    ...ghostMarks(panes, textColour),
  ],
  draw,
  hit: queueHit,
};

/** The names of the groups of packets in the queues of these panes: the load itself, then groups of other traffic. */
function groupsOf(panes: readonly TimelinePane[]): readonly string[] {
  const longest = panes.map(({trace}) => queuesOf(trace)?.down.groups ?? []).sort((a, b) => b.length - a.length);
  return longest[0] ?? [];
}

function groupColour(theme: Theme, group: number): string {
  return group === 0 ? PALETTES[theme].text : objectColour(OTHERS + group, theme);
}

/** The queues of a graph, and how its box is divided between them. */
interface Halves {
  readonly down: Queue;
  readonly up: Queue;
  /** Converts numbers of packets to CSS px. For the queue `up` the numbers are negative. */
  readonly y: ReturnType<typeof scaleLinear<number, number>>;
}

function halvesOf({fontPx}: TimelineModel, {box, panes: [pane]}: Plot): Halves | undefined {
  const queues = pane && queuesOf(pane.trace);
  if (queues === undefined) return undefined;
  const [most, least] = [highest(queues.down), highest(queues.up)];
  // even a queue with few packets has room for its text
  const share = Math.min(Math.max(LEAST_SHARE, (TEXT_EM * fontPx) / box.height), 0.5);
  const [up, down] = [Math.max(least, (share * most) / (1 - share)), Math.max(most, (share * least) / (1 - share))];
  return {...queues, y: scaleLinear([-up, down], [box.y + box.height, box.y])};
}

function highest({packets, atNs}: Queue): number {
  let most = 1;
  for (let row = 0; row < atNs.length; row++) most = Math.max(most, totalAt(packets, row));
  return most;
}

function totalAt(packets: readonly Uint32Array[], row: number): number {
  return packets.reduce((sum, column) => sum + (column[row] ?? 0), 0);
}

function draw(drawing: Drawing, model: TimelineModel, plot: Plot): void {
  drawStrip(drawing, model, plot, 0);
  const halves = halvesOf(model, plot);
  if (halves === undefined) {
    drawAbsence(drawing, model, plot, 'the queues of a real path are not known');
    return;
  }
  const {box} = plot;
  const {y} = halves;
  drawValues(drawing, model, plot, y, value => `${Math.abs(value)}`);
  const {text} = PALETTES[model.theme];
  clipped(drawing, revealedPart(model, plot, box), () => {
    drawStack(drawing, model, plot, halves.down, packets => y(packets));
    drawStack(drawing, model, plot, halves.up, packets => y(-packets));
    drawGhost(drawing, model, plot, y);
  });
  const middle = [box.x, box.x + box.width].map(x => ({x, y: y(0)}));
  drawLine(drawing, middle, {colour: text, width: scaled(model, 1)});
  // without room for both texts none is written; the tips still describe the queues at the time under the pointer
  if (box.height < 2 * TEXT_EM * model.fontPx) return;
  drawLongest(drawing, model, longestText('down', halves.down, model), inside(model, box, box.y));
  const upY = Math.min(y(0) + 0.2 * model.fontPx, box.y + box.height - 1.4 * model.fontPx);
  drawLongest(drawing, model, longestText('up', halves.up, model), inside(model, box, upY));
}

/** Writes the text of {@link longestText}. It has a background, because columns of the graph may be behind it. */
function drawLongest(drawing: Drawing, {theme, fontPx}: TimelineModel, longest: string, at: Point): void {
  const {background, text} = PALETTES[theme];
  drawPlate(drawing, background, at, textWidth(longest, fontPx), fontPx);
  drawText(drawing, longest, at, {colour: text, font: fontOf(fontPx)});
}

/** Draws how many packets were in the queues in the previous run. */
function drawGhost(
  drawing: Drawing,
  model: TimelineModel,
  {x, panes: [pane]}: Plot,
  y: (packets: number) => number,
): void {
  const before = pane?.before && queuesOf(pane.before);
  if (!before) return;
  const style = {colour: PALETTES[model.theme].text, width: scaled(model, 1.5)};
  drawing.globalAlpha = GHOST_ALPHA;
  for (const [{atNs, packets}, sign] of [
    [before.down, 1],
    [before.up, -1],
  ] as const) {
    const steps = Array.from(atNs, (ns, row) => ({
      x: x(ns),
      to: y(sign * totalAt(packets, row)),
      from: y(sign * (row === 0 ? 0 : totalAt(packets, row - 1))),
    }));
    drawLine(
      drawing,
      steps.flatMap(step => [
        {x: step.x, y: step.from},
        {x: step.x, y: step.to},
      ]),
      style,
    );
  }
  drawing.globalAlpha = 1;
}

function inside({fontPx}: TimelineModel, {x}: Box, top: number): Point {
  return {x: x + 0.4 * fontPx, y: top + 0.7 * fontPx};
}

/**
 * For example `up: at most 50 packets, 612 ms`: the most packets in the queue, and the longest wait, in the visible
 * part of the run.
 */
function longestText(way: 'down' | 'up', queue: Queue, {fromNs, toNs, revealNs = toNs}: TimelineModel): string {
  const until = Math.min(toNs, revealNs);
  const isSeen = (atNs: number | undefined) => atNs !== undefined && atNs >= fromNs && atNs <= until;
  let packets = totalAt(
    queueAt(queue, fromNs).packets.map(count => Uint32Array.of(count)),
    0,
  );
  for (const [row, atNs] of queue.atNs.entries())
    if (isSeen(atNs)) packets = Math.max(packets, totalAt(queue.packets, row));
  let waitNs = 0;
  for (const [row, atNs] of queue.enteredNs.entries()) {
    const ns = queue.waitNs[row] ?? 0;
    if (isSeen(atNs) && ns !== Number.POSITIVE_INFINITY) waitNs = Math.max(waitNs, ns);
  }
  return `${way}: at most ${packetsText(packets)}, ${waitText(waitNs)}`;
}

/**
 * Draws the packets of all groups as stacks on the horizontal line, in columns of whole px. If the queue changes within
 * a column, the column shows the state with the most packets.
 */
function drawStack(
  drawing: Drawing,
  model: TimelineModel,
  plot: Plot,
  queue: Queue,
  y: (packets: number) => number,
): void {
  for (const {left, right, row} of columnsOf(plot, queue)) {
    let below = 0;
    for (const [group, column] of queue.packets.entries()) {
      const above = below + (column[row] ?? 0);
      if (above === below) continue;
      const [one, other] = [y(below), y(above)];
      drawing.fillStyle = groupColour(model.theme, group);
      drawing.fillRect(left, Math.min(one, other), right - left, Math.abs(one - other));
      below = above;
    }
  }
}

/** Columns of a graph, CSS px, each with the row of the queue that it shows. Neighbours with the same row are joined. */
function columnsOf({box, x}: Plot, {atNs, packets}: Queue) {
  const columns: {left: number; right: number; row: number}[] = [];
  let row = 0;
  for (let left = Math.round(box.x); left < box.x + box.width; left++) {
    const [from, to] = [x.invert(left), x.invert(left + 1)];
    while ((atNs[row + 1] ?? Number.POSITIVE_INFINITY) <= from) row += 1;
    if ((atNs[row] ?? Number.POSITIVE_INFINITY) > to) continue;
    let [best, most] = [row, -1];
    for (let each = row; (atNs[each] ?? Number.POSITIVE_INFINITY) <= to; each++) {
      const total = totalAt(packets, each);
      if (total > most) [best, most] = [each, total];
    }
    const last = columns.at(-1);
    if (last?.row === best && last.right === left) last.right = left + 1;
    else columns.push({left, right: left + 1, row: best});
  }
  return columns;
}

function queueHit(model: TimelineModel, plot: Plot, point: Point): Hit | undefined {
  const {box, panes} = plot;
  if (point.y > box.y + box.height) return lossAt(model, plot, point);
  const halves = halvesOf(model, plot);
  const [pane] = panes;
  if (halves === undefined || pane === undefined || point.x < box.x || point.x > box.x + box.width) return undefined;
  return {kind: 'queue', trace: pane.trace, way: point.y <= halves.y(0) ? 'down' : 'up'};
}

/** Each queue has at least this share of the graph's height, or more if its text needs more. */
const LEAST_SHARE = 0.2;
/** The height that each queue needs for its text, em. */
const TEXT_EM = 1.5;
/** Group g of the packets of other traffic has the colour of object `OTHERS` + g. The groups are numbered from 1. */
const OTHERS = 1;
