import {scaleLog} from 'd3-scale';
import type {Theme} from '../../../kit/objectColours.ts';
import {isLossUnknown} from '../absence.ts';
import {drawAbsence, drawValues} from '../axes.ts';
import {connectionLegend, hasConnectionColours, mostConnections, senderLine} from '../connections.ts';
import {clipped, type Drawing, drawLine, type Point} from '../drawing.ts';
import {NEAR_MARK_PX, nearest, senderAt} from '../hits.ts';
import {drawTimer, ghostMarks, levelMark, textColour, timerMark} from '../marks.ts';
import {scaled, VALUES_EM} from '../measures.ts';
import type {Hit, Mark, MarkStyle, Plot, TimelineModel, TimelinePane, View} from '../model.ts';
import {dashOf, GHOST_ALPHA, PALETTES, paneColour} from '../palette.ts';
import {isCrowded, oneOrEach} from '../plots.ts';
import {revealedNs, revealedPart} from '../reveal.ts';
import {hasSamples, knownSendersOf, type Sender, type Side, sendersBefore, sendersOf, stepsOf} from '../senders.ts';
import {type Firing, firingsOf, KIND_TEXTS} from '../timers.ts';

/**
 * SRTT and RTO (for QUIC, PTO) of the servers, and each timer that fired at either end. The mark of such a timer is at
 * the height of the RTO (PTO) before the timer fired. For a live load the lines are the browser's, because the server's
 * values are unknown. All graphs share one logarithmic scale: it has room for an RTO of seconds and an SRTT of tenths
 * of a second, and each doubling has the same height.
 */
export const rtt: View = {
  name: 'rtt',
  label: 'RTT',
  key: '6',
  isRare: true,
  height: 'usual',
  leftEm: VALUES_EM,
  hasStrip: false,
  apartBy: 'dashes',
  hasNameLines: false,
  graphs: oneOrEach,
  legend: (theme, panes) => (isMeasured(panes) ? legend(theme, panes) : []),
  marks: (panes, layout) => [
    ...lineMarks(oneOrEach(panes, layout)),
    ...timerMarks(panes),
    ...ghostMarks(panes, textColour),
  ],
  draw,
  hit,
};

/** The legend inside the picture. */
function legend(theme: Theme, panes: readonly TimelinePane[]): readonly (readonly [string, string])[] {
  return [
    ...(hasConnectionColours(panes) ? [[`${timersText(panes)} of connections`, PALETTES[theme].dim] as const] : []),
    ...(hasConnectionColours(panes)
      ? connectionLegend(theme, panes)
      : [[`${timersText(panes)} ━`, PALETTES[theme].text] as const]),
    ...(hasSrtt(panes) ? [[`${whoseText(panes)}SRTT ━`, srttColour({theme})] as const] : []),
  ];
}

/** The marks of the lines for the legend beside the picture. A graph with long names has no room for its own legend. */
function lineMarks(graphs: readonly (readonly TimelinePane[])[]): readonly Mark[] {
  const measured = graphs.filter(isMeasured);
  if (measured.length === 0) return [];
  const timer = levelMark(`${timersText(measured.flat())}: timeout for an ACK`, textColour);
  return [timer, ...(measured.some(hasSrtt) ? [levelMark('SRTT: smoothed round trip', srttColour)] : [])];
}

/** The marks of the kinds of timers that fired at either end. */
function timerMarks(panes: readonly TimelinePane[]): readonly Mark[] {
  return SIDES.flatMap(({side, name}) => {
    const fired = new Set(
      sendersOf(panes, side)
        .flatMap(firingsOf)
        .map(({kind}) => kind),
    );
    return FIRING_KINDS.filter(kind => fired.has(kind)).map(kind => {
      return timerMark(`${name} ${KIND_TEXTS[kind]}`, kind, style => sideColour(style, side));
    });
  });
}

/**
 * Whether any end of a connection of these panes has samples. Samples of the servers in the previous run count, too.
 */
function isMeasured(panes: readonly TimelinePane[]): boolean {
  return hasSamples(panes) || knownSendersOf(panes).some(({rows}) => rows.length > 0);
}

/** Returns `browser’s ` if all lines are the browser's, otherwise an empty text. */
function whoseText(panes: readonly TimelinePane[]): string {
  const measured = knownSendersOf(panes).filter(({rows}) => rows.length > 0);
  return measured.length > 0 && measured.every(({side}) => side === 'client') ? 'browser’s ' : '';
}

/** Returns `RTO`, `PTO` for QUIC, or both, after the text of {@link whoseText}. */
function timersText(panes: readonly TimelinePane[]): string {
  const timers = new Set(panes.filter(pane => isMeasured([pane])).map(({trace}) => trace.pipeline.timer));
  return `${whoseText(panes)}${timers.size === 0 ? 'RTO' : [...timers].join(' or ')}`;
}

const SIDES = [
  {side: 'server', name: 'server’s'},
  {side: 'client', name: 'browser’s'},
] as const;

const FIRING_KINDS = ['timeout', 'tail-loss-probe', 'probe-timeout'] as const;

function draw(drawing: Drawing, model: TimelineModel, plot: Plot): void {
  const {box, panes} = plot;
  if (!isMeasured(panes)) {
    const why = isLossUnknown(panes) ? 'the RTT is not known' : 'no RTT is measured';
    drawAbsence(drawing, model, plot, why);
    return;
  }
  const y = valueScale(model, plot);
  drawValues(drawing, model, plot, y, valueText);
  clipped(drawing, revealedPart(model, plot, box), () => {
    drawing.globalAlpha = GHOST_ALPHA;
    for (const ghost of sendersBefore(panes, 'server')) {
      const colour = paneColour(model, panes.length, ghost.pane);
      const style = {colour, width: scaled(model, 1.5), dash: dashOf(model, ghost.pane)};
      drawLine(drawing, stepsOf(plot.x, ghost, ghost.trace.data.samples.rtoNs, y), style);
    }
    drawing.globalAlpha = 1;
    for (const line of valueLines(model, plot)) drawLine(drawing, line.points, line);
    for (const {firing, x, y} of firingsIn(model, plot)) {
      const place = {x, y, foot: box.y + box.height};
      drawTimer(drawing, model, firing.kind, place, sideColour(model, firing.sender.side));
    }
  });
}

/** A drawn line of one of a sender's values. */
interface ValueLine {
  readonly sender: Sender;
  readonly points: readonly Point[];
  readonly colour: string;
  readonly width: number;
  readonly dash: readonly number[];
}

/** Whether SRTT is drawn. A graph with more than two panes or several connections shows only the RTO. */
function hasSrtt(panes: readonly TimelinePane[]): boolean {
  return !isCrowded({panes}) && mostConnections(panes) === 1;
}

/** The lines of SRTT and RTO. RTO is drawn over SRTT. */
function valueLines(model: TimelineModel, plot: Plot): readonly ValueLine[] {
  const y = valueScale(model, plot);
  return knownSendersOf(plot.panes).flatMap(sender => {
    const {srttNs, rtoNs} = sender.trace.data.samples;
    const line = {sender, width: scaled(model, 2), ...senderLine(model, plot, sender)};
    const srtt = {...line, colour: srttColour(model), points: stepsOf(plot.x, sender, srttNs, y, {isZeroNone: true})};
    const rto = {...line, points: stepsOf(plot.x, sender, rtoNs, y)};
    return hasSrtt(plot.panes) ? [srtt, rto] : [rto];
  });
}

interface PlacedFiring extends Point {
  readonly firing: Firing;
}

/** The visible timers that fired. Those of the servers are drawn over those of the browsers. */
function firingsIn(model: TimelineModel, plot: Plot): readonly PlacedFiring[] {
  const {box, x, panes} = plot;
  const y = valueScale(model, plot);
  return [...sendersOf(panes, 'client'), ...sendersOf(panes, 'server')].flatMap(sender =>
    firingsOf(sender).flatMap(firing => {
      const at = x(firing.atNs);
      const isInSight = firing.atNs <= revealedNs(model) && at >= box.x && at <= box.x + box.width;
      return isInSight ? [{firing, x: at, y: y(firing.rtoNs)}] : [];
    }),
  );
}

/** The nearest timer that fired. If no timer is near, the sender whose line is nearest. */
function hit(model: TimelineModel, plot: Plot, point: Point): Hit | undefined {
  const foot = plot.box.y + plot.box.height;
  const firings = firingsIn(model, plot).map(({firing, x, y}) => ({
    hit: {kind: 'sender', sender: firing.sender, values: 'rtt', firing} as const,
    distance: Math.hypot(x - point.x, Math.max(y - point.y, 0, point.y - foot)),
  }));
  return nearest(firings, NEAR_MARK_PX) ?? senderAt(valueLines(model, plot), point, 'rtt');
}

/** The y axis, ns to CSS px, the same in each graph. It begins and ends at 1, 2 or 5 times a power of ten. */
function valueScale(
  {allPanes, panes, layout}: TimelineModel,
  {box}: Plot,
): ((ns: number) => number) & {ticks(count: number): number[]} {
  const values = oneOrEach(allPanes ?? panes, layout).flatMap(valuesIn);
  const [least, most] = values.length === 0 ? [1e8, 1e9] : [smallestOf(values), largestOf(values)];
  const rounds = roundValues(least, most);
  const [from = least, to = most] = [rounds[0], rounds.at(-1)];
  const scale = scaleLog([from, Math.max(to, 2 * from)], [box.y + box.height, box.y]);
  const ticks = (count: number): number[] =>
    rounds.length <= 2 * count ? [...rounds] : rounds.filter(value => Math.log10(value) % 1 === 0);
  return Object.assign((ns: number) => scale(ns), {ticks});
}

/** The values for which a graph of these panes needs room: RTO, and SRTT if it is drawn, of both ends, ns. */
function valuesIn(panes: readonly TimelinePane[]): readonly number[] {
  const senders = [...sendersOf(panes, 'server'), ...sendersOf(panes, 'client'), ...sendersBefore(panes, 'server')];
  return senders
    .flatMap(({trace, rows}) => {
      const {srttNs, rtoNs} = trace.data.samples;
      return rows.flatMap(row => [hasSrtt(panes) ? (srttNs[row] ?? 0) : 0, rtoNs[row] ?? 0]);
    })
    .filter(ns => ns > 0);
}

/** The values 1, 2, 5, 10, … from `least` to `most`, and one more at each end: a line at the edge would be cut off. */
function roundValues(least: number, most: number): readonly number[] {
  const decades = Array.from({length: 22}, (_, i) => 10 ** i);
  const all = decades.flatMap(decade => [decade, 2 * decade, 5 * decade]);
  const first = all.findLastIndex(value => value < least);
  const last = all.findIndex(value => value > most);
  return all.slice(Math.max(first, 0), last + 1);
}

function smallestOf(values: readonly number[]): number {
  return values.reduce((least, value) => Math.min(least, value));
}

function largestOf(values: readonly number[]): number {
  return values.reduce((most, value) => Math.max(most, value));
}

function valueText(ns: number): string {
  return ns < 1e9 ? `${ns / 1e6} ms` : `${ns / 1e9} s`;
}

/** The colours are the same as those of lost packets: red for the server, grey for the browser. */
function sideColour({theme}: Pick<MarkStyle, 'theme'>, side: Side): string {
  const {warning, dim} = PALETTES[theme];
  return side === 'server' ? warning : dim;
}

/** A colour that no pane and no connection has. */
function srttColour({theme}: Pick<MarkStyle, 'theme'>): string {
  return PALETTES[theme].accent;
}
