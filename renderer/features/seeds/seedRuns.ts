import type {FeatureState} from '../../session/extension.ts';
import {GridRuns, type GridRunsState} from '../../session/grid/gridRuns.ts';

/** Runs of the scenario on screen with many seeds: a grid with one cell. */
export const SEED_RUNS: FeatureState<GridRuns> = {create: ({host}) => new GridRuns(host)};

/**
 * Whether `count` seeds of a subject must be requested, because another subject or another number of seeds is computed
 * or under way. A search for the typical seed that is under way is not interrupted.
 */
export function needsRequest(state: GridRunsState, subject: string, count: number): boolean {
  if (state.subject !== subject) return true;
  const wanted = state.plan?.grid.seeds.length;
  if (state.isBusy) return state.purpose === 'all' && wanted !== count;
  return wanted !== count || (state.cells[0]?.length ?? 0) < count;
}
