import type {BoxPoint, Figure, LinePoint} from '../../../app/study/figures/figure.ts';

/** A point of a figure in the window: a mean or a box. */
export type FigurePoint = LinePoint | BoxPoint;

export interface Place {
  readonly point: FigurePoint;
  /** The position in the figure, px. */
  readonly x: number;
  readonly y: number;
}

export function pointsOf({marks}: Figure): readonly FigurePoint[] {
  return marks.kind === 'lines' || marks.kind === 'boxes' ? marks.points : [];
}

/** The positions of the points, from left to right within each panel, and panel by panel. */
export function placesOf(figure: Figure, svg: SVGElement): readonly Place[] {
  const points = pointsOf(figure);
  const drawn = figure.series.map((_, series) => points.filter(point => point.series === series));
  const marks = svg.querySelectorAll('g[aria-label="dot"]');
  const frame = svg.getBoundingClientRect();
  const places = drawn
    .filter(own => own.length > 0)
    .flatMap((own, i) =>
      Array.from(marks[i]?.querySelectorAll('circle, path') ?? []).flatMap((mark): readonly Place[] => {
        // like d3, Plot stores the index of a mark's datum in the element
        const point = own[Number((mark as {readonly __data__?: unknown}).__data__)];
        if (point === undefined) return [];
        const {left, top, width, height} = mark.getBoundingClientRect();
        return [{point, x: left + width / 2 - frame.left, y: top + height / 2 - frame.top}];
      }),
    );
  return places.sort((a, b) => a.point.panel - b.point.panel || a.x - b.x || a.point.series - b.point.series);
}

/** The place nearest to `at`; undefined if no place is within `reachPx`. */
export function placeNear(
  places: readonly Place[],
  at: {readonly x: number; readonly y: number},
  reachPx: number,
): Place | undefined {
  let [nearest, least]: [Place | undefined, number] = [undefined, reachPx];
  for (const place of places) {
    const away = Math.hypot(place.x - at.x, place.y - at.y);
    if (away < least) [nearest, least] = [place, away];
  }
  return nearest;
}

/**
 * The place that a key leads to. Left, right, Home and End move along the series and from panel to panel. Up and down
 * move to the other series of the same cell. At an end the place stays the same. Returns undefined for any other key.
 */
export function placeBeside(places: readonly Place[], {point, y}: Place, key: string): Place | undefined {
  const row = places.filter(each => each.point.series === point.series);
  const at = row.findIndex(each => each.point.cell === point.cell);
  const to = {ArrowLeft: at - 1, ArrowRight: at + 1, Home: 0, End: row.length - 1}[key];
  if (to !== undefined) return row[Math.min(Math.max(to, 0), row.length - 1)];
  const column = places.filter(each => each.point.cell === point.cell && each.point.series !== point.series);
  const sign = {ArrowUp: -1, ArrowDown: 1}[key];
  if (sign === undefined) return undefined;
  const beyond = column.filter(each => (each.y - y) * sign >= 0);
  return beyond.sort((a, b) => (a.y - b.y) * sign)[0] ?? row[at];
}
