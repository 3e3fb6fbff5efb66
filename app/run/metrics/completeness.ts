import type {PaneMetrics} from './metrics.ts';
import type {LeftOut, PaneSummary} from './summary.ts';

/** What a run's table must say beside its numbers: which panes have no times and why, and what the page lacks. */
export function runNotes(panes: readonly PaneMetrics[], names: readonly string[]): readonly string[] {
  const notes = panes.flatMap(({outcome, reason}, pane) =>
    // what is loading may still have all of them
    outcome === 'complete' || outcome === 'loading'
      ? []
      : [`${names[pane]} has no page time, PPage or ratio: ${ending(outcome, reason)}`],
  );
  return [...notes, ...missingNotes(panes)];
}

/** What a summary over seeds must say beside its numbers: how many runs each pane leaves out, which and why. */
export function summaryNotes(summary: readonly PaneSummary[], names: readonly string[]): readonly string[] {
  const notes = summary.flatMap(({runs, leftOut}, pane) =>
    leftOut.map(group => {
      const share = `${group.seeds.length} of ${runs} runs`;
      return `${names[pane]} leaves out ${share}: ${ending(group.outcome, group.reason)} (${seedsText(group)})`;
    }),
  );
  return [...notes, ...missingNotes(summary)];
}

/** `aborted: data-timeout`. */
export function ending(outcome: string, reason: string | null): string {
  return reason === null ? outcome : `${outcome}: ${reason}`;
}

/** The page is every pane's; a load that ended early may not have found all of it. */
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

/** Enough to look at some of them. */
const SHOWN_SEEDS = 8;
