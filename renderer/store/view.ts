import type {Theme} from '../objectColours.ts';

/** How the window shows a run; none of it changes the run. */
export interface ViewSettings {
  /** Null follows the system's. */
  readonly theme: Theme | null;
  readonly timeline: TimelineView;
  readonly layout: 'stacked' | 'overlaid';
  readonly isPresenting: boolean;
  readonly isHelpOpen: boolean;
  readonly areControlsOpen: boolean;
  /** Edits of the path hold from t on; otherwise for the whole run. */
  readonly isFromNow: boolean;
}

export type TimelineView = 'percent' | 'waterfall' | 'packets' | 'window';

export const TIMELINE_VIEWS: readonly TimelineView[] = ['percent', 'waterfall', 'packets', 'window'];

export const FIRST_VIEW: ViewSettings = {
  theme: null,
  timeline: 'percent',
  layout: 'stacked',
  isPresenting: false,
  isHelpOpen: false,
  areControlsOpen: true,
  isFromNow: false,
};
