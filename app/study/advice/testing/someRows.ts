import type {SeedRow} from '../../../host/contract.ts';
import {ALL_METRICS} from '../../experiment/metricList.ts';

/** The times of a run, ms; null if the event never happened. */
export interface SomeTimes {
  readonly pageTimeMs: number | null;
  readonly recognisableMs?: number | null;
  readonly speedIndexMs?: number | null;
  readonly firstPictureMs?: number | null;
  /** If this time is null or absent, the page time is used instead. */
  readonly completeMs?: number | null;
}

/** Rows of one pane with the seeds 1, 2, …, for tests. A run without a page time is not complete. */
export function someRows(times: readonly SomeTimes[]): readonly SeedRow[] {
  return times.map((own, i) => {
    const {pageTimeMs, recognisableMs = null, speedIndexMs = null, firstPictureMs = null} = own;
    const known: {readonly [name: string]: number | null} = {pageTimeMs, recognisableMs, speedIndexMs};
    const values = ALL_METRICS.map(({name}) => known[name] ?? null);
    const outcome = pageTimeMs === null ? 'time-limit' : 'complete';
    return {
      seed: i + 1,
      panes: [{outcome, reason: null, values}],
      firstPicturesMs: [firstPictureMs],
      wholePagesMs: [own.completeMs ?? pageTimeMs],
    };
  });
}
