import type {SeedRow} from '../../../../app/host/contract.ts';
import {METRICS} from '../../../../app/study/experiment/metricList.ts';
import type {PaneRow} from '../../../../app/study/experiment/row.ts';

/**
 * For tests: rows of the seeds 1, 2, … Each argument has the page times T of one run, pane by pane, ms. A time is null
 * if the load is incomplete.
 */
export function someRows(...times: readonly (readonly (number | null)[])[]): readonly SeedRow[] {
  return times.map((panes, i) => ({
    seed: i + 1,
    panes: panes.map(pane),
    firstPicturesMs: panes.map(() => null),
    wholePagesMs: panes.map(() => null),
  }));
}

function pane(pageTimeMs: number | null): PaneRow {
  const values = METRICS.map(({name}) => (name === 'pageTimeMs' ? pageTimeMs : null));
  if (pageTimeMs === null) return {outcome: 'time-limit', reason: 'time limit', values};
  return {outcome: 'complete', reason: null, values};
}
