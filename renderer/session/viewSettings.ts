import {DEFAULT_THRESHOLDS, type Thresholds} from '../../app/run/quality/states.ts';
import type {Axis, TimelineName} from '../../app/telling/movie/options.ts';
import type {Theme} from '../kit/objectColours.ts';
import type {TimeWindow} from './zoom.ts';

/** How the window shows a run. Nothing here changes the run. */
export interface ViewSettings {
  /** The theme that the user chose; null for the system's theme. */
  readonly theme: Theme | null;
  readonly timeline: TimelineName;
  /** What the percent view counts. */
  readonly axis: Axis;
  readonly layout: 'stacked' | 'overlaid';
  /** The part of the run that the timeline shows; null for the whole run. */
  readonly zoom: TimeWindow | null;
  readonly isPresenting: boolean;
  /** The name of the dialog that is open, or null if none is open. */
  readonly dialog: string | null;
  /** The name of the feature whose panel is shown instead of the timeline; null for none. */
  readonly panel: string | null;
  readonly areControlsOpen: boolean;
  /** The names of the open sections at the side. All other sections are closed. */
  readonly openSections: readonly string[];
  /**
   * Whether a change of the path's rate, RTT, loss or queue length applies from the shown time t on. If false, it
   * applies to the whole run, as changes of all other settings do.
   */
  readonly isFromNow: boolean;
  /** The SSIM from which a picture counts as recognisable, and the SSIM from which it counts as good. */
  readonly thresholds: Thresholds;
  /** Whether the screen of presenter mode is black. */
  readonly isBlank: boolean;
  /** How much of the height for panes and timeline the panes take up, 0 to 1; null for the usual heights. */
  readonly paneShare: number | null;
  /** The indices of the panes whose graphs in the timeline are folded. */
  readonly foldedPanes: readonly number[];
  /** Whether the drawer for details is high. */
  readonly isDrawerHigh: boolean;
  /** The settings of the stage ({@link StageSettings}) outside of presenter mode. */
  readonly desk: StageSettings;
  /** The settings of the stage in presenter mode. */
  readonly presented: StageSettings;
}

/** Settings of the stage, which is the part of the window with the panes and the timeline. */
export interface StageSettings {
  /** Whether the timeline ends at t. */
  readonly isUpToT: boolean;
  /** Whether the timeline shows the previous run as a ghost behind its lines. */
  readonly hasGhost: boolean;
  /** Whether the time axis is long enough for both the current and the previous run, so that they can be compared. */
  readonly isAxisLocked: boolean;
  /** Whether each pane has a caption that says what happened last. */
  readonly hasCaptions: boolean;
  /** Whether the timeline shows the time at which the page is complete according to the model of the paper L06. */
  readonly hasModel: boolean;
  /**
   * Whether the pages show data that has arrived but waits for a lost packet. If so, playing also stops at the
   * beginning and at the end of each such wait, unless a story is shown. If several of these times are close together,
   * it stops only at the last of them.
   */
  readonly freezesAtLosses: boolean;
}

/** The settings of the stage in the current mode: in presenter mode or outside of it. */
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
  areControlsOpen: false,
  openSections: ['metrics', 'objects'],
  isFromNow: false,
  thresholds: DEFAULT_THRESHOLDS,
  isBlank: false,
  paneShare: null,
  foldedPanes: [],
  isDrawerHigh: false,
  desk: {
    isUpToT: false,
    hasGhost: false,
    isAxisLocked: false,
    hasCaptions: false,
    hasModel: false,
    freezesAtLosses: false,
  },
  presented: {
    isUpToT: true,
    hasGhost: true,
    isAxisLocked: true,
    hasCaptions: true,
    hasModel: false,
    freezesAtLosses: false,
  },
};
