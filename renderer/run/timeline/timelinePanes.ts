import type {ShownRun} from '../../session/loads.ts';
import {labelsOf, namesOf, whyOf} from '../../session/sources.ts';
import type {TimelinePane} from './model.ts';

/**
 * The panes of a run as the timeline draws them. Panes without a trace are left out. `before` is the previous run. The
 * timeline draws it faintly, as the run's ghost.
 */
export function timelinePanes(run: ShownRun, before: ShownRun | null = null): readonly TimelinePane[] {
  const {metrics, traces} = run;
  const [labels, names] = [labelsOf(run), namesOf(run)];
  return metrics.flatMap((each, i) => {
    const trace = traces[i];
    if (trace === undefined) return [];
    const own = {label: labels[i] ?? '', shortName: names[i] ?? ''};
    return [{trace, metrics: each, ...own, before: before?.traces[i], why: whyOf(run, i)}];
  });
}

/** Returns the panes, and marks those whose index is in `folded`: their graphs are folded. */
export function foldedPanes(panes: readonly TimelinePane[], folded: readonly number[]): readonly TimelinePane[] {
  return folded.length === 0 ? panes : panes.map((pane, i) => (folded.includes(i) ? {...pane, isFolded: true} : pane));
}
