import type {ShownRun} from './loads.ts';

interface Steps {
  /** The run that is about to be shown. */
  readonly run: ShownRun;
  /** The run that is on screen now. */
  readonly shown: ShownRun | null;
  /** The run that `shown` is being compared with. */
  readonly before: ShownRun | null;
  /** Whether `run` and `shown` come from the same drag, or from typing the same number. */
  readonly isSameStep: boolean;
}

/**
 * The run that `run` is compared with: the run from before the settings changed, or from before the whole drag. Null if
 * there is no such run, or if the runs cannot be compared, because their pages or numbers of panes differ, or because
 * one of them is a live load or comes from trace files.
 */
export function runBefore({run, shown, before, isSameStep}: Steps): ShownRun | null {
  const isReload = shown !== null && run.scenario === shown.scenario;
  const wanted = isSameStep || isReload ? before : shown;
  // the difference from trace files or a live load would not show what a change of settings did
  if (hasHappened(run) || (wanted !== null && hasHappened(wanted))) return null;
  const isAlike = wanted?.page.hash === run.page.hash && wanted.traces.length === run.traces.length;
  return isAlike ? wanted : null;
}

function hasHappened({sources, live}: ShownRun): boolean {
  return sources !== undefined || live !== undefined;
}
