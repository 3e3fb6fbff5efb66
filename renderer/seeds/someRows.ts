import type {SeedPane, SeedRow} from '../../app/ipc/contract.ts';

/** For tests: rows of seeds 1, 2, … with each pane's page time T, ms; null for a run that never was complete. */
export function someRows(...times: readonly (readonly (number | null)[])[]): readonly SeedRow[] {
  return times.map((panes, i) => ({seed: i + 1, panes: panes.map(pane)}));
}

function pane(pageTimeMs: number | null): SeedPane {
  const rest = {visual: null, reason: pageTimeMs === null ? 'time limit' : null};
  if (pageTimeMs === null) return {...rest, outcome: 'time-limit', times: null};
  return {...rest, outcome: 'complete', times: {pageTimeMs}};
}
