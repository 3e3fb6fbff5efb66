import type {Axis, TimelineName} from '../../app/movie/options.ts';
import {DEFAULT_THRESHOLDS, type Thresholds} from '../../app/quality/states.ts';
import type {Theme} from '../objectColours.ts';
import type {TimeWindow} from '../timeline/zoom.ts';

/** A part of the side that folds: how pages load, the path's rest, its changes, a pane's rest, the results. */
export type SectionName =
  | 'loading'
  | 'path'
  | 'changes'
  | `pane ${number}`
  | 'quality'
  | 'metrics'
  | 'objects';

/** How the window shows a run; none of it changes the run. */
export interface ViewSettings {
  /** Null follows the system's. */
  readonly theme: Theme | null;
  readonly timeline: TimelineName;
  /** What the percent view counts. */
  readonly axis: Axis;
  readonly layout: 'stacked' | 'overlaid';
  /** What of the run the timeline shows; null for all of it. */
  readonly zoom: TimeWindow | null;
  readonly isPresenting: boolean;
  readonly isHelpOpen: boolean;
  readonly isRecordOpen: boolean;
  /** Quality by bytes. */
  readonly isQualityOpen: boolean;
  /** Many seeds, in the timeline's place. */
  readonly areSeedsOpen: boolean;
  readonly areControlsOpen: boolean;
  /** Of the side; all others are folded. */
  readonly openSections: readonly SectionName[];
  /** Edits of the path hold from t on; otherwise for the whole run. */
  readonly isFromNow: boolean;
  /** From when on a picture is recognisable, and good. */
  readonly thresholds: Thresholds;
}

export const FIRST_VIEW: ViewSettings = {
  theme: null,
  timeline: 'percent',
  axis: 'bytes',
  layout: 'stacked',
  zoom: null,
  isPresenting: false,
  isHelpOpen: false,
  isRecordOpen: false,
  isQualityOpen: false,
  areSeedsOpen: false,
  areControlsOpen: true,
  openSections: ['metrics', 'objects'],
  isFromNow: false,
  thresholds: DEFAULT_THRESHOLDS,
};
