import type {Point} from './drawing.ts';
import {holdBox} from './losses.ts';
import type {Hit, TimelineModel} from './model.ts';

interface TipSize {
  readonly width: number;
  readonly height: number;
}

/**
 * The upper left corner of a tooltip of that size, CSS px of the timeline. Of a loss it covers neither the mark nor
 * what was held up from then on: it stands before them, or after, or below the graph, or above.
 */
export function tipPlace(model: TimelineModel, hit: Hit, {x, y}: Point, {width, height}: TipSize): Point {
  const top = clamp(y - height - GAP_PX, 0, model.height - height);
  const explained = hit.kind === 'loss' ? holdBox(model, hit) : undefined;
  if (explained === undefined) return {x: clamp(x + GAP_PX, 0, model.width - width), y: top};
  const inside = clamp(x - width / 2, 0, model.width - width);
  const places: readonly Point[] = [
    {x: explained.x - GAP_PX - width, y: top},
    {x: explained.x + explained.width + GAP_PX, y: top},
    {x: inside, y: explained.y + explained.height + GAP_PX},
    {x: inside, y: explained.y - GAP_PX - height},
  ];
  // below the last graph are times and totals, which nobody asks for then
  const lowest = model.height + height;
  const good = places.find(
    place => place.x >= 0 && place.x + width <= model.width && place.y >= 0 && place.y + height <= lowest,
  );
  return good ?? {x: inside, y: explained.y + explained.height + GAP_PX};
}

function clamp(value: number, least: number, most: number): number {
  return Math.max(least, Math.min(value, most));
}

const GAP_PX = 12;
