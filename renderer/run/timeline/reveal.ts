import type {Box} from './drawing.ts';
import {scaled} from './measures.ts';
import type {Plot, TimelineModel} from './model.ts';

/** The time up to which the picture shows the run, ns. It is t if the picture hides what is after t, else infinite. */
export function revealedNs({revealNs}: TimelineModel): number {
  return revealNs ?? Number.POSITIVE_INFINITY;
}

/**
 * The part of a box that is drawn, from the left edge to the revealed time. A line at that time is drawn completely.
 */
export function revealedPart(model: TimelineModel, {x}: Plot, box: Box): Box {
  const right = x(Math.min(revealedNs(model), model.toNs)) + scaled(model, 1);
  return {...box, width: Math.min(Math.max(right - box.x, 0), box.width)};
}
