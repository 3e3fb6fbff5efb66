import type {TimelineName} from '../../app/movie/options.ts';
import type {Theme} from '../objectColours.ts';
import type {TimeWindow} from '../timeline/zoom.ts';

/** How the window shows a run; none of it changes the run. */
export interface ViewSettings {
  /** Null follows the system's. */
  readonly theme: Theme | null;
  readonly timeline: TimelineName;
  readonly layout: 'stacked' | 'overlaid';
  /** What of the run the timeline shows; null for all of it. */
  readonly zoom: TimeWindow | null;
  readonly isPresenting: boolean;
  readonly isHelpOpen: boolean;
  readonly isRecordOpen: boolean;
  readonly areControlsOpen: boolean;
  /** Edits of the path hold from t on; otherwise for the whole run. */
  readonly isFromNow: boolean;
}

export const FIRST_VIEW: ViewSettings = {
  theme: null,
  timeline: 'percent',
  layout: 'stacked',
  zoom: null,
  isPresenting: false,
  isHelpOpen: false,
  isRecordOpen: false,
  areControlsOpen: true,
  isFromNow: false,
};
