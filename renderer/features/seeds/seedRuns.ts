import type {FeatureState} from '../../session/extension.ts';
import {GridRuns, type GridRunsState} from '../../session/grid/gridRuns.ts';

/** Runs of the scenario on screen with many seeds: a grid with one cell. */
export const SEED_RUNS: FeatureState<GridRuns> = {create: ({host}) => new GridRuns(host)};

/**
 * Whether `count` seeds of a subject must be requested. A subject is everything that the runs depend on except the
 * seeds. The request is needed if the last request was for another subject or another number of seeds, or if it ended
 * before all its runs were computed. A search for the typical seed of the same subject is not interrupted.
 */
export function needsRequest(state: GridRunsState, subject: string, count: number): boolean {
  if (state.subject !== subject) return true;
  const wanted = state.plan?.grid.seeds.length;
  if (state.isBusy) return state.purpose === 'all' && wanted !== count;
  return wanted !== count || (state.cells[0]?.length ?? 0) < count;
}
