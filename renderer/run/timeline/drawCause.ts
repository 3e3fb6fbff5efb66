import {durationText, objectName} from '../../../app/run/trace/traceTexts.ts';
import {objectColour} from '../../kit/objectColours.ts';
import {type Chain, chainOf, chainUntil} from './causeChain.ts';
import {clipped, type Drawing, drawCross, drawLine, drawPlate, drawText, PLATE_ALPHA, type Point} from './drawing.ts';
import {scaled, textWidth} from './measures.ts';
import type {ExplainedLoss, Plot, TimelineModel} from './model.ts';
import {fontOf, PALETTES} from './palette.ts';
import {stripOf} from './plots.ts';
import {revealedNs} from './reveal.ts';

/**
 * Draws the effect of a lost packet over the graph of its pane. At the bottom, an arrow leads from the loss to the time
 * when the sender noticed it, to the retransmission and to its arrival. Above the arrow are brackets for the objects
 * that waited. Nothing after {@link revealedNs} is drawn.
 */
export function drawCause(drawing: Drawing, model: TimelineModel, plot: Plot): void {
  const {explained} = model;
  if (explained == null || !plot.panes.some(({trace}) => trace === explained.trace)) return;
  const {box, strip} = plot;
  const chain = chainUntil(chainOf(explained.trace, explained.cause), revealedNs(model));
  if (chain === null) return;
  const rows = rowsOf(model, plot);
  // the mark of a packet is taller than a row of the strip, so it needs some room below the strip
  const area = {...box, height: strip.y + strip.height - box.y + scaled(model, 3)};
  clipped(drawing, area, () => {
    drawLink(drawing, model, plot, explained, rows.chainY);
    drawBrackets(drawing, model, plot, explained, chain, rows);
    drawChain(drawing, model, plot, explained, chain, rows.chainY);
  });
  if (rows.wordsY !== undefined) drawWords(drawing, model, plot, chain, rows.wordsY);
}

interface Rows {
  readonly chainY: number;
  /** The y of the middle of the line of words; undefined if there is no room for words. */
  readonly wordsY: number | undefined;
  /** The y of the middle of the lowest bracket. */
  readonly bracketY: number;
  /** How many brackets there is room for. */
  readonly brackets: number;
}

/** The positions of the rows, from the bottom of the graph upwards. A low graph has only the arrow. */
function rowsOf({fontPx}: TimelineModel, {box}: Plot): Rows {
  const foot = box.y + box.height;
  const hasWords = box.height > 2.2 * fontPx;
  const bracketY = foot - 2.7 * fontPx;
  const room = Math.floor((bracketY + 0.6 * fontPx - box.y) / (BRACKET_EM * fontPx));
  return {
    chainY: foot - 0.6 * fontPx,
    wordsY: hasWords ? foot - 1.55 * fontPx : undefined,
    bracketY,
    brackets: Math.max(0, Math.min(room, MOST_BRACKETS)),
  };
}

/** Draws a cross on the packet's mark, and a line from the mark to the arrow. */
function drawLink(drawing: Drawing, model: TimelineModel, plot: Plot, explained: ExplainedLoss, chainY: number): void {
  const {text} = PALETTES[model.theme];
  const pane = plot.panes.findIndex(({trace}) => trace === explained.trace);
  const row = stripOf(plot, pane);
  const y = model.view.lossY?.(model, plot, explained) ?? row.y + row.height / 2;
  const x = plot.x(explained.cause.lostNs);
  drawLine(
    drawing,
    [
      {x, y},
      {x, y: chainY},
    ],
    {colour: text, width: scaled(model, 1.5)},
  );
  drawCross(drawing, {x, y}, {size: scaled(model, 12), width: scaled(model, 3), colour: text});
}

function drawChain(
  drawing: Drawing,
  model: TimelineModel,
  plot: Plot,
  {cause}: ExplainedLoss,
  chain: Chain,
  y: number,
): void {
  const {text, background} = PALETTES[model.theme];
  const {x} = plot;
  const px = (length: number): number => scaled(model, length);
  drawing.fillStyle = background;
  drawing.globalAlpha = PLATE_ALPHA;
  drawing.fillRect(x(chain.lostNs) - px(5), y - px(6), x(chain.endNs) - x(chain.lostNs) + px(10), px(12));
  drawing.globalAlpha = 1;
  // dotted up to the first retransmission
  const first = chain.sendings[0]?.fromNs ?? chain.endNs;
  const colour = colourOf(model, cause, text);
  const waiting = [chain.lostNs, first].map(ns => ({x: x(ns), y}));
  drawLine(drawing, waiting, {colour: text, width: px(2), dash: [px(2), px(3)]});
  for (const [i, {fromNs, toNs, isLost}] of chain.sendings.entries()) {
    const nextNs = chain.sendings[i + 1]?.fromNs ?? toNs;
    const missing = [fromNs, nextNs].map(ns => ({x: x(ns), y}));
    if (isLost) drawLine(drawing, missing, {colour: text, width: px(2), dash: [px(2), px(3)]});
    else drawArrow(drawing, {x: x(fromNs), y}, {x: x(toNs), y}, {colour: text, size: px(5), width: px(2)});
    drawing.fillStyle = colour;
    drawing.fillRect(x(fromNs) - px(2), y - px(6), px(4), px(12));
    if (isLost) drawCross(drawing, {x: x(fromNs), y}, {size: px(9), width: px(2), colour: text});
  }
  for (const {atNs, kind} of chain.moments) {
    drawing.fillStyle = text;
    if (kind === 'noticed') drawing.fillRect(x(atNs) - px(3), y - px(3), px(6), px(6));
  }
  if (chain.isOver && chain.sendings.length === 0 && chain.endNs > chain.lostNs) {
    const head = {colour: text, size: px(5), width: px(2)};
    drawArrow(drawing, {x: x(chain.endNs) - px(6), y}, {x: x(chain.endNs), y}, head);
  }
  drawCross(drawing, {x: x(chain.lostNs), y}, {size: px(8), width: px(2), colour: text});
}

function drawArrow(
  drawing: Drawing,
  from: Point,
  to: Point,
  {colour, size, width}: {readonly colour: string; readonly size: number; readonly width: number},
): void {
  drawLine(drawing, [from, to], {colour, width});
  const wing = (side: number): Point => ({x: to.x - size, y: to.y + side * size});
  for (const side of [-1, 1]) drawLine(drawing, [wing(side), to], {colour, width});
}

/**
 * Writes the word of each moment above the arrow. If two words would overlap, only the word with the lower {@link RANK}
 * is written.
 */
function drawWords(drawing: Drawing, model: TimelineModel, plot: Plot, chain: Chain, y: number): void {
  const {box, x} = plot;
  const {fontPx} = model;
  const {text, background} = PALETTES[model.theme];
  const placed: {readonly left: number; readonly right: number}[] = [];
  const inOrder = [...chain.moments].sort((a, b) => RANK[a.kind] - RANK[b.kind]);
  for (const {atNs, text: word, kind} of inOrder) {
    const [at, width] = [x(atNs), textWidth(word, fontPx)];
    if (at < box.x || at > box.x + box.width) continue;
    // the cursor is often at the end of the effect, so the word for the end is to the right of this time, where no
    // cursor crosses it
    const isEnd = kind === 'end';
    const wanted = isEnd ? at + fontPx * 0.5 : at - width + fontPx * 0.4;
    const left = Math.max(box.x, Math.min(wanted, box.x + box.width - width));
    const span = {left, right: left + width};
    const gap = fontPx / 2;
    if (placed.some(other => span.left < other.right + gap && other.left < span.right + gap)) continue;
    placed.push(span);
    drawPlate(drawing, background, {x: left, y}, width, fontPx);
    const place = {x: isEnd ? left : left + width, y};
    const style = {colour: text, font: `600 ${fontOf(fontPx)}`};
    drawText(drawing, word, place, {...style, align: isEnd ? 'left' : 'right'});
  }
}

const RANK = {noticed: 0, lost: 1, end: 2};

/**
 * Draws a bracket for each wait. It has the object's colour, and beside it are the object's name and the length of the
 * wait.
 */
function drawBrackets(
  drawing: Drawing,
  model: TimelineModel,
  plot: Plot,
  {trace}: ExplainedLoss,
  {waits}: Chain,
  {bracketY, brackets}: Rows,
): void {
  const {box, x} = plot;
  const {fontPx, theme} = model;
  const {background, text} = PALETTES[theme];
  const isMore = waits.length > brackets;
  const shown = waits.slice(0, isMore ? Math.max(brackets - 1, 0) : brackets);
  const tick = scaled(model, 4);
  for (const [row, {object, fromNs, toNs, isOver}] of shown.entries()) {
    const y = bracketY - row * BRACKET_EM * fontPx;
    const [from, to] = [x(fromNs), x(toNs)];
    const colour = objectColour(object, theme);
    const name = objectName(trace, object);
    const label = isOver ? `${name} waited ${durationText(toNs - fromNs)}` : `${name} waits`;
    drawPlate(drawing, background, {x: from, y}, to - from, fontPx);
    drawLine(
      drawing,
      [
        {x: from, y},
        {x: to, y},
      ],
      {colour, width: scaled(model, 3)},
    );
    for (const end of [from, to]) {
      drawLine(
        drawing,
        [
          {x: end, y: y - tick},
          {x: end, y: y + tick},
        ],
        {colour, width: scaled(model, 3)},
      );
    }
    drawBeside(drawing, model, {left: from, right: to, y}, label, box);
  }
  if (!isMore || brackets === 0) return;
  const y = bracketY - shown.length * BRACKET_EM * fontPx;
  const [first] = waits;
  const more = `${waits.length - shown.length}${shown.length === 0 ? '' : ' more'} waited`;
  const left = Math.max(x(first?.fromNs ?? 0), box.x);
  drawPlate(drawing, background, {x: left, y}, textWidth(more, fontPx), fontPx);
  drawText(drawing, more, {x: left, y}, {colour: text, font: fontOf(fontPx)});
}

/** Writes a label after the bracket, or before the bracket if there is room only there. */
function drawBeside(
  drawing: Drawing,
  model: TimelineModel,
  {left, right, y}: {readonly left: number; readonly right: number; readonly y: number},
  label: string,
  box: Plot['box'],
): void {
  const {fontPx, theme} = model;
  const {background, text} = PALETTES[theme];
  const [gap, width] = [fontPx * 0.5, textWidth(label, fontPx)];
  const isAfter = right + gap + width <= box.x + box.width || left - gap - width < box.x;
  const x = isAfter ? right + gap : left - gap - width;
  drawPlate(drawing, background, {x, y}, width, fontPx);
  drawText(drawing, label, {x, y}, {colour: text, font: fontOf(fontPx)});
}

/**
 * Returns the colour of the first object whose data was lost. If the packet had no data, returns the colour of text.
 */
function colourOf({theme}: TimelineModel, {cargo}: ExplainedLoss['cause'], text: string): string {
  const [part] = cargo.kind === 'data' ? cargo.parts : [];
  return part === undefined ? text : objectColour(part.object, theme);
}

/** The vertical distance between brackets. */
const BRACKET_EM = 1.35;
/** The largest number of brackets. If more objects waited, the others are counted instead. */
const MOST_BRACKETS = 5;
