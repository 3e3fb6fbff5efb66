import {type PaneMetrics, PERCENTS} from '../../run/metrics/metrics.ts';
import {VISUAL_TIMES} from '../../run/quality/visual.ts';

/** One number of a pane's load, as tables have it. */
export interface Metric {
  /** Its column's name, with its unit. */
  readonly name: string;
  /** A time until something that never comes if the load is not complete. */
  readonly isEvent: boolean;
  /** Came later: ends a line of `run --csv`, so that scripts find the other columns where they were. */
  readonly endsLine?: true;
  /** Null if it never came, or is not defined for that page. */
  readonly of: (pane: PaneMetrics) => number | null;
}

/** In the order of their columns. */
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
];

/** Of what the eye gets: only where that is measured. */
export const VISUAL_METRICS: readonly Metric[] = VISUAL_TIMES.map(({column, of}) => {
  return {name: column, isEvent: true, of: ({visual}) => (visual === undefined ? null : of(visual))};
});

/** In the order of their columns, too. */
export const ALL_METRICS: readonly Metric[] = [...METRICS, ...VISUAL_METRICS];
