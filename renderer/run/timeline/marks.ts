import {DIRECTION} from '../../../app/run/trace/columns.ts';
import type {Trace} from '../../../app/run/trace/trace.ts';
import {objectColour} from '../../kit/objectColours.ts';
import {type Box, type Drawing, drawLine, drawText, type Point} from './drawing.ts';
import {scaled} from './measures.ts';
import type {Mark, MarkStyle, TimelinePane} from './model.ts';
import {fontOf, GHOST_ALPHA, PALETTES, PREDICTION_DASH} from './palette.ts';
import {drawLoss, drawMarked} from './strip.ts';
import type {FiringKind} from './timers.ts';

/** Rising steps, like the line of an object. By default they have the colour of a typical object. */
export function stepsMark(text: string, colourOf = anyColour, alpha = 1): Mark {
  return {
    text,
    draw: (drawing, style, {x, y, width, height}) => {
      const [bottom, top] = [y + height * 0.85, y + height * 0.15];
      const points = [
        [0, bottom],
        [0.3, bottom],
        [0.3, (bottom + top) / 2],
        [0.7, (bottom + top) / 2],
        [0.7, top],
        [1, top],
      ].map(([share = 0, at = 0]) => ({x: x + share * width, y: at}));
      drawing.globalAlpha = alpha;
      drawLine(drawing, points, {colour: colourOf(style), width: scaled(style, 2)});
      drawing.globalAlpha = 1;
    },
  };
}

/** A horizontal line. */
export function levelMark(text: string, colourOf: (style: MarkStyle) => string): Mark {
  return {
    text,
    draw: (drawing, style, {x, y, width, height}) => {
      const points = [x, x + width].map(at => ({x: at, y: y + height / 2}));
      drawLine(drawing, points, {colour: colourOf(style), width: scaled(style, 2)});
    },
  };
}

/** A filled area of a graph or of a row. */
export function areaMark(text: string, alpha: number, heightShare = 0.8, colourOf = anyColour): Mark {
  return {
    text,
    draw: (drawing, style, {x, y, width, height}) => {
      drawing.globalAlpha = alpha;
      drawing.fillStyle = colourOf(style);
      drawing.fillRect(x, y + ((1 - heightShare) * height) / 2, width, heightShare * height);
      drawing.globalAlpha = 1;
    },
  };
}

/** A bar with stripes, like an object's bar in the waterfall while bytes of the object wait. */
export function stripesMark(text: string): Mark {
  return {
    text,
    draw: (drawing, style, box) => {
      areaMark(text, 1).draw(drawing, style, box);
      const [every, stripe] = [scaled(style, 5), scaled(style, 2)];
      drawing.fillStyle = textColour(style);
      for (let at = 0; at < box.width; at += every)
        drawing.fillRect(box.x + at, box.y + 0.1 * box.height, Math.min(stripe, box.width - at), 0.8 * box.height);
    },
  };
}

/** A number, like the connection numbers before the bars of the waterfall. */
export function numberMark(text: string): Mark {
  return {
    text,
    draw: (drawing, style, {x, y, width, height}) => {
      const place = {x: x + width / 2, y: y + height / 2};
      drawText(drawing, '1', place, {colour: textColour(style), font: fontOf(style.fontPx), align: 'center'});
    },
  };
}

/** A vertical bar. `heightPx` is its height if the text has 13 px; see `scaled`. */
export function barMark(text: string, heightPx: number, colourOf = anyColour): Mark {
  return {
    text,
    draw: (drawing, style, {x, y, width, height}) => {
      const [across, up] = [scaled(style, 3), Math.min(scaled(style, heightPx), height)];
      drawing.fillStyle = colourOf(style);
      drawing.fillRect(x + (width - across) / 2, y + (height - up) / 2, across, up);
    },
  };
}

/** A vertical line through a graph. `dash` is in px if the text has 13 px; see `scaled`. */
export function milestoneMark(text: string, dash: readonly number[]): Mark {
  return {
    text,
    draw: (drawing, style, {x, y, width, height}) => {
      const points = [y, y + height].map(at => ({x: x + width / 2, y: at}));
      const {dim} = PALETTES[style.theme];
      const dashes = dash.map(px => scaled(style, px));
      drawLine(drawing, points, {colour: dim, width: scaled(style, 1), dash: dashes});
    },
  };
}

/** The mark of a timer that fired. */
export function timerMark(text: string, kind: FiringKind, colourOf: (style: MarkStyle) => string): Mark {
  return {
    text,
    draw: (drawing, style, {x, y, width, height}) =>
      drawTimer(drawing, style, kind, {x: x + width / 2, y: y + height * 0.25, foot: y + height}, colourOf(style)),
  };
}

/**
 * Draws a timer that fired, as a line from the bottom of the graph. The line ends in a filled square for a
 * retransmission timeout, and in an empty square for QUIC's probe timeout. For TCP's tail loss probe the line is dashed
 * and has no square.
 */
export function drawTimer(
  drawing: Drawing,
  style: MarkStyle,
  kind: FiringKind,
  {x, y, foot}: Point & {readonly foot: number},
  colour: string,
): void {
  const dash = kind === 'tail-loss-probe' ? PROBE_DASH.map(px => scaled(style, px)) : [];
  const points = [y, foot].map(y => ({x, y}));
  drawLine(drawing, points, {colour, width: scaled(style, 1.5), dash});
  if (kind === 'tail-loss-probe') return;
  const size = scaled(style, 7);
  drawing.fillStyle = colour;
  drawing.fillRect(x - size / 2, y - size / 2, size, size);
  if (kind === 'timeout') return;
  const inner = size - scaled(style, 3);
  drawing.fillStyle = PALETTES[style.theme].background;
  drawing.fillRect(x - inner / 2, y - inner / 2, inner, inner);
}

/** A mark for each kind of lost packet that these loads have and the view draws. */
export function lossMarks(panes: readonly TimelinePane[], drawn: readonly LossKind[] = KINDS): readonly Mark[] {
  const kinds = new Set(panes.flatMap(({trace}) => trace.droppedPackets().map(packet => kindOf(trace, packet))));
  return LOSSES.filter(({kind}) => kinds.has(kind) && drawn.includes(kind)).map(({kind, text}) => ({
    text,
    draw: (drawing: Drawing, style: MarkStyle, box: Box) => {
      const place = {x: box.x + box.width / 2, y: box.y + box.height / 2};
      const [isFromServer, hasData] = [kind.startsWith('server'), kind.endsWith('data')];
      drawLoss(drawing, style, place, {height: style.fontPx, isFromServer, hasData});
    },
  }));
}

/** The marks of packets that queues marked, for each direction in which these loads have any. */
export function ecnMarks(panes: readonly TimelinePane[]): readonly Mark[] {
  const directions = new Set(
    panes.flatMap(({trace}) => trace.markedPackets().map(packet => trace.data.packets.direction[packet])),
  );
  return [DIRECTION.down, DIRECTION.up]
    .filter(direction => directions.has(direction))
    .map(direction => {
      const isFromServer = direction === DIRECTION.down;
      return {
        text: `marked by the queue (ECN), from the ${isFromServer ? 'server' : 'browser'}`,
        draw: (drawing: Drawing, style: MarkStyle, box: Box) => {
          const place = {x: box.x + box.width / 2, y: box.y + box.height / 2};
          drawMarked(drawing, style, place, {height: style.fontPx, isFromServer});
        },
      };
    });
}

/** The faint mark of the previous run. Empty if the panes have no previous run. */
export function ghostMarks(panes: readonly TimelinePane[], colourOf = anyColour): readonly Mark[] {
  const hasGhost = panes.some(({before}) => before !== undefined);
  return hasGhost ? [stepsMark('before the change', colourOf, GHOST_ALPHA)] : [];
}

/** The mark of the time when the page is predicted to be complete. Empty if none of these panes has a prediction. */
export function predictionMarks(panes: readonly TimelinePane[]): readonly Mark[] {
  const hasModel = panes.some(({predictedNs}) => predictedNs !== undefined);
  return hasModel ? [milestoneMark('page complete, predicted (L06)', PREDICTION_DASH)] : [];
}

/** The given mark if any data waited at the client for earlier data, otherwise nothing. */
export function waitMarks(panes: readonly TimelinePane[], mark: Mark): readonly Mark[] {
  return panes.some(({trace}) => trace.blockedRows().length > 0) ? [mark] : [];
}

export function textColour({theme}: MarkStyle): string {
  return PALETTES[theme].text;
}

export function dimColour({theme}: MarkStyle): string {
  return PALETTES[theme].dim;
}

function anyColour({theme}: MarkStyle): string {
  return objectColour(SAMPLE_OBJECT, theme);
}

function kindOf(trace: Trace, packet: number): LossKind {
  const isFromServer = trace.data.packets.direction[packet] === DIRECTION.down;
  const hasData = trace.objectsOf(packet).length > 0;
  return `${isFromServer ? 'server' : 'browser'} ${hasData ? 'data' : 'control'}`;
}

const LOSSES = [
  {kind: 'server data', text: 'lost from the server: data'},
  {kind: 'browser data', text: 'lost from the browser: request'},
  {kind: 'server control', text: 'lost from the server: control'},
  {kind: 'browser control', text: 'lost from the browser: control'},
] as const;

const KINDS = LOSSES.map(({kind}) => kind);
type LossKind = (typeof KINDS)[number];

/** The dashes of the line of a tail loss probe, in px if the text has 13 px. */
const PROBE_DASH = [3, 3];

/** The object whose colour represents all objects. The first pictures have the strongest colours. */
const SAMPLE_OBJECT = 2;
