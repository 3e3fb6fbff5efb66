import type {Visual, VisualOf} from '../quality/visual.ts';
import type {Outcome} from '../trace/traceData.ts';
import type {Headline} from './clock.ts';
import {NAVIGATION_TIMES, type NavigationTime, type PaneMetrics, type PERCENTS} from './metrics.ts';
import {type Estimate, estimate, type RankTest, rankTest} from './statistics.ts';

/** The metrics of one run: one seed of a scenario. */
export interface SeedRun {
  readonly seed: number;
  readonly panes: readonly PaneMetrics[];
}

/** The summary of one pane over all runs. */
export interface PaneSummary extends NavigationEstimates {
  readonly pipeline: PaneMetrics['pipeline'];
  readonly runs: number;
  /** Number of complete runs. All estimates cover these only. */
  readonly complete: number;
  /** The other runs, grouped by outcome and reason. */
  readonly leftOut: readonly LeftOut[];
  /** The largest {@link PaneMetrics.missing} of all runs. */
  readonly missing: number;
  readonly setupMs: Estimate;
  readonly pageTimeMs: Estimate;
  readonly pPageMs: PercentEstimates;
  readonly pRenMs: PercentEstimates;
  readonly silentMs: Estimate;
  readonly lost: {readonly down: Estimate; readonly up: Estimate};
  /** Absent if no packets of the pane use ECN. */
  readonly marked?: {readonly down: Estimate; readonly up: Estimate};
  readonly retransmitted: Estimate;
  readonly holBlockedMs: Estimate;
  readonly longestWaitMs: Estimate;
  /** Estimates of {@link PaneMetrics.visual}. Present only if requested. */
  readonly visual?: VisualOf<Estimate>;
  /** Comparison of this pane's page times T with those of the first pane. Null for the first pane. */
  readonly againstFirst: PaneComparison | null;
  /** The same comparison of the times from navigation until the page was complete (`finishMs`). */
  readonly finishAgainstFirst: PaneComparison | null;
}

/** Runs of one pane that are incomplete for the same reason. Their times are excluded. */
export interface LeftOut {
  readonly outcome: Outcome;
  readonly reason: string;
  readonly seeds: readonly number[];
}

/** Comparison over the runs that are complete in both panes, so that both means cover the same seeds. */
export interface PaneComparison {
  readonly runs: number;
  /** Mean time of the first pane, divided by that of this pane. If it is above 1, this pane is faster. */
  readonly ratio: number | null;
  /**
   * Estimate of (time of this pane − time of the first pane) in the same run. Effects that all panes of a run share
   * cancel out.
   */
  readonly differenceMs: Estimate;
  /** Mann–Whitney test of the times. */
  readonly rankTest: RankTest;
}

type NavigationEstimates = {readonly [K in NavigationTime]: Estimate};

type PercentEstimates = {readonly [P in (typeof PERCENTS)[number]]: Estimate};

/** Summarises runs of the same scenario. */
export function summarise(runs: readonly SeedRun[]): readonly PaneSummary[] {
  return (runs[0]?.panes ?? []).map(({pipeline}, pane) => {
    const all = runs.flatMap(({panes}) => panes[pane] ?? []);
    const complete = all.filter(isComplete);
    // NaN marks unknown values of a live or captured load.
    const of = (pick: (one: PaneMetrics) => number | null): Estimate =>
      estimate(complete.map(one => pick(one)).map(value => (Number.isNaN(value) ? null : value)));
    return {
      pipeline,
      runs: all.length,
      complete: complete.length,
      leftOut: leftOut(runs.flatMap(({seed, panes}) => (panes[pane] === undefined ? [] : {...panes[pane], seed}))),
      missing: all.reduce((most, one) => Math.max(most, one.missing), 0),
      setupMs: of(one => one.setupMs),
      pageTimeMs: of(one => one.pageTimeMs),
      pPageMs: percents(percent => of(one => one.pPageMs[percent])),
      pRenMs: percents(percent => of(one => one.pRenMs[percent])),
      silentMs: of(one => one.silentMs),
      ...(Object.fromEntries(NAVIGATION_TIMES.map(({key}) => [key, of(one => one[key])])) as NavigationEstimates),
      lost: {down: of(one => one.lost.down), up: of(one => one.lost.up)},
      ...(all.some(one => one.marked !== undefined) && {
        marked: {down: of(one => one.marked?.down ?? null), up: of(one => one.marked?.up ?? null)},
      }),
      retransmitted: of(one => one.retransmitted),
      holBlockedMs: of(one => one.holBlockedMs),
      longestWaitMs: of(one => one.longestWaitMs),
      ...visualEstimates(all, complete),
      againstFirst: pane === 0 ? null : compare(runs, pane, 'pageTimeMs'),
      finishAgainstFirst: pane === 0 ? null : compare(runs, pane, 'finishMs'),
    };
  });
}

/** Estimates the visual metrics. The result is empty if the runs have none. */
function visualEstimates(
  all: readonly PaneMetrics[],
  complete: readonly PaneMetrics[],
): {readonly visual?: VisualOf<Estimate>} {
  if (all.every(({visual}) => visual === undefined)) return {};
  const of = (pick: (visual: Visual) => number | null): Estimate => {
    return estimate(complete.map(({visual}) => (visual === undefined ? null : pick(visual))));
  };
  return {
    visual: {
      recognisableMs: of(visual => visual.recognisableMs),
      goodMs: of(visual => visual.goodMs),
      speedIndexMs: of(visual => visual.speedIndexMs),
      visuallyCompleteMs: {
        85: of(visual => visual.visuallyCompleteMs[85]),
        100: of(visual => visual.visuallyCompleteMs[100]),
      },
    },
  };
}

function isComplete(metrics: PaneMetrics): boolean {
  return metrics.outcome === 'complete';
}

/** Groups the incomplete runs by outcome and reason. */
export function leftOut(
  runs: readonly {readonly seed: number; readonly outcome: Outcome; readonly reason: string | null}[],
): readonly LeftOut[] {
  const groups = new Map<string, {outcome: Outcome; reason: string; seeds: number[]}>();
  for (const {seed, outcome, reason: why} of runs) {
    if (outcome === 'complete') continue;
    const reason = why ?? outcome;
    const group = groups.get(`${outcome} ${reason}`) ?? {outcome, reason, seeds: []};
    group.seeds.push(seed);
    groups.set(`${outcome} ${reason}`, group);
  }
  return [...groups.values()];
}

/** Compares a time of a pane with that of the first pane. */
function compare(runs: readonly SeedRun[], pane: number, metric: Headline['metric']): PaneComparison {
  const both = runs
    .map(({panes}) => [panes[0], panes[pane]])
    .filter(pair => pair.every(metrics => metrics !== undefined && isComplete(metrics)));
  const [first = [], other = []] = [0, 1].map(side => {
    return both.map(pair => pair[side]?.[metric] ?? null).filter(timeMs => timeMs !== null);
  });
  const [firstMean, otherMean] = [estimate(first).mean, estimate(other).mean];
  return {
    runs: both.length,
    ratio: firstMean === null || !otherMean ? null : firstMean / otherMean,
    differenceMs: estimate(both.map(([one, own]) => (own?.[metric] ?? 0) - (one?.[metric] ?? 0))),
    rankTest: rankTest(first, other),
  };
}

function percents<T>(each: (percent: (typeof PERCENTS)[number]) => T): {
  readonly [P in (typeof PERCENTS)[number]]: T;
} {
  return {25: each(25), 50: each(50), 75: each(75), 100: each(100)};
}
