import {estimate} from '../../run/metrics/statistics.ts';
import type {Intervened, InterventionName} from '../../run/why/interventions.ts';
import {seconds, withInterval} from './adviceTexts.ts';

/** A cause that can be taken away, and how much sooner the page is then complete. Times are means over seeds. */
export interface RemovableCause {
  /** The index of the scenario's pane. */
  readonly side: number;
  readonly name: InterventionName;
  /** The assumption, as in `if {label}`. */
  readonly label: string;
  readonly savedMs: number;
  /** Half-width of the saving's 95 % confidence interval; null for a single load. */
  readonly ci95Ms: number | null;
  /** The time that the change should save according to the critical path. */
  readonly attributedMs: number;
  /**
   * The number of loads in which the cause has time on the critical path. In other loads, its absence saves nothing.
   */
  readonly found: number;
  readonly loads: number;
}

/** What can be taken away from one load of a pane. */
export interface SideLoad {
  readonly side: number;
  readonly interventions: readonly Intervened[];
}

/**
 * Returns the causes that can be taken away, for each pane, the largest mean saving first. `loads` has the complete
 * loads of all panes. A load without the cause counts as a saving of 0. If a load would never be complete once the
 * cause is taken away, it does not count in the mean saving.
 */
export function removableCauses(loads: readonly SideLoad[]): readonly RemovableCause[] {
  const sides = [...new Set(loads.map(({side}) => side))];
  const all = sides.flatMap(side => {
    const own = loads.filter(each => each.side === side);
    const names = new Set(own.flatMap(({interventions}) => interventions.map(({name}) => name)));
    return [...names].map((name): RemovableCause => {
      const tried = own.map(({interventions}) => interventions.find(each => each.name === name));
      const saved = tried.flatMap(each => (each?.savedNs === null ? [] : [(each?.savedNs ?? 0) / 1e6]));
      const attributed = tried.map(each => (each?.attributedNs ?? 0) / 1e6);
      const {mean, ci95} = estimate(saved);
      const label = GENERAL_LABELS[name] ?? tried.find(each => each !== undefined)?.label ?? name;
      const means = {savedMs: mean ?? 0, ci95Ms: ci95, attributedMs: estimate(attributed).mean ?? 0};
      return {side, name, label, ...means, found: tried.filter(each => each !== undefined).length, loads: own.length};
    });
  });
  return all.toSorted((a, b) => b.savedMs - a.savedMs);
}

/** Labels for means over loads in which different packets were lost. */
const GENERAL_LABELS: {readonly [name in InterventionName]?: string} = {
  'lost-packet': 'the lost packet that cost most time arrives',
};

/**
 * The sentence about the cause whose absence saves most. A saving counts if it is above 0 and its confidence interval
 * excludes 0; a single load has no interval. The sentence is empty if no saving counts. The intervention
 * `objects-first` is left out, because no site can always send the objects of the critical path before all others.
 */
export function removableText(causes: readonly RemovableCause[], names: readonly string[]): string {
  const most = causes.find(
    ({name, savedMs, ci95Ms}) => name !== 'objects-first' && savedMs > 0 && (ci95Ms === null || savedMs > ci95Ms),
  );
  if (most === undefined) return '';
  const {side, label, savedMs, ci95Ms, attributedMs, loads} = most;
  const over = loads === 1 ? 'one load' : `the mean of ${loads} loads`;
  return (
    `The largest cause that can be taken away: if ${label}, the page of ${names[side]} is complete ` +
    `${withInterval(savedMs, ci95Ms)} earlier (${over}; ${seconds(attributedMs)} are attributed to it).`
  );
}
