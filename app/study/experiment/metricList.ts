import {NAVIGATION_TIMES, type PaneMetrics, PERCENTS} from '../../run/metrics/metrics.ts';
import {VISUAL_TIMES} from '../../run/quality/visual.ts';
import {CAUSE_KINDS, type CauseName} from '../../run/why/causeKinds.ts';

/** A number that is computed from a pane's load, and its column in tables. */
export interface Metric {
  /** The name of the column, which ends with the unit. */
  readonly name: string;
  /** Whether the metric is the time of an event, which may never happen if the load is not complete. */
  readonly isEvent: boolean;
  /** A column that was added later. It comes last in `run --csv`, so that older columns keep their places. */
  readonly endsLine?: true;
  /**
   * Null if the event never happened, if the metric is not defined for the page, or if it was not measured. NaN for a
   * number that is not known in a live or captured load.
   */
  readonly of: (pane: PaneMetrics) => number | null;
}

/** The metrics of every load, in the order of their columns. */
export const METRICS: readonly Metric[] = [
  {name: 'setupMs', isEvent: true, of: pane => pane.setupMs},
  {name: 'pageTimeMs', isEvent: true, of: pane => pane.pageTimeMs},
  ...PERCENTS.map(percent => {
    return {name: `p${percent}PageMs`, isEvent: true, of: (pane: PaneMetrics) => pane.pPageMs[percent]};
  }),
  ...PERCENTS.map(percent => {
    return {name: `p${percent}RenMs`, isEvent: true, of: (pane: PaneMetrics) => pane.pRenMs[percent]};
  }),
  {name: 'silentMs', isEvent: false, of: pane => pane.silentMs},
  {name: 'packetsDown', isEvent: false, of: pane => pane.packets.down},
  {name: 'packetsUp', isEvent: false, of: pane => pane.packets.up},
  {name: 'lostDown', isEvent: false, of: pane => pane.lost.down},
  {name: 'lostUp', isEvent: false, of: pane => pane.lost.up},
  {name: 'retransmitted', isEvent: false, of: pane => pane.retransmitted},
  {name: 'holBlockedMs', isEvent: false, of: pane => pane.holBlockedMs},
  {name: 'holBlockedBytes', isEvent: false, of: pane => pane.holBlockedBytes},
  {name: 'longestWaitMs', isEvent: false, endsLine: true, of: pane => pane.longestWaitMs},
  ...NAVIGATION_TIMES.map(({key}): Metric => ({name: key, isEvent: true, endsLine: true, of: pane => pane[key]})),
];

/** The visual metrics, which have values only if pictures were measured. */
export const VISUAL_METRICS: readonly Metric[] = VISUAL_TIMES.map(({column, of}) => {
  return {name: column, isEvent: true, of: ({visual}) => (visual === undefined ? null : of(visual))};
});

/** All metrics that are kept by default if pictures were measured, in the order of their columns. */
export const ALL_METRICS: readonly Metric[] = [...METRICS, ...VISUAL_METRICS];

/**
 * The time of each cause on the page's critical path. The sum of all causes is `finishMs`. These metrics are kept only
 * if they are named, because their computation takes longer than that of other metrics.
 */
export const CAUSE_METRICS: readonly (Metric & {readonly cause: CauseName})[] = CAUSE_KINDS.map(({name}) => ({
  name: causeColumn(name),
  cause: name,
  isEvent: false,
  of: ({causes}) => (causes ? (causes.find(each => each.name === name)?.ms ?? 0) : null),
}));

/** The column of a cause: `whySetUpMs`. */
function causeColumn(cause: CauseName): string {
  const words = cause.split('-').map(word => `${word.slice(0, 1).toUpperCase()}${word.slice(1)}`);
  return `why${words.join('')}Ms`;
}

/** The metrics that a grid may name. */
export const NAMED_METRICS: readonly Metric[] = [...ALL_METRICS, ...CAUSE_METRICS];
