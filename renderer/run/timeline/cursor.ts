import type {Box} from './drawing.ts';
import type {Plot} from './model.ts';

/** Where t is, CSS px, and whether the graphs show it. */
interface Cursor {
  readonly x: number;
  readonly isInSight: boolean;
}

export function cursorAt(x: Plot['x'], tNs: number): Cursor {
  const at = x(tNs);
  const [left = 0, right = 0] = x.range();
  return {x: at, isInSight: at >= left - 1 && at <= right + 1};
}

/** The cursor goes through the graphs alone: a line through a name could not be read. CSS px. */
export function cursorPart({box, strip}: Plot): Box {
  return {x: box.x, y: box.y, width: 0, height: strip.y + strip.height - box.y};
}
