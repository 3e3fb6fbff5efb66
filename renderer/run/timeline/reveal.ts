import type {Box} from './drawing.ts';
import {scaled} from './measures.ts';
import type {Plot, TimelineModel} from './model.ts';

/**
 * The time up to which the picture shows the run, ns: the model's `revealNs`, or infinite if the whole run is shown.
 */
export function revealedNs({revealNs}: TimelineModel): number {
  return revealNs ?? Number.POSITIVE_INFINITY;
}

/**
 * The part of a box that is drawn, from the left edge to the revealed time. It is wider by the width of a line, so that
 * a line at the revealed time is not cut.
 */
export function revealedPart(model: TimelineModel, {x}: Plot, box: Box): Box {
  const right = x(Math.min(revealedNs(model), model.toNs)) + scaled(model, 1);
  return {...box, width: Math.min(Math.max(right - box.x, 0), box.width)};
}
