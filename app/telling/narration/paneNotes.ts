import {joined} from '../../base/text.ts';
import {browserOf} from '../../browsers/list.ts';
import {type Pane, pipelineOf} from '../../pipelines/index.ts';
import {PLAIN_BROWSER} from '../../pipelines/settingTexts.ts';
import {paneBrowser, paneServer, type Scenario} from '../../run/scenario/scenario.ts';
import type {TraceModels} from '../../run/trace/traceData.ts';
import {serverOf} from '../../servers/list.ts';

/**
 * Notes on how panes set up their connections and find their sending rates: a line with each pane's set-up, and a line
 * about the panes whose server is given the path's rate, if there are any. `names` are the names of the panes as a
 * sentence uses them.
 */
export function setUpNotes(panes: readonly Pane[], names: readonly string[]): readonly string[] {
  const setUps = grouped(panes, names, pane => pipelineOf(pane.pipeline).setUp(pane)?.text ?? 'none');
  const rates = grouped(panes, names, givenRate);
  const given = rates.flatMap(([rate, who]) => (rate === null ? [] : [rateText(rate, who)]));
  const others = given.length < rates.length ? ['the others have to find it out'] : [];
  return [
    `set-up: ${setUps.map(([text, who]) => `${text} (${joined(who)})`).join('; ')}`,
    ...(given.length === 0 ? [] : [[...given, ...others].join('; ')]),
  ];
}

/**
 * Whether the set-ups of all panes are alike, and no server is given the path's rate. Set-ups are alike if all have
 * TLS, if all lack TLS, or if no pane has a set-up.
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

function rateText(rate: string, who: readonly string[]): string {
  const [knows, sends] = who.length === 1 ? ['knows', 'sends'] : ['know', 'send'];
  return `${joined(who)} ${knows} the path's rate and ${sends} at ${rate}`;
}

interface Named {
  /** The names of the panes as a sentence uses them. */
  readonly names: readonly string[];
  /** Whether a pane loads live. A real server, which no model describes, then decides the order of its responses. */
  readonly isLive: (pane: number) => boolean;
}

/**
 * A note on the order of the responses, and on the browsers, which decide what the panes request and when. The plain
 * browser is named only for panes with HTTP priorities, because the priorities that a real browser would send matter
 * most there. The note is empty if there is nothing to say.
 */
export function browserNote(scenario: Pick<Scenario, 'panes' | 'browser' | 'server'>, {names, isLive}: Named): string {
  const {panes} = scenario;
  const told = [...panes.entries()]
    .map(([number, pane]) => ({
      pane,
      name: names[number] ?? '',
      isComputed: !isLive(number),
      browser: paneBrowser(scenario, pane),
    }))
    .filter(({pane, browser}) => browser.rules !== undefined || hasPriorities(pane));
  const namesOf = (panes: typeof told): readonly string[] => panes.map(({name}) => name);
  const browsers = grouped(told, namesOf(told), ({browser: {rules, label}}) =>
    rules === undefined ? PLAIN_BROWSER : `requests as in ${label}`,
  );
  const ordered = told.filter(({pane, isComputed}) => isComputed && hasPriorities(pane));
  const orders = grouped(ordered, namesOf(ordered), ({pane}) => orderOf(pane, scenario));
  return [
    ...browsers.map(([browser, who]) => (browsers.length === 1 ? browser : `${browser} (${joined(who)})`)),
    ...orders.map(([order, who]) => `${order} (${joined(who)})`),
  ].join('; ');
}

/**
 * The browser and the server of a load, as its header names them: `plain browser: requests objects as it finds them`, or
 * `Chromium 156 and Caddy 2.6`. The server is named where it decides the order of responses.
 */
export function modelsText(pane: Pane, {browser, server}: TraceModels): string {
  const sends = hasPriorities(pane) && server !== undefined ? serverOf(server).label : '';
  const asks = browser === undefined ? (hasPriorities(pane) ? PLAIN_BROWSER : '') : browserOf(browser).label;
  return [asks, sends].filter(text => text !== '').join(browser === undefined ? '; ' : ' and ');
}

/**
 * Whether the pane's requests have HTTP priorities from a model of a browser. False for a captured load, whose
 * priorities come from a real browser.
 */
function hasPriorities(pane: Pane): boolean {
  return pane.captured === undefined && pipelineOf(pane.pipeline).hasPriorities === true;
}

/** Says in which order responses are sent. A plain server follows the scheduler of the pane. */
function orderOf(pane: Pane, scenario: Pick<Scenario, 'server'>): string {
  const server = paneServer(scenario, pane);
  if (server.name !== 'plain') return `responses as from ${server.label}`;
  return ORDERS.get('scheduler' in pane ? pane.scheduler : '') ?? '';
}

const ORDERS: ReadonlyMap<string, string> = new Map([
  ['round-robin', 'responses are interleaved in equal shares'],
  ['first-come', 'responses come one after the other'],
  ['weighted', 'responses are interleaved, with larger shares for more urgent ones'],
  ['scan-aware', 'the first scans of all pictures come first'],
]);

/**
 * Groups `names` by the keys of their panes; `names[i]` belongs to `panes[i]`. Groups have the order of their first
 * panes.
 */
function grouped<P, K>(
  panes: readonly P[],
  names: readonly string[],
  keyOf: (pane: P) => K,
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
