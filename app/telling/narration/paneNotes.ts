import {joined} from '../../base/text.ts';
import {type Pane, pipelineOf} from '../../pipelines/index.ts';
import {PLAIN_BROWSER} from '../../pipelines/settingTexts.ts';

/**
 * Notes on how panes set up their connections and find their sending rates: a line with each pane's set-up, and lines
 * about panes whose server is given the path's rate. `names` are the names of the panes as a sentence uses them.
 */
export function setUpNotes(panes: readonly Pane[], names: readonly string[]): readonly string[] {
  const setUps = grouped(panes, names, pane => pipelineOf(pane.pipeline).setUp(pane)?.text ?? 'none');
  const rates = grouped(panes, names, givenRate);
  return [
    `set-up: ${setUps.map(([text, who]) => `${text} (${joined(who)})`).join('; ')}`,
    ...rates.flatMap(([rate, who]) => (rate === null ? [] : rateNote(rate, who))),
  ];
}

/**
 * Whether all panes have a set-up with TLS, all have one without, or none has a set-up; and no server is given the
 * path's rate.
 */
export function isSetUpAlike(panes: readonly Pane[]): boolean {
  const kinds = new Set(panes.map(pane => pipelineOf(pane.pipeline).setUp(pane)?.hasTls));
  return kinds.size < 2 && panes.every(pane => givenRate(pane) === null);
}

/**
 * How fast a datagram server sends: `90 % of it`, which means 90 % of the path's rate. The server is given the path's
 * rate, because it cannot measure this rate over datagrams. Null for other pipelines.
 */
function givenRate(pane: Pane): string | null {
  return 'ratePercent' in pane ? `${pane.ratePercent} % of it` : null;
}

function rateNote(rate: string, who: readonly string[]): string {
  const [knows, sends] = who.length === 1 ? ['knows', 'sends'] : ['know', 'send'];
  return `${joined(who)} ${knows} the path's rate and ${sends} at ${rate}; the others have to find it out`;
}

interface Named {
  /** The names of the panes as a sentence uses them. */
  readonly names: readonly string[];
  /** Whether a pane loads live. Its server then decides the order of responses. */
  readonly isLive: (pane: number) => boolean;
}

/**
 * A note on how panes with HTTP priorities request objects, and on the order of their responses. It is needed because
 * the priorities of real browsers are not modelled. The note is empty if no pane has priorities.
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

/**
 * Says in which order pictures are sent. All pictures have the same urgency, so that the scheduler decides the order.
 */
function orderOf(pane: Pane): string {
  return ORDERS.get('scheduler' in pane ? pane.scheduler : '') ?? '';
}

const ORDERS: ReadonlyMap<string, string> = new Map([
  ['round-robin', 'responses are interleaved in equal shares'],
  ['first-come', 'responses come one after the other'],
  ['weighted', 'responses are interleaved, with larger shares for more urgent ones'],
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
