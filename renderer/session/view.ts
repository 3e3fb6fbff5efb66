import {DEFAULT_THRESHOLDS, type Thresholds} from '../../app/run/quality/states.ts';
import type {Axis, TimelineName} from '../../app/telling/movie/options.ts';
import type {Theme} from '../kit/objectColours.ts';
import type {TimeWindow} from './zoom.ts';

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
  /** The dialog that is open, by its name; null for none. */
  readonly dialog: string | null;
  /** The feature whose panel stands in the timeline's place, by its name; null for none. */
  readonly panel: string | null;
  readonly areControlsOpen: boolean;
  /** The sections of the side that are open, by their names; all others are folded. */
  readonly openSections: readonly string[];
  /** Edits of the path hold from t on; otherwise for the whole run. */
  readonly isFromNow: boolean;
  /** From when on a picture is recognisable, and good. */
  readonly thresholds: Thresholds;
  /** Before an audience nothing but black is shown. */
  readonly isBlank: boolean;
  /** The stage while settings are made, and in presenter mode. */
  readonly desk: StageSettings;
  readonly presented: StageSettings;
}

/** What the stage tells beside the run as it is at t. */
export interface StageSettings {
  /** The timeline has nothing after t. */
  readonly isUpToT: boolean;
  /** The run before its settings changed is a ghost behind the timeline's lines. */
  readonly hasGhost: boolean;
  /** Time's axis has room for that run too: both can be compared by eye. */
  readonly isAxisLocked: boolean;
  /** Below each pane: what happened last. */
  readonly hasCaptions: boolean;
  /** When L06's model has the page complete, in the timeline, whose axis has room for it. */
  readonly hasModel: boolean;
}

/** Those of the mode that the window is in. */
export function stageOf(view: Pick<ViewSettings, 'isPresenting' | 'desk' | 'presented'>): StageSettings {
  return view.isPresenting ? view.presented : view.desk;
}

export const FIRST_VIEW: ViewSettings = {
  theme: null,
  timeline: 'percent',
  axis: 'bytes',
  layout: 'stacked',
  zoom: null,
  isPresenting: false,
  dialog: null,
  panel: null,
  areControlsOpen: true,
  openSections: ['metrics', 'objects'],
  isFromNow: false,
  thresholds: DEFAULT_THRESHOLDS,
  isBlank: false,
  desk: {isUpToT: false, hasGhost: false, isAxisLocked: false, hasCaptions: false, hasModel: false},
  presented: {isUpToT: true, hasGhost: true, isAxisLocked: true, hasCaptions: true, hasModel: false},
};
