import type {PaneMetrics, PERCENTS} from './metrics.ts';
import {type Estimate, estimate, type RankTest, rankTest} from './statistics.ts';

/** One pane over all runs. */
export interface PaneSummary {
  readonly pipeline: 'tcp' | 'sctp';
  readonly runs: number;
  /** Runs in which every object arrived. */
  readonly complete: number;
  readonly setupMs: Estimate;
  readonly pageTimeMs: Estimate;
  readonly pPageMs: PercentEstimates;
  readonly pRenMs: PercentEstimates;
  readonly silentMs: Estimate;
  readonly lost: {readonly down: Estimate; readonly up: Estimate};
  readonly retransmitted: Estimate;
  readonly holBlockedMs: Estimate;
  /** Its page times against the first pane's; null for the first. */
  readonly againstFirst: PaneComparison | null;
}

export interface PaneComparison {
  /** Mean page time of the first pane / of this one, over runs that both completed: above 1, this one is sooner. */
  readonly ratio: number | null;
  /** Mann–Whitney test of the page times. */
  readonly rankTest: RankTest;
}

type PercentEstimates = {readonly [P in (typeof PERCENTS)[number]]: Estimate};

/** Sums up runs of the same scenario; `runs[i][j]` is pane j of run i. */
export function summarise(runs: readonly (readonly PaneMetrics[])[]): readonly PaneSummary[] {
  const panes =
    runs[0]?.map((_, pane) => runs.map(run => run[pane]).filter(metrics => metrics !== undefined)) ?? [];
  return panes.map((metrics, pane) => {
    const of = (pick: (one: PaneMetrics) => number | null): Estimate => estimate(metrics.map(pick));
    return {
      pipeline: metrics[0]?.pipeline ?? 'tcp',
      runs: metrics.length,
      complete: metrics.filter(one => one.outcome === 'complete').length,
      setupMs: of(one => one.setupMs),
      pageTimeMs: of(one => one.pageTimeMs),
      pPageMs: percents(percent => of(one => one.pPageMs[percent])),
      pRenMs: percents(percent => of(one => one.pRenMs[percent])),
      silentMs: of(one => one.silentMs),
      lost: {down: of(one => one.lost.down), up: of(one => one.lost.up)},
      retransmitted: of(one => one.retransmitted),
      holBlockedMs: of(one => one.holBlockedMs),
      againstFirst: pane === 0 ? null : compare(panes[0] ?? [], metrics),
    };
  });
}

function compare(first: readonly PaneMetrics[], other: readonly PaneMetrics[]): PaneComparison {
  const both = first
    .map((one, run) => ({first: one.pageTimeMs, other: other[run]?.pageTimeMs ?? null}))
    .filter(pair => pair.first !== null && pair.other !== null);
  const [firstMean, otherMean] = [
    estimate(both.map(pair => pair.first)).mean,
    estimate(both.map(pair => pair.other)).mean,
  ];
  const times = (metrics: readonly PaneMetrics[]): number[] =>
    metrics.map(one => one.pageTimeMs).filter(time => time !== null);
  return {
    ratio: firstMean === null || !otherMean ? null : firstMean / otherMean,
    rankTest: rankTest(times(first), times(other)),
  };
}

function percents<T>(each: (percent: (typeof PERCENTS)[number]) => T): {
  readonly [P in (typeof PERCENTS)[number]]: T;
} {
  return {25: each(25), 50: each(50), 75: each(75), 100: each(100)};
}
