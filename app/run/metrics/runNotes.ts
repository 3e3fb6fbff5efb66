import type {PaneMetrics} from './metrics.ts';
import type {LeftOut, PaneSummary} from './paneSummary.ts';

/** Notes for a run's table: which panes have no times, why, and what the page lacks. */
export function runNotes(panes: readonly PaneMetrics[], names: readonly string[]): readonly string[] {
  const notes = panes.flatMap(({outcome, reason}, pane) =>
    // A pane that is loading may still get all times.
    outcome === 'complete' || outcome === 'loading'
      ? []
      : [`${names[pane]} has no page time, PPage or ratio: ${ending(outcome, reason)}`],
  );
  return [...notes, ...missingNotes(panes)];
}

/** Notes for a summary over seeds: how many runs each pane leaves out, which, and why. */
export function summaryNotes(summary: readonly PaneSummary[], names: readonly string[]): readonly string[] {
  const notes = summary.flatMap(({runs, leftOut}, pane) =>
    leftOut.map(group => {
      const share = `${group.seeds.length} of ${runs} runs`;
      return `${names[pane]} leaves out ${share}: ${ending(group.outcome, group.reason)} (${seedsText(group)})`;
    }),
  );
  return [...notes, ...missingNotes(summary)];
}

/** For example `aborted: data-timeout`. */
export function ending(outcome: string, reason: string | null): string {
  return reason === null ? outcome : `${outcome}: ${reason}`;
}

/** All panes have the same page, but a load that ended early may not have found all of it. */
function missingNotes(panes: readonly {readonly missing: number}[]): readonly string[] {
  const missing = panes.reduce((most, pane) => Math.max(most, pane.missing), 0);
  if (missing === 0) return [];
  const objects = missing === 1 ? '1 object is' : `${missing} objects are`;
  return [`${objects} missing from the page itself and counted nowhere`];
}

function seedsText({seeds}: LeftOut): string {
  const shown = seeds.slice(0, SHOWN_SEEDS).join(', ');
  const more = seeds.length > SHOWN_SEEDS ? ', …' : '';
  return `${seeds.length === 1 ? 'seed' : 'seeds'} ${shown}${more}`;
}

/** Enough seeds to look at some of the runs. */
const SHOWN_SEEDS = 8;
