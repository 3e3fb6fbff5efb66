import type {FeatureState} from '../../session/extension.ts';
import {GridRuns, type GridRunsState} from '../../session/grid/gridRuns.ts';

/** Runs of many seeds of the scenario on screen: the grid of one cell. */
export const SEED_RUNS: FeatureState<GridRuns> = {create: ({host}) => new GridRuns(host)};

/**
 * Whether `count` seeds of a subject must be requested: another number of them than is computed or under way. Runs that
 * are under way for the typical seed are not interrupted.
 */
export function hasToAsk(state: GridRunsState, subject: string, count: number): boolean {
  if (state.subject !== subject) return true;
  const wanted = state.plan?.grid.seeds.length;
  if (state.isBusy) return state.purpose === 'all' && wanted !== count;
  return wanted !== count || (state.cells[0]?.length ?? 0) < count;
}
