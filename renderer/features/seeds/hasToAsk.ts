import type {GridRunsState} from '../experiments/gridRuns.ts';

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
