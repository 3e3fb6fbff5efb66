import type {BoxPoint, Figure, LinePoint, StackPoint} from '../../../app/study/figures/figure.ts';

/**
 * A point of a figure in the window: a mean, a box, or a part of a bar. One of the parts of a bar stands for the whole
 * bar.
 */
export type FigurePoint = LinePoint | BoxPoint | StackPoint;

export interface Place {
  readonly point: FigurePoint;
  /** The position in the figure, px. A bar's position is the middle of its top. */
  readonly x: number;
  readonly y: number;
  /** The bottom of a bar, px. */
  readonly bottom?: number;
}

/** The points of a figure; each part of a bar is a point. Empty for the kinds of figure that have other marks. */
export function pointsOf({marks}: Figure): readonly FigurePoint[] {
  return marks.kind === 'lines' || marks.kind === 'boxes' || marks.kind === 'stacks' ? marks.points : [];
}

/**
 * The index of the pane that a point of an experiment is about. In a figure of bars, the series are causes; in the
 * other figures of an experiment, they are the panes. For a point of the advice, the result is the index of its series,
 * which is a scheduler.
 */
export function paneOf(point: FigurePoint): number {
  return 'pane' in point ? point.pane : point.series;
}

/** The positions of the points, from left to right within each panel, and panel by panel. A bar has one position. */
export function placesOf(figure: Figure, svg: SVGElement): readonly Place[] {
  const frame = svg.getBoundingClientRect();
  const drawn = drawnPoints(figure, svg).map(({point, box}): Place => {
    const x = box.left + box.width / 2 - frame.left;
    if ('pane' in point) return {point, x, y: box.top - frame.top, bottom: box.bottom - frame.top};
    return {point, x, y: box.top + box.height / 2 - frame.top};
  });
  const places = figure.marks.kind === 'stacks' ? wholeBars(drawn) : drawn;
  return places.toSorted((a, b) => a.point.panel - b.point.panel || a.x - b.x || a.point.series - b.point.series);
}

/** The points, each with the rectangle around its mark on screen. */
function drawnPoints(figure: Figure, svg: SVGElement): readonly {readonly point: FigurePoint; readonly box: DOMRect}[] {
  const points = pointsOf(figure);
  const bySeries = figure.series.map((_, series) => points.filter(point => point.series === series));
  const marks = svg.querySelectorAll(`g[aria-label="${figure.marks.kind === 'stacks' ? 'bar' : 'dot'}"]`);
  return bySeries
    .filter(own => own.length > 0)
    .flatMap((own, i) =>
      Array.from(marks[i]?.querySelectorAll('circle, path, rect') ?? []).flatMap(mark => {
        // Observable Plot stores the index of a mark's datum in the property `__data__` of the element
        const point = own[Number((mark as {readonly __data__?: unknown}).__data__)];
        return point === undefined ? [] : [{point, box: mark.getBoundingClientRect()}];
      }),
    );
}

/** Joins the parts of each bar. The first part stands for the bar. */
function wholeBars(parts: readonly Place[]): readonly Place[] {
  const bars = new Map<string, Place>();
  for (const part of parts) {
    const {cell, panel} = part.point;
    const bar = bars.get(`${cell} ${panel}`) ?? part;
    const bottom = Math.max(bar.bottom ?? bar.y, part.bottom ?? part.y);
    bars.set(`${cell} ${panel}`, {...bar, y: Math.min(bar.y, part.y), bottom});
  }
  return [...bars.values()];
}

/** The place nearest to `at`; undefined if no place is within `reachPx`. */
export function placeNear(
  places: readonly Place[],
  at: {readonly x: number; readonly y: number},
  reachPx: number,
): Place | undefined {
  let [nearest, least]: [Place | undefined, number] = [undefined, reachPx];
  for (const place of places) {
    const {x, y, bottom = y} = place;
    const away = Math.hypot(x - at.x, Math.max(y - at.y, at.y - bottom, 0));
    if (away < least) [nearest, least] = [place, away];
  }
  return nearest;
}

/**
 * The place that a key leads to. Left, right, Home and End move along the series and from panel to panel. Up and down
 * move to the next point above or below in the same cell. At an end the place stays the same. Returns undefined for any
 * other key.
 */
export function placeBeside(places: readonly Place[], {point, y}: Place, key: string): Place | undefined {
  // a figure of bars has a panel for each pane, and one row of bars
  const row = 'pane' in point ? places : places.filter(each => each.point.series === point.series);
  const at = row.findIndex(each => each.point.cell === point.cell && each.point.panel === point.panel);
  const to = {ArrowLeft: at - 1, ArrowRight: at + 1, Home: 0, End: row.length - 1}[key];
  if (to !== undefined) return row[Math.min(Math.max(to, 0), row.length - 1)];
  const column = places.filter(each => each.point.cell === point.cell && paneOf(each.point) !== paneOf(point));
  const sign = {ArrowUp: -1, ArrowDown: 1}[key];
  if (sign === undefined) return undefined;
  const beyond = column.filter(each => (each.y - y) * sign >= 0);
  return beyond.sort((a, b) => (a.y - b.y) * sign)[0] ?? row[at];
}
