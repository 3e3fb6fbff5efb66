import type {Hit} from './model.ts';

/** Something that is drawn, and how far it is from the pointer, CSS px. */
interface Candidate {
  readonly hit: Hit;
  readonly distance: number;
}

/** The first of the nearest, if it is nearer than `withinPx`. */
export function nearest(candidates: readonly Candidate[], withinPx: number): Hit | undefined {
  const best = candidates.reduce<{hit?: Hit; distance: number}>(
    (closest, each) => (each.distance < closest.distance ? each : closest),
    {distance: withinPx},
  );
  return best.hit;
}

/** A mark may be so far from the pointer, CSS px. */
export const NEAR_MARK_PX = 8;
