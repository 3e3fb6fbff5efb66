import {type ScaleLinear, scaleLinear} from 'd3-scale';
import type {SeedRow} from '../../../app/host/contract.ts';
import type {Measure} from './measures.ts';
import {type Middle, middleOf} from './middle.ts';
import {swarm} from './swarm.ts';

/** The size in which a chart is laid out, CSS px. */
export interface ChartSize {
  readonly width: number;
  readonly height: number;
  readonly fontPx: number;
}

/**
 * One measure of many runs: a row of dots for each pane, on a common axis. A dot is at the Speed Index of a run, or at
 * the time of an event in it, such as "all pictures are recognisable".
 */
export interface Chart {
  /** The scale from ms to px. */
  readonly x: ScaleLinear<number, number>;
  readonly ticks: readonly number[];
  readonly rows: readonly ChartRow[];
  /** The y position of the axis, px from the top. */
  readonly axisY: number;
  /** Dots from this x position on (px) are runs in which the event never happened. Null if there are no such runs. */
  readonly neverX: number | null;
}

export interface ChartRow {
  /** The y position of the middle of the row's dots, px from the top. */
  readonly y: number;
  readonly height: number;
  /** The radius of its dots, px. */
  readonly radius: number;
  /** The y position of the middle of the pane's name, px from the top. */
  readonly nameY: number;
  readonly dots: readonly Dot[];
  readonly never: readonly Dot[];
  /** The dot of the run on screen: one of the row's dots, or a dot at the position that the run would have. */
  readonly shown: Dot;
  /** The middle half of all runs ({@link middleOf}), px. Null without runs, or if the first quartile is infinite. */
  readonly box: Box | null;
  /** The median of all runs, ms. Infinite if the event never happened in at least half of them, null without runs. */
  readonly medianMs: number | null;
}

export interface Dot {
  readonly seed: number;
  /** The time of the event, ms; null if it never happened. */
  readonly ms: number | null;
  readonly x: number;
  readonly y: number;
}

/**
 * The middle half of the values, px, with the median and its 95 % confidence interval. `median` is null if the median
 * is infinite, and `interval` is null for fewer than 6 runs. If `to` or an end of the interval is infinite, it is drawn
 * at {@link Chart.neverX}.
 */
interface Box {
  readonly from: number;
  readonly to: number;
  readonly median: number | null;
  readonly interval: readonly [from: number, to: number] | null;
}

/** Lays out a chart. `shown` is the run on screen, whose seed may be one of the rows' seeds or another seed. */
export function layOutChart(rows: readonly SeedRow[], shown: SeedRow, measure: Measure, size: ChartSize): Chart {
  const {width, height, fontPx} = size;
  const panes = shown.panes.length;
  const values = shown.panes.map((_, pane) => rows.map(row => valueIn(row, pane, measure)));
  const shownValues = shown.panes.map((_, pane) => valueIn(shown, pane, measure));
  const all = [...values.flat(), ...shownValues];
  const neverAt = all.some(({ms}) => ms === null) ? width - fontPx * NEVER_EM : null;
  const most = all.reduce((largest, {ms}) => Math.max(largest, ms ?? 0), 0);
  const x = scaleLinear([0, most || 1000], [fontPx * LEFT_EM, (neverAt ?? width) - fontPx]);
  const top = fontPx * TITLE_EM;
  const axisY = height - fontPx * AXIS_EM;
  const rowHeight = Math.max(axisY - top, 1) / Math.max(panes, 1);
  const nameHeight = fontPx * NAME_EM;
  const dotsHeight = Math.max(rowHeight - nameHeight, 1);
  const mostRadius = Math.min(fontPx * 0.3, dotsHeight / 6);
  const seconds = x.copy().domain(x.domain().map(ms => ms / 1000));
  return {
    x,
    ticks: seconds.ticks(Math.max(2, width / (fontPx * 6))).map(second => second * 1000),
    axisY,
    neverX: neverAt,
    rows: values.map((column, pane) => {
      const y = top + pane * rowHeight + nameHeight + dotsHeight / 2;
      const came = column.filter(each => each.ms !== null);
      const never = column.filter(each => each.ms === null);
      const middle = middleOf(column.map(({ms}) => ms));
      const times = came.map(({ms}) => ms ?? 0);
      const dots = swarm(times.map(x), mostRadius, dotsHeight / 2);
      const apart = swarm(
        never.map(() => 0),
        dots.radius,
        dotsHeight / 2,
      );
      const neverX = width - (fontPx * NEVER_EM) / 2;
      const cameDots = came.map((each, i) => ({...each, x: x(times[i] ?? 0), y: y + (dots.ys[i] ?? 0)}));
      const neverDots = never.map((each, i) => ({...each, x: neverX, y: y + (apart.ys[i] ?? 0)}));
      const own = shownValues[pane] ?? {seed: shown.seed, ms: null};
      const among = [...cameDots, ...neverDots].find(({seed}) => seed === own.seed);
      return {
        y,
        height: dotsHeight,
        radius: dots.radius,
        nameY: top + pane * rowHeight + nameHeight / 2,
        dots: cameDots,
        never: neverDots,
        shown: among ?? {...own, x: own.ms === null ? neverX : x(own.ms), y},
        box:
          middle === null ? null : boxOf(middle, ms => (ms === Number.POSITIVE_INFINITY ? (neverAt ?? width) : x(ms))),
        medianMs: middle?.median ?? null,
      };
    }),
  };
}

function valueIn(row: SeedRow, pane: number, measure: Measure) {
  const shown = row.panes[pane];
  return {seed: row.seed, ms: shown === undefined ? null : measure.pick(shown)};
}

function boxOf({q1, median, q3, interval}: Middle, x: (ms: number) => number): Box | null {
  if (q1 === Number.POSITIVE_INFINITY) return null;
  return {
    from: x(q1),
    to: x(q3),
    median: median === Number.POSITIVE_INFINITY ? null : x(median),
    interval: interval === null ? null : [x(interval[0]), x(interval[1])],
  };
}

/** Half of the width of the text `0 s`. */
const LEFT_EM = 1;
const TITLE_EM = 1.5;
const AXIS_EM = 1.6;
const NAME_EM = 1.5;
/** The width of the column for runs in which the event never happened. */
const NEVER_EM = 4.5;

/** The dot nearest to a point; undefined if no dot is within `reachPx`. */
export function dotNear(
  {rows}: Chart,
  {x, y}: {readonly x: number; readonly y: number},
  reachPx: number,
): Dot | undefined {
  let [nearest, least]: [Dot | undefined, number] = [undefined, reachPx];
  for (const dot of rows.flatMap(row => [...row.dots, ...row.never])) {
    const away = Math.hypot(dot.x - x, dot.y - y);
    if (away < least) [nearest, least] = [dot, away];
  }
  return nearest;
}

/** Identifies a dot by its pane and its seed. */
export interface DotPlace {
  readonly pane: number;
  readonly seed: number;
}

/**
 * The dot to which a key moves from the given dot. Left, right, Home and End move along the row in the order of time;
 * runs in which the event never happened are last. Up and down move to the same seed in another row. If there is no dot
 * in that direction, the dot stays the same. Returns undefined for any other key.
 */
export function dotBeside({rows}: Chart, {pane, seed}: DotPlace, key: string): DotPlace | undefined {
  const row = rows[pane];
  const rowStep = ROW_STEPS[key];
  if (rowStep !== undefined) return {pane: Math.min(Math.max(pane + rowStep, 0), rows.length - 1), seed};
  if (row === undefined) return undefined;
  const order = [...row.dots].sort((a, b) => a.x - b.x || a.seed - b.seed).concat(row.never);
  const at = order.findIndex(dot => dot.seed === seed);
  const to = {ArrowLeft: at - 1, ArrowRight: at + 1, Home: 0, End: order.length - 1}[key];
  const dot = to === undefined ? undefined : order[Math.min(Math.max(to, 0), order.length - 1)];
  return dot && {pane, seed: dot.seed};
}

/**
 * The dot that gets the focus first: in the first row, the dot of the run on screen, or the first dot if that run has
 * none.
 */
export function firstDot({rows}: Chart): DotPlace | undefined {
  const [row] = rows;
  if (row === undefined) return undefined;
  const seeds = [...row.dots, ...row.never].map(({seed}) => seed);
  const seed = seeds.includes(row.shown.seed) ? row.shown.seed : seeds[0];
  return seed === undefined ? undefined : {pane: 0, seed};
}

const ROW_STEPS: {readonly [key: string]: number} = {ArrowUp: -1, ArrowDown: 1};
