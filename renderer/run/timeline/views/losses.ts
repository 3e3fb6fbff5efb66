import {type ScaleBand, scaleBand} from 'd3-scale';
import {type Effect, effectInShort, effectsOf, effectTime, effectWords} from '../../../../app/run/cause/effect.ts';
import {DIRECTION} from '../../../../app/run/trace/columns.ts';
import type {Trace} from '../../../../app/run/trace/trace.ts';
import {objectColour} from '../../../kit/objectColours.ts';
import {isDimmed} from '../../../session/hovered.ts';
import {isLossUnknown} from '../absence.ts';
import {drawAbsence} from '../axes.ts';
import {type Box, clipped, type Drawing, drawLine, drawText, type Point} from '../drawing.ts';
import {NEAR_MARK_PX, nearest} from '../hits.ts';
import {areaMark, dimColour, ecnMarks, ghostMarks, lossMarks, milestoneMark} from '../marks.ts';
import {scaled, textWidth} from '../measures.ts';
import type {Hit, Plot, TimelineModel, TimelinePane, View} from '../model.ts';
import {fontOf, GHOST_ALPHA, PALETTES} from '../palette.ts';
import {revealedNs, revealedPart} from '../reveal.ts';
import {drawLoss, drawMarkedPackets} from '../strip.ts';

/**
 * A row for each pane. The row shows every lost packet whose data the page still needed. After each packet there is a
 * bar for each object that stopped growing because of the loss, and a text that says for how long. So the effects of
 * lost packets can be compared between panes at a glance.
 */
export const losses: View = {
  name: 'losses',
  label: 'losses',
  key: '1',
  height: 'most',
  // enough for ‘HTTP/1.1 over TCP × 6’ in one line
  leftEm: 12.9,
  hasStrip: false,
  apartBy: 'own rows',
  hasNameLines: false,
  showsLosses: true,
  graphs: panes => (panes.length === 0 ? [] : [panes]),
  legend: () => [],
  marks: panes => [
    ...lossMarks(panes, ['server data', 'browser data']),
    ...ecnMarks(panes),
    areaMark('its own data was lost', OWN_ALPHA),
    areaMark('arrived, had to wait', 1),
    milestoneMark('page complete', []),
    ...ghostMarks(panes, dimColour),
  ],
  draw,
  hit,
};

function draw(drawing: Drawing, model: TimelineModel, plot: Plot): void {
  const {box, panes} = plot;
  const rows = rowsOf(plot);
  for (const [row, pane] of panes.entries()) drawName(drawing, model, pane, rowBox(plot, rows, row));
  clipped(drawing, revealedPart(model, plot, box), () => {
    for (const [row, {trace, before}] of panes.entries()) {
      const area = rowBox(plot, rows, row);
      if (before !== undefined) drawBefore(drawing, model, plot, before, area);
      drawGround(drawing, model, plot, trace, area);
      drawMarkedPackets(drawing, model, plot, trace, {y: area.y + area.height / 2, height: MARK_EM * model.fontPx});
      for (const {effect, lane} of placedIn(trace, area)) drawEffect(drawing, model, plot, trace, effect, lane);
    }
  });
  if (panes.some(pane => isLossUnknown([pane]))) {
    drawUnknown(drawing, model, plot, rows);
  } else if (panes.every(({trace}) => effectsOf(trace).length === 0)) {
    if (panes.every(({trace}) => trace.markedPackets().length === 0))
      drawAbsence(drawing, model, plot, 'no data was lost');
    return;
  }
  clipped(drawing, box, () => {
    for (const [row, {trace}] of panes.entries()) drawWords(drawing, model, plot, trace, rowBox(plot, rows, row));
  });
}

/** If the losses of a pane are unknown, this writes a sentence about that into the pane's row. */
function drawUnknown(drawing: Drawing, model: TimelineModel, plot: Plot, rows: ScaleBand<number>): void {
  for (const [row, pane] of plot.panes.entries()) {
    const area = {...plot, box: rowBox(plot, rows, row)};
    // in a capture that was made at the client, the losses of the client's packets are known
    const whose = Number.isNaN(pane.metrics.lost.up) ? '' : ' from the server';
    if (isLossUnknown([pane])) drawAbsence(drawing, model, area, `losses${whose} are not known`);
  }
}

function rowsOf({box, panes}: Plot): ScaleBand<number> {
  return scaleBand(Array.from(panes.keys()), [box.y, box.y + box.height]).padding(0.12);
}

function rowBox({box}: Plot, rows: ScaleBand<number>, row: number): Box {
  return {...box, y: rows(row) ?? 0, height: rows.bandwidth()};
}

interface Placed {
  readonly effect: Effect;
  /** The whole row, or a part of the row if any effects in the row overlap in time. */
  readonly lane: Box;
}

/**
 * Puts each effect into the first lane that is free when its packet is lost. The number of lanes is the largest number
 * of effects that overlap at any time.
 */
function placedIn(trace: Trace, row: Box): readonly Placed[] {
  const endsNs: number[] = [];
  const places = effectsOf(trace).map(effect => {
    const free = endsNs.findIndex(endNs => endNs <= effect.lostNs);
    const lane = free < 0 ? endsNs.length : free;
    endsNs[lane] = effect.endNs;
    return {effect, lane};
  });
  const height = row.height / Math.max(endsNs.length, 1);
  return places.map(({effect, lane}) => ({effect, lane: {...row, y: row.y + lane * height, height}}));
}

/** Writes a pane's name to the left of its row. If there is room, the pane's settings are in a second line. */
function drawName(drawing: Drawing, model: TimelineModel, pane: TimelinePane, row: Box): void {
  const {label, shortName = label} = pane;
  const {fontPx, theme} = model;
  const {text, dim} = PALETTES[theme];
  const x = row.x - 0.6 * fontPx;
  const room = x - (model.leftPx ?? 0);
  // if a pane comes from a file, its label begins with the file's name
  const [name = '', ...more] = label.split(/: |, /);
  const isHigh = row.height >= 2 * LINE_EM * fontPx;
  const lines = isHigh ? [name, ...(more.length === 0 ? [] : [more.join(', ')])] : [shortName];
  for (const [line, each] of lines.entries()) {
    const y = lineY(model, row, line, lines.length);
    const bold = line === 0 ? '600 ' : '';
    drawText(
      drawing,
      cut(each, room, fontPx),
      {x, y},
      {colour: line === 0 ? text : dim, font: `${bold}${fontOf(fontPx)}`, align: 'right'},
    );
  }
}

function lineY({fontPx}: TimelineModel, {y, height}: Box, line: number, lines: number): number {
  return y + height / 2 + (line - (lines - 1) / 2) * LINE_EM * fontPx;
}

function cut(text: string, room: number, fontPx: number): string {
  const most = Math.max(1, Math.floor(room / textWidth('m', fontPx)));
  return text.length > most ? `${text.slice(0, most - 1).trimEnd()}…` : text;
}

/** Draws the background of a row up to the load's end, and a line at the end if the load is complete. */
function drawGround(drawing: Drawing, model: TimelineModel, {x}: Plot, trace: Trace, row: Box): void {
  const {line, dim} = PALETTES[model.theme];
  const end = x(trace.data.endNs);
  drawing.fillStyle = line;
  drawing.globalAlpha = 0.4;
  drawing.fillRect(row.x, row.y, end - row.x, row.height);
  drawing.globalAlpha = 1;
  const points = [row.y, row.y + row.height].map(y => ({x: end, y}));
  if (trace.data.outcome === 'complete') drawLine(drawing, points, {colour: dim, width: scaled(model, 1.5)});
}

/**
 * Draws a line at the bottom of the row for each loss of the previous run that had an effect, from the loss to the end
 * of the effect.
 */
function drawBefore(drawing: Drawing, model: TimelineModel, {x}: Plot, before: Trace, row: Box): void {
  drawing.globalAlpha = GHOST_ALPHA;
  const y = row.y + row.height - scaled(model, 1);
  for (const {lostNs, endNs} of effectsOf(before)) {
    const points = [lostNs, endNs].map(ns => ({x: x(ns), y}));
    drawLine(drawing, points, {colour: PALETTES[model.theme].dim, width: scaled(model, 2)});
  }
  drawing.globalAlpha = 1;
}

/**
 * Draws the mark of the lost packet, a dashed line from the loss to the end of the effect, and a bar for each object
 * that stopped growing. The bars are in the page's order.
 */
function drawEffect(drawing: Drawing, model: TimelineModel, {x}: Plot, trace: Trace, effect: Effect, row: Box): void {
  const untilNs = revealedNs(model);
  if (effect.lostNs > untilNs) return;
  drawUntilRepaired(drawing, model, [x(effect.lostNs), x(effect.endNs)], row);
  const {stopped} = effect;
  const lane = Math.min((LANE_ROOM * row.height) / stopped.length, MOST_LANE_EM * model.fontPx);
  const top = row.y + (row.height - lane * stopped.length) / 2;
  for (const [i, {object, fromNs, toNs, isOwn}] of [...stopped].sort(byObject).entries()) {
    drawing.fillStyle = objectColour(object, model.theme);
    drawing.globalAlpha = (isOwn ? OWN_ALPHA : 1) * (isDimmed(model.hovered, object) ? 0.25 : 1);
    const width = Math.max(x(toNs) - x(fromNs), scaled(model, 1));
    drawing.fillRect(x(fromNs), top + i * lane, width, LANE_SHARE * lane);
  }
  drawing.globalAlpha = 1;
  const isFromServer = trace.data.packets.direction[effect.packet] === DIRECTION.down;
  const height = Math.min(row.height, MARK_EM * model.fontPx);
  drawLoss(drawing, model, markOf(x(effect.lostNs), row), {height, isFromServer, hasData: true});
}

function drawUntilRepaired(drawing: Drawing, model: TimelineModel, [from, to]: Span, row: Box): void {
  const {dim} = PALETTES[model.theme];
  const {y} = markOf(from, row);
  const ahead = [from, to].map(x => ({x, y}));
  drawLine(drawing, ahead, {colour: dim, width: scaled(model, 1.5), dash: [scaled(model, 2), scaled(model, 3)]});
  const half = (MARK_EM * model.fontPx) / 2;
  const end = [y - half, y + half].map(at => ({x: to, y: at}));
  drawLine(drawing, end, {colour: dim, width: scaled(model, 1.5), dash: []});
}

function byObject(a: {readonly object: number}, b: {readonly object: number}): number {
  return a.object - b.object;
}

function markOf(x: number, row: Box): Point {
  return {x, y: row.y + row.height / 2};
}

/** Writes a text beside each effect that is over, if there is room. The largest effects are written first. */
function drawWords(drawing: Drawing, model: TimelineModel, plot: Plot, trace: Trace, row: Box): void {
  const {fontPx} = model;
  const known = placedIn(trace, row).filter(({effect}) => effect.lostNs <= revealedNs(model));
  const taken = known.map(({effect, lane}) => ({y: lane.y, span: spanOf(model, plot, effect)}));
  const end = plot.x(trace.data.endNs);
  const over = known.filter(({effect}) => effect.endNs <= revealedNs(model));
  for (const {effect, lane} of [...over].sort((a, b) => weightOf(b.effect) - weightOf(a.effect))) {
    const span = spanOf(model, plot, effect);
    const others = [[end - 1, end + 1] as const, ...taken.filter(({y}) => y === lane.y).map(each => each.span)];
    const most = Math.min(2, Math.floor(lane.height / (LINE_EM * fontPx)));
    const words = effectWords(trace, effect).slice(0, most);
    const choices = most < 1 ? [] : [words, [effectInShort(trace, effect)], [effectTime(effect)]];
    const fitting = choices
      .map(lines => {
        const width = Math.max(...lines.map((text, line) => lineWidth(model, text, line))) + fontPx;
        return {lines, width, left: roomBeside(span, end, width, others, row)};
      })
      .find(({left}) => left !== undefined);
    if (fitting?.left === undefined) continue;
    const {lines, width, left} = fitting;
    taken.push({y: lane.y, span: [left, left + width]});
    const place =
      left < span[0]
        ? ({x: span[0] - fontPx / 2, align: 'right'} as const)
        : ({x: left + fontPx / 2, align: 'left'} as const);
    for (const [line, text] of lines.entries()) {
      const y = lineY(model, lane, line, lines.length);
      drawText(drawing, text, {x: place.x, y}, {...lineStyle(model, line), align: place.align});
    }
  }
}

function lineWidth({fontPx}: TimelineModel, text: string, line: number): number {
  return line === 0 ? textWidth(text, WORDS_SIZE * fontPx) * BOLD : textWidth(text, fontPx);
}

function lineStyle({fontPx, theme}: TimelineModel, line: number) {
  const {text, dim} = PALETTES[theme];
  return line === 0 ? {colour: text, font: `600 ${fontOf(WORDS_SIZE * fontPx)}`} : {colour: dim, font: fontOf(fontPx)};
}

type Span = readonly [left: number, right: number];

/** The x range of an effect, from the left edge of its cross to the effect's end. */
function spanOf({fontPx}: TimelineModel, {x}: Plot, {lostNs, endNs}: Effect): Span {
  return [x(lostNs) - (MARK_EM * fontPx) / 2, x(endNs) + 1];
}

/** Where a text of this width can begin: after the span, before it, or after the load's end. Undefined if nowhere. */
function roomBeside(
  [from, to]: Span,
  end: number,
  width: number,
  taken: readonly Span[],
  {x, width: all}: Box,
): number | undefined {
  return [to, from - width, end + 1].find(left => {
    const isInside = left >= x && left + width <= x + all;
    return isInside && taken.every(([start, end]) => end <= left || start >= left + width);
  });
}

/** The size of an effect: the number of objects that stopped times the effect's duration, ns. */
function weightOf({stopped, lostNs, endNs}: Effect): number {
  return stopped.length * (endNs - lostNs);
}

/** The loss whose effect is nearest to the pointer, among those in the lane under the pointer. */
function hit(model: TimelineModel, plot: Plot, point: Point): Hit | undefined {
  const rows = rowsOf(plot);
  const at = plot.panes.findIndex((_, row) => {
    const {y, height} = rowBox(plot, rows, row);
    return point.y >= y && point.y <= y + height;
  });
  const trace = plot.panes[at]?.trace;
  if (trace === undefined) return undefined;
  const candidates = placedIn(trace, rowBox(plot, rows, at))
    .filter(({effect, lane}) => {
      return effect.lostNs <= revealedNs(model) && point.y >= lane.y && point.y <= lane.y + lane.height;
    })
    .map(({effect: {lostNs, endNs, packet}}) => {
      const hit = {kind: 'loss', trace, packet} as const;
      return {hit, distance: Math.max(plot.x(lostNs) - point.x, point.x - plot.x(endNs), 0)};
    });
  return nearest(candidates, NEAR_MARK_PX);
}

/** The opacity of the bar of an object whose own data was lost. */
const OWN_ALPHA = 0.45;
const LINE_EM = 1.2;
const MARK_EM = 1.5;
/** The share of the height of an effect's lane that the effect's bars may take together. */
const LANE_ROOM = 0.9;
const MOST_LANE_EM = 0.7;
/** The share that a bar fills of the step from one bar to the next. The rest of the step is the gap between them. */
const LANE_SHARE = 0.8;
/**
 * The size of an effect's first line of text, relative to the font size. It must be readable from the last row of a
 * lecture room.
 */
const WORDS_SIZE = 1.15;
const BOLD = 1.08;
