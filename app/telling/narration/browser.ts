import {type Pane, pipelineOf} from '../../pipelines/index.ts';
import {PLAIN_BROWSER} from '../../pipelines/words.ts';
import {joined} from '../../run/trace/words.ts';
import {grouped} from './grouped.ts';

interface Named {
  /** The panes', as they stand within a sentence. */
  readonly names: readonly string[];
  /** In which order its responses come is then its server's affair. */
  readonly isLive: (pane: number) => boolean;
}

/**
 * How the browser of panes with priorities asks, and in which order its responses come: no real browser's priorities are
 * modelled. Empty where no pane has any.
 */
export function browserNote(panes: readonly Pane[], {names, isLive}: Named): string {
  const asking = [...panes.keys()].filter(pane => hasPriorities(panes[pane]));
  if (asking.length === 0) return '';
  const computed = asking.filter(pane => !isLive(pane));
  const orders = grouped(
    computed.flatMap(pane => panes[pane] ?? []),
    computed.map(pane => names[pane] ?? ''),
    orderOf,
  );
  return [PLAIN_BROWSER, ...orders.map(([order, who]) => `${order} (${joined(who)})`)].join('; ');
}

function hasPriorities(pane: Pane | undefined): boolean {
  return pane !== undefined && pipelineOf(pane.pipeline).hasPriorities === true;
}

/** Of responses of one urgency, which all pictures are. */
function orderOf(pane: Pane): string {
  return ORDERS.get('scheduler' in pane ? pane.scheduler : '') ?? '';
}

const ORDERS: ReadonlyMap<string, string> = new Map([
  ['round-robin', 'responses come together, a piece of each in turn'],
  ['first-come', 'responses come one after the other'],
  ['weighted', 'responses come together, more of the more urgent'],
  ['scan-aware', 'all first scans come first'],
]);
