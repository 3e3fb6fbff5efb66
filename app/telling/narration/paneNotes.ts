import {type Pane, pipelineOf} from '../../pipelines/index.ts';
import {PLAIN_BROWSER} from '../../pipelines/settingTexts.ts';
import {joined} from '../../run/trace/traceTexts.ts';

/**
 * Notes on what differs between the sides: one line about each pane's set-up, and one about panes whose server is told
 * the path's rate. `names` are the names of the panes within a sentence.
 */
export function setUpNotes(panes: readonly Pane[], names: readonly string[]): readonly string[] {
  const setUps = grouped(panes, names, pane => pipelineOf(pane.pipeline).setUp(pane)?.text ?? 'none');
  const rates = grouped(panes, names, toldRate);
  return [
    `set-up: ${setUps.map(([text, who]) => `${text} (${joined(who)})`).join('; ')}`,
    ...rates.flatMap(([rate, who]) => (rate === null ? [] : rateNote(rate, who))),
  ];
}

/** Whether TLS is in all set-ups or in none, and no server is told the path's rate. */
export function isSetUpAlike(panes: readonly Pane[]): boolean {
  const kinds = new Set(panes.map(pane => pipelineOf(pane.pipeline).setUp(pane)?.hasTls));
  return kinds.size < 2 && panes.every(pane => toldRate(pane) === null);
}

/** The rate that a server is told, because over datagrams it cannot find it out; null for other pipelines. */
function toldRate(pane: Pane): string | null {
  return 'ratePercent' in pane ? `${pane.ratePercent} % of it` : null;
}

function rateNote(rate: string, who: readonly string[]): string {
  const [knows, sends] = who.length === 1 ? ['knows', 'sends'] : ['know', 'send'];
  return `${joined(who)} ${knows} the path's rate and ${sends} at ${rate}; the others have to find it out`;
}

interface Named {
  /** The names of the panes within a sentence. */
  readonly names: readonly string[];
  /** Whether a pane loads live; then its server decides the order of responses. */
  readonly isLive: (pane: number) => boolean;
}

/**
 * A note on how panes with priorities request objects, and in which order their responses come, because the priorities
 * of real browsers are not modelled. Empty if no pane has priorities.
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

/** The order of responses with the same urgency, which all pictures have. */
function orderOf(pane: Pane): string {
  return ORDERS.get('scheduler' in pane ? pane.scheduler : '') ?? '';
}

const ORDERS: ReadonlyMap<string, string> = new Map([
  ['round-robin', 'responses come together, a piece of each in turn'],
  ['first-come', 'responses come one after the other'],
  ['weighted', 'responses come together, more of the more urgent ones'],
  ['scan-aware', 'the first scans of all pictures come first'],
]);

/** Groups the names of panes with the same key, in the order of the first pane of each group. */
export function grouped<K>(
  panes: readonly Pane[],
  names: readonly string[],
  keyOf: (pane: Pane) => K,
): readonly (readonly [key: K, names: readonly string[]])[] {
  const groups = new Map<K, string[]>();
  for (const [i, pane] of panes.entries()) {
    const key = keyOf(pane);
    const group = groups.get(key) ?? [];
    group.push(names[i] ?? '');
    groups.set(key, group);
  }
  return [...groups];
}
