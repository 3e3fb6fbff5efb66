import type {PaneMetrics} from './metrics.ts';
import type {LeftOut, PaneSummary} from './paneSummary.ts';

/** Returns notes for a run's table: which panes have no page time and why, and how many objects the page lacks. */
export function runNotes(panes: readonly PaneMetrics[], names: readonly string[]): readonly string[] {
  const notes = panes.flatMap(({outcome, reason}, pane) =>
    // A pane that is loading may still get all times.
    outcome === 'complete' || outcome === 'loading'
      ? []
      : [`${names[pane]} has no page time, PPage or ratio: ${ending(outcome, reason)}`],
  );
  return [...notes, ...missingNotes(panes)];
}

/** Returns notes for a summary over seeds: which runs each pane leaves out, and why. */
export function summaryNotes(summary: readonly PaneSummary[], names: readonly string[]): readonly string[] {
  const notes = summary.flatMap(({runs, leftOut}, pane) =>
    leftOut.map(group => {
      const {length} = group.seeds;
      const share = `${length} of ${runs} runs of ${names[pane]} ${length === 1 ? 'is' : 'are'} not counted`;
      return `${share}: ${ending(group.outcome, group.reason)} (${seedsText(group)})`;
    }),
  );
  return [...notes, ...missingNotes(summary)];
}

/** Joins an outcome and its reason, for example `aborted: data-timeout`. */
export function ending(outcome: string, reason: string | null): string {
  return reason === null ? outcome : `${outcome}: ${reason}`;
}

/**
 * Says how many objects are missing in every pane (`isMissing`). All panes have the same page, but a load that ended
 * early may not have found all missing objects, so the largest number is used.
 */
function missingNotes(panes: readonly {readonly missing: number}[]): readonly string[] {
  const missing = panes.reduce((most, pane) => Math.max(most, pane.missing), 0);
  if (missing === 0) return [];
  const [subject, reason, verb] =
    missing === 1
      ? ['1 object is', 'its server does not have it, or its address is too long', 'is']
      : [`${missing} objects are`, 'their servers do not have them, or their addresses are too long', 'are'];
  return [`${subject} missing in every pane (${reason}), and ${verb} not counted`];
}

function seedsText({seeds}: LeftOut): string {
  const shown = seeds.slice(0, SHOWN_SEEDS).join(', ');
  const more = seeds.length > SHOWN_SEEDS ? ', …' : '';
  return `${seeds.length === 1 ? 'seed' : 'seeds'} ${shown}${more}`;
}

/** The number of seeds that a note lists, so that a reader can look at some of the runs. */
const SHOWN_SEEDS = 8;
