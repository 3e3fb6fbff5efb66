import {expect, test} from 'vitest';
import {CAUSE_KINDS} from '../../../app/run/why/causeKinds.ts';
import {causeColour} from '../../../app/study/figures/causeColours.ts';
import {objectColour} from '../../kit/objectColours.ts';
import type {Box, Point} from './drawing.ts';
import {hitTest} from './hits.ts';
import {scaled, timeScale} from './measures.ts';
import type {Hit, Plot, SenderHit, TimelineModel, TimelinePane} from './model.ts';
import {PALETTES} from './palette.ts';
import {allPlots, stripOf} from './plots.ts';
import {revealedNs} from './reveal.ts';
import {drawn} from './testing/drawn.ts';
import {GOLDEN_MODELS} from './testing/goldenModels.ts';

// The pointer must find what is drawn. The test reads the marks from each golden's picture, and points at their
// positions and at a grid over the whole picture.

/** Something drawn that the pointer must find. */
interface Mark {
  readonly name: string;
  /** How far a point is from the mark, CSS px. */
  readonly distance: (point: Point) => number;
  /** How far from the mark the pointer may find it, CSS px. */
  readonly reachPx: number;
  /** Points on the mark, at which the pointer must find it. */
  readonly on: readonly Point[];
}

/** What is drawn, by the view's name. */
const MARKS: {readonly [view: string]: (model: TimelineModel) => readonly Mark[]} = {
  percent: model => [...linesOf(model), ...lossesOf(model)],
  packets: packetsOf,
  waterfall: rowsOf,
  why: whyRowsOf,
  window: valuesOf,
  rtt: model => [...valuesOf(model), ...timersOf(model)],
  losses: effectsOf,
  queue: model => [...queuesOf(model), ...lossesOf(model)],
};

test.each(GOLDEN_MODELS)('each mark of $name is found at its position', ({model}) => {
  const marks = marksOf(model);
  // lines are cut off at t
  const isDrawn = ({x}: Point) => timeScale(model).invert(x) <= revealedNs(model);
  const places = marks.flatMap(({on}) => on).filter(isDrawn);
  expect(places.length).toBeGreaterThan(model.view.showsLosses === true ? -1 : 2);
  for (const point of places) {
    const here = marks.filter(({distance}) => distance(point) < 1).map(({name}) => name);
    expect(here, placeText(point)).toContain(nameOf(model, hitTest(model, point)));
  }
});

test.each(GOLDEN_MODELS)('nothing of $name is found where nothing is drawn', {tags: ['long']}, ({model}) => {
  const marks = marksOf(model);
  for (const point of grid(model)) {
    const hit = hitTest(model, point);
    if (hit === undefined) continue;
    const near = marks.filter(({distance, reachPx}) => distance(point) < reachPx + 0.1);
    expect(
      near.map(({name}) => name),
      placeText(point),
    ).toContain(nameOf(model, hit));
  }
});

function marksOf(model: TimelineModel): readonly Mark[] {
  return MARKS[model.view.name]?.(model) ?? [];
}

/** The lines of objects, within their graph. */
function linesOf(model: TimelineModel): readonly Mark[] {
  const plots = allPlots(model);
  return drawn(model).lines.flatMap(({colour, points, width}) => {
    const object = objectOf(model, colour);
    const [first = {x: 0, y: 0}] = points;
    const box = plots
      .map(plot => plot.box)
      .filter(({y, height}) => isWithin(first.y, y, y + height))
      .sort((a, b) => distanceTo(a, first) - distanceTo(b, first))[0];
    // the ghost of the previous run is only for comparison and cannot be pointed at
    const isGhost = width === scaled(model, 1.5);
    if (object < 0 || box === undefined || isGhost) return [];
    const steps = points
      .slice(1)
      .map((to, i) => stepIn(box, points[i] ?? to, to))
      .filter(({width, height}) => width >= 0 && height >= 0);
    const distance = (point: Point) => Math.min(...steps.map(step => distanceTo(step, point)));
    return [{name: `object ${object}`, distance, reachPx: 12, on: steps.map(middleOf)}];
  });
}

/** The crosses below a graph. If the graph has several panes, each pane has its row. */
function lossesOf(model: TimelineModel): readonly Mark[] {
  return crosses(model).flatMap(({x, y}) =>
    allPlots(model).flatMap(plot =>
      plot.panes.flatMap((pane, i) => {
        const row = stripOf(plot, i);
        const isInRow = (at: number) => isWithin(at, row.y, row.y + row.height);
        const halfCross = row.height / 2;
        const isInSight = isWithin(x, row.x - halfCross, row.x + row.width + halfCross);
        if (!isInRow(y) || !isInSight) return [];
        const distance = (point: Point) =>
          plot.panes.length === 1 || isInRow(point.y) ? Math.abs(point.x - x) : Number.POSITIVE_INFINITY;
        return [{name: lossName(plot, [pane], x), distance, reachPx: 8, on: [{x, y}]}];
      }),
    ),
  );
}

/**
 * The area from each cross to the end of its bars, at any height of its row. Where losses overlap, either may be found.
 */
function effectsOf(model: TimelineModel): readonly Mark[] {
  const [plot] = allPlots(model);
  if (plot === undefined) return [];
  const {box, panes} = plot;
  const rowAt = (y: number) => Math.floor(((y - box.y) / box.height) * panes.length);
  return crosses(model).flatMap(({x, y}) => {
    const pane = panes[rowAt(y)];
    const dots = drawn(model).lines.find(
      ({dash, points: [from]}) => dash !== '' && Math.hypot((from?.x ?? 0) - x, (from?.y ?? 0) - y) < 0.1,
    );
    if (pane === undefined || dots === undefined) return [];
    const isInSight = isWithin(x, box.x, box.x + box.width);
    const to = dots.points[1]?.x ?? x;
    const distance = (point: Point) =>
      rowAt(point.y) === rowAt(y) ? Math.max(x - point.x, 0, point.x - to) : Number.POSITIVE_INFINITY;
    return [{name: lossName(plot, [pane], x), distance, reachPx: 8, on: isInSight ? [{x, y}] : []}];
  });
}

/** The packets whose middle is inside the graph. Packets with a cross are lost. */
function packetsOf(model: TimelineModel): readonly Mark[] {
  return drawn(model).rects.flatMap(({colour, ...rect}) => {
    const object = objectOf(model, colour);
    const {x, y} = middleOf(rect);
    const plot = allPlots(model).find(({box}) => distanceTo(box, {x, y}) < 0.1);
    if (object < 0 || plot === undefined) return [];
    const isLost = crosses(model).some(cross => Math.hypot(cross.x - x, cross.y - y) < 0.1);
    const name = isLost ? lossName(plot, plot.panes, x) : `object ${object}`;
    return [{name, distance: (point: Point) => Math.hypot(point.x - x, point.y - y), reachPx: 8, on: [{x, y}]}];
  });
}

/** The areas above and below the line between the queues, which is the only solid horizontal line in a graph's middle. */
function queuesOf(model: TimelineModel): readonly Mark[] {
  const {text} = PALETTES[model.theme];
  return allPlots(model).flatMap(({box}) => {
    const middle = drawn(model).lines.find(({colour, points: [from, to]}) => {
      return colour === text && from?.y === to?.y && isWithin(from?.y ?? 0, box.y, box.y + box.height);
    });
    const y = middle?.points[0]?.y ?? box.y;
    const halves = [
      {name: 'queue down', area: {...box, height: y - box.y}},
      {name: 'queue up', area: {...box, y, height: box.y + box.height - y}},
    ];
    return halves.map(({name, area}) => ({
      name,
      distance: (point: Point) => distanceTo(area, point),
      reachPx: 4,
      on: [0.2, 0.5].map(share => ({x: area.x + share * area.width, y: area.y + area.height / 2})),
    }));
  });
}

/** The bars. A row is found at any x, also beside its bar. */
function rowsOf(model: TimelineModel): readonly Mark[] {
  const bars = drawn(model).rects.filter(({colour}) => objectOf(model, colour) >= 0);
  return bars.map(({colour, ...bar}) => ({
    name: `object ${objectOf(model, colour)}`,
    distance: ({y}) => distanceTo({...bar, x: 0, width: 0}, {x: 0, y}),
    reachPx: bar.height,
    on: [middleOf(bar)],
  }));
}

/** The parts of bars with the colours of causes, and the rows, each of which is found beside its bars. */
function whyRowsOf(model: TimelineModel): readonly Mark[] {
  const rowPx = ({height}: Box) => height / 4;
  const causes = drawn(model).rects.flatMap(({colour, ...rect}) => {
    const cause = CAUSE_KINDS.find(({name}) => causeColour(name, model.theme) === colour);
    const middle = middleOf(rect);
    const plot = allPlots(model).find(({box}) => isWithin(middle.y, box.y, box.y + box.height));
    if (cause === undefined || plot === undefined) return [];
    const object = Math.floor((middle.y - plot.box.y) / rowPx(plot.box));
    // a low part of a bar is found in the whole height of the bar
    const reachPx = rowPx(plot.box);
    const isInSight = isWithin(middle.x, plot.box.x, plot.box.x + plot.box.width);
    const name = `${cause.name} of object ${object}`;
    return [{name, distance: (point: Point) => distanceTo(rect, point), reachPx, on: isInSight ? [middle] : []}];
  });
  const rows = allPlots(model).flatMap(({box}) =>
    [0, 1, 2, 3].map(object => {
      const row = {...box, x: 0, width: model.width, y: box.y + object * rowPx(box), height: rowPx(box)};
      return {name: `object ${object}`, distance: (point: Point) => distanceTo(row, point), reachPx: 0.1, on: []};
    }),
  );
  return [...causes, ...rows];
}

/** The lines of senders' values, such as SRTT or cwnd. The test does not check whose line is found. */
function valuesOf(model: TimelineModel): readonly Mark[] {
  const plots = allPlots(model);
  return sendersLines(model).map(points => {
    const steps = points.slice(1).map((to, i) => between(points[i] ?? to, to));
    // near the mark of a timer, the pointer finds the timer and not the line
    const isClear = (point: Point) =>
      plots.some(({box}) => distanceTo(box, point) === 0) &&
      timersOf(model).every(({distance}) => distance(point) > 8.1);
    return {
      name: 'a sender',
      reachPx: 8,
      on: steps.map(middleOf).filter(isClear),
      distance: (point: Point) => Math.min(...steps.map(step => distanceTo(step, point))),
    };
  });
}

/** The marks of timers that fired. Each has a line from its duration down to the bottom of the graph. */
function timersOf(model: TimelineModel): readonly Mark[] {
  const {warning, dim} = PALETTES[model.theme];
  return drawn(model).lines.flatMap(({colour, points: [top, foot]}) => {
    const isTimer = (colour === warning || colour === dim) && top !== undefined && top.x === foot?.x;
    if (!isTimer || foot.y <= top.y) return [];
    const box = between(top, foot);
    const name = colour === warning ? 'the server’s timer' : 'the client’s timer';
    return [{name, distance: (point: Point) => distanceTo(box, point), reachPx: 8, on: [middleOf(box)]}];
  });
}

function sendersLines(model: TimelineModel): readonly (readonly Point[])[] {
  const {line} = PALETTES[model.theme];
  // the ghost of the previous run is only for comparison and cannot be pointed at
  const isOwn = ({colour, width}: {readonly colour: string; readonly width: number}) =>
    colour !== line && width === scaled(model, 2);
  return drawn(model).lines.flatMap(each => (isOwn(each) ? [each.points] : []));
}

function between(from: Point, to: Point): Box {
  const [x, y] = [Math.min(from.x, to.x), Math.min(from.y, to.y)];
  return {x, y, width: Math.abs(to.x - from.x), height: Math.abs(to.y - from.y)};
}

function senderName({sender, firing}: SenderHit): string {
  return firing === undefined ? 'a sender' : `the ${sender.side}’s timer`;
}

/** The middles of crosses. Each cross has two diagonal lines, and only the one that leads downwards is used. */
function crosses(model: TimelineModel): readonly Point[] {
  const {warning, dim} = PALETTES[model.theme];
  return drawn(model).lines.flatMap(({colour, points: [from, to]}) => {
    const isCross = (colour === warning || colour === dim) && from !== undefined && to !== undefined;
    if (!isCross || from.x === to.x || to.y <= from.y) return [];
    return [{x: (from.x + to.x) / 2, y: (from.y + to.y) / 2}];
  });
}

function nameOf(model: TimelineModel, hit: Hit | undefined): string {
  if (hit === undefined) return 'nothing';
  if (hit.kind === 'object' || hit.kind === 'packet') return `object ${hit.object}`;
  if (hit.kind === 'cause') return `${hit.span.cause} of object ${hit.object}`;
  if (hit.kind === 'sender') return senderName(hit);
  if (hit.kind === 'queue') return `queue ${hit.way}`;
  const plot = allPlots(model).find(({panes}) => panes.some(({trace}) => trace === hit.trace));
  const {label} = model.panes.find(({trace}) => trace === hit.trace) ?? {};
  return `loss at ${Math.round(plot?.x(hit.trace.data.packets.fateNs[hit.packet] ?? 0) ?? 0)} of ${label}`;
}

/** The name of a loss, as in {@link nameOf}: its x position (`at`, CSS px), and the panes with a loss there. */
function lossName({x}: Plot, panes: readonly TimelinePane[], at: number): string {
  const lost = panes.filter(({trace}) =>
    trace.droppedPackets().some(packet => Math.abs(x(trace.data.packets.fateNs[packet] ?? 0) - at) < 0.1),
  );
  return `loss at ${Math.round(at)} of ${lost.map(({label}) => label).join()}`;
}

/** The object with this colour; -1 if no object has it. */
function objectOf({theme}: TimelineModel, colour: string): number {
  return [0, 1, 2, 3].findIndex(object => objectColour(object, theme) === colour);
}

function stepIn({x: left, width}: Box, from: Point, to: Point): Box {
  const [start, end] = [Math.max(from.x, left), Math.min(to.x, left + width)];
  return {x: start, y: to.y, width: end - start, height: from.y - to.y};
}

function distanceTo({x, y, width, height}: Box, point: Point): number {
  const across = Math.max(x - point.x, 0, point.x - x - width);
  return Math.hypot(across, Math.max(y - point.y, 0, point.y - y - height));
}

function middleOf({x, y, width, height}: Box): Point {
  return {x: x + width / 2, y: y + height / 2};
}

function isWithin(value: number | undefined, from: number, to: number): boolean {
  return value !== undefined && value >= from - 0.1 && value <= to + 0.1;
}

function grid({width, height}: TimelineModel): readonly Point[] {
  const points: Point[] = [];
  for (let x = 0; x < width; x += 8) for (let y = 0; y < height; y += 3) points.push({x, y});
  return points;
}

function placeText({x, y}: Point): string {
  return `at ${x.toFixed(1)}, ${y.toFixed(1)}`;
}
