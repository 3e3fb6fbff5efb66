import type {Layout, TimelinePane} from './model.ts';

/** The panes of each graph: overlaid they share one. */
export function oneOrEach(panes: readonly TimelinePane[], layout: Layout): readonly (readonly TimelinePane[])[] {
  return layout === 'overlaid' && panes.length > 0 ? [panes] : panes.map(pane => [pane]);
}

/** More graphs would be too low to read: they stand in columns. */
export const MOST_BELOW_EACH_OTHER = 4;

/** More lines than two panes' can be followed by nobody. */
export function isCrowded({panes}: {readonly panes: readonly TimelinePane[]}): boolean {
  return panes.length > 2;
}
