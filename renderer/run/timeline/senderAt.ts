import type {Point} from './drawing.ts';
import type {SenderHit} from './model.ts';
import {NEAR_MARK_PX, nearest} from './nearest.ts';
import type {Sender} from './senders.ts';

/** A line of a sender's values, as steps; CSS px. */
interface ValueLine {
  readonly sender: Sender;
  readonly points: readonly Point[];
}

/** The sender whose line is nearest to a point, if one is near; its values are what the tip tells. */
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

/** To a part of steps, which is level or upright. */
function distanceTo(from: Point, to: Point, {x, y}: Point): number {
  const across = Math.max(Math.min(from.x, to.x) - x, 0, x - Math.max(from.x, to.x));
  return Math.hypot(across, Math.max(Math.min(from.y, to.y) - y, 0, y - Math.max(from.y, to.y)));
}
