import type {FeatureState} from '../../session/extension.ts';
import {GridRuns, type GridRunsState} from '../../session/grid/gridRuns.ts';

/** Runs of many seeds of the scenario on screen: the grid of one cell. */
export const SEED_RUNS: FeatureState<GridRuns> = {create: ({host}) => new GridRuns(host)};

/**
 * Whether `count` seeds of a subject have to be asked for: more of them, or fewer, than are under way or there. What is
 * under way for the typical seed is left to end.
 */
export function hasToAsk(state: GridRunsState, subject: string, count: number): boolean {
  if (state.subject !== subject) return true;
  const wanted = state.plan?.grid.seeds.length;
  if (state.isBusy) return state.purpose === 'all' && wanted !== count;
  return wanted !== count || (state.cells[0]?.length ?? 0) < count;
}
