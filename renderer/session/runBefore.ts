import type {ShownRun} from './loads.ts';

interface Steps {
  /** Comes on screen now. */
  readonly run: ShownRun;
  /** What is on screen until then. */
  readonly shown: ShownRun | null;
  /** What `shown` is compared with. */
  readonly before: ShownRun | null;
  /** Whether the hand is still on the control that `shown` is of. */
  readonly isSameStep: boolean;
}

/**
 * What a run is compared with after settings changed: what the change began with, throughout a drag. Null where
 * nothing can be: for another page, another number of panes, trace files, or live loads.
 */
export function runBefore({run, shown, before, isSameStep}: Steps): ShownRun | null {
  const isReload = shown !== null && run.scenario === shown.scenario;
  const wanted = isSameStep || isReload ? before : shown;
  // what happened is no other settings' run
  if (hasHappened(run) || (wanted !== null && hasHappened(wanted))) return null;
  const isAlike = wanted?.page.hash === run.page.hash && wanted.traces.length === run.traces.length;
  return isAlike ? wanted : null;
}

function hasHappened({sources, live}: ShownRun): boolean {
  return sources !== undefined || live !== undefined;
}
