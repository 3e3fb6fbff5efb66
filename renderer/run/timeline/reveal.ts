import type {Box} from './drawing.ts';
import {scaled} from './measures.ts';
import type {Plot, TimelineModel} from './model.ts';

/** Until when the picture tells what happened, ns: to t where it shall not give the answer away. */
export function revealedNs({revealNs}: TimelineModel): number {
  return revealNs ?? Number.POSITIVE_INFINITY;
}

/** Of a box that spans the time on show, what is drawn; a line at t is whole. */
export function revealedPart(model: TimelineModel, {x}: Plot, box: Box): Box {
  const right = x(Math.min(revealedNs(model), model.toNs)) + scaled(model, 1);
  return {...box, width: Math.min(Math.max(right - box.x, 0), box.width)};
}
