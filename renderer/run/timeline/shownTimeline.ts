import type {TimelineModel} from './model.ts';

/** What a timeline of the window shows. */
export interface ShownTimeline {
  readonly model: TimelineModel;
  /** Whether the run is drawn only up to t, the time that the panes show. */
  readonly isUpToT: boolean;
}

const shown = new WeakMap<Element, ShownTimeline>();

/** Remembers what the timeline in this element shows, for parts of the window that point at its marks. */
export function setShownTimeline(element: Element | null, timeline: ShownTimeline): void {
  if (element !== null) shown.set(element, timeline);
}

/** What the timeline in this element shows; undefined if it has not been drawn yet. */
export function shownTimelineOf(element: Element): ShownTimeline | undefined {
  return shown.get(element);
}
