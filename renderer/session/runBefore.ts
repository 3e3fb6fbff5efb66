import type {ShownRun} from './loads.ts';

interface Steps {
  /** The run that is about to be shown. */
  readonly run: ShownRun;
  /** The run that is on screen until then. */
  readonly shown: ShownRun | null;
  /** The run that `shown` is compared with. */
  readonly before: ShownRun | null;
  /** Whether `run` and `shown` come from the same drag, or from the same typing. */
  readonly isSameStep: boolean;
}

/**
 * The run that a run is compared with after settings changed: the one from before the change, or before the whole drag.
 * Null if no comparison is possible: for another page, another number of panes, trace files and live loads.
 */
export function runBefore({run, shown, before, isSameStep}: Steps): ShownRun | null {
  const isReload = shown !== null && run.scenario === shown.scenario;
  const wanted = isSameStep || isReload ? before : shown;
  // trace files and live loads are not runs of other settings
  if (hasHappened(run) || (wanted !== null && hasHappened(wanted))) return null;
  const isAlike = wanted?.page.hash === run.page.hash && wanted.traces.length === run.traces.length;
  return isAlike ? wanted : null;
}

function hasHappened({sources, live}: ShownRun): boolean {
  return sources !== undefined || live !== undefined;
}
