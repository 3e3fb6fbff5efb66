import type {Point} from './drawing.ts';
import type {Hit, SenderHit, TimelineModel} from './model.ts';
import {columnAt, layOut} from './plots.ts';
import {revealedPart} from './reveal.ts';
import type {Sender} from './senders.ts';

/**
 * What the picture shows at a point: a mark, line or row near the point. Undefined if nothing is near, or if the point
 * is in the part of a graph that is not drawn yet ({@link revealedPart}).
 */
export function hitTest(picture: TimelineModel, point: Point): Hit | undefined {
  const model = columnAt(picture, point.x);
  const plot = layOut(model).find(({box, strip}) => {
    return point.y >= box.y - 4 && point.y <= strip.y + strip.height + 4;
  });
  if (plot === undefined) return undefined;
  const {x, width} = revealedPart(model, plot, plot.box);
  return point.x > x + width && point.x < plot.box.x + plot.box.width ? undefined : model.view.hit(model, plot, point);
}

/** A drawn mark, line or row, and its distance from the pointer, CSS px. */
interface Candidate {
  readonly hit: Hit;
  readonly distance: number;
}

/**
 * The nearest candidate that is less than `withinPx` away. If several are equally near, the first of them is returned.
 */
export function nearest(candidates: readonly Candidate[], withinPx: number): Hit | undefined {
  const best = candidates.reduce<{hit?: Hit; distance: number}>(
    (closest, each) => (each.distance < closest.distance ? each : closest),
    {distance: withinPx},
  );
  return best.hit;
}

/** The pointer finds a mark that is less than this away, CSS px. */
export const NEAR_MARK_PX = 8;

/** The line of a sender's values as steps, CSS px. */
interface ValueLine {
  readonly sender: Sender;
  readonly points: readonly Point[];
}

/** The sender whose line is nearest to a point, if a line is near. `values` says which values the tip shows. */
export function senderAt(
  lines: readonly ValueLine[],
  point: Point,
  values: SenderHit['values'],
): SenderHit | undefined {
  const marks = lines.map(({sender, points}) => ({
    hit: {kind: 'sender', sender, values} as const,
    distance: Math.min(...points.slice(1).map((to, i) => distanceTo(points[i] ?? to, to, point))),
  }));
  const hit = nearest(marks, NEAR_MARK_PX);
  return hit?.kind === 'sender' ? hit : undefined;
}

/** The distance to one part of a stepped line. The part is horizontal or vertical. */
function distanceTo(from: Point, to: Point, {x, y}: Point): number {
  const across = Math.max(Math.min(from.x, to.x) - x, 0, x - Math.max(from.x, to.x));
  return Math.hypot(across, Math.max(Math.min(from.y, to.y) - y, 0, y - Math.max(from.y, to.y)));
}
