import type {CauseTime, PaneMetrics} from '../metrics/metrics.ts';
import type {SeedRun} from '../metrics/paneSummary.ts';
import {type Estimate, estimate} from '../metrics/statistics.ts';
import {CAUSE_KINDS, type CauseName} from './causeKinds.ts';

/**
 * The mean time of one cause over several loads, with half of its 95 % confidence interval (null for a single load).
 */
export interface CauseEstimate {
  readonly name: CauseName;
  readonly ms: number;
  readonly ci95Ms: number | null;
}

/** The causes of the page's time in one pane, over several runs. */
export interface CauseSummary {
  /** The means over the complete runs. Their sum is the mean of `finishMs`. Empty if no run is complete. */
  readonly causes: readonly CauseEstimate[];
  /**
   * Estimates of (time of this pane − time of the first pane) in the same run, over the runs that are complete in both.
   * Null for the first pane.
   */
  readonly causesAgainstFirst: readonly CauseEstimate[] | null;
}

/** Returns the causes of each pane. Runs without causes, such as incomplete ones, are left out. */
export function summariseCauses(runs: readonly SeedRun[]): readonly CauseSummary[] {
  return (runs[0]?.panes ?? []).map((_, pane) => {
    const all = runs.map(({panes}) => panes[pane]?.causes ?? null);
    return {
      causes: causeEstimates(all.filter(causes => causes !== null)),
      causesAgainstFirst: pane === 0 ? null : causeEstimates(runs.flatMap(({panes}) => difference(panes, pane))),
    };
  });
}

/** Returns the mean of each cause, in the order of the list of causes. Causes that no load has are left out. */
export function causeEstimates(loads: readonly (readonly CauseTime[])[]): readonly CauseEstimate[] {
  return CAUSE_KINDS.flatMap(({name}) => {
    const values = loads.map(causes => msOf(causes, name));
    const {mean, ci95}: Estimate = estimate(values);
    return mean === null || values.every(ms => ms === 0) ? [] : [{name, ms: mean, ci95Ms: ci95}];
  });
}

/**
 * Returns how much more time each cause has in a pane than in the first pane. Empty if one of the two has no causes.
 */
function difference(panes: readonly PaneMetrics[], pane: number): readonly (readonly CauseTime[])[] {
  const [first, own] = [panes[0]?.causes ?? null, panes[pane]?.causes ?? null];
  if (first === null || own === null) return [];
  return [CAUSE_KINDS.map(({name}) => ({name, ms: msOf(own, name) - msOf(first, name)}))];
}

function msOf(causes: readonly CauseTime[], cause: CauseName): number {
  return causes.find(({name}) => name === cause)?.ms ?? 0;
}
