import type {Json} from '../../base/json.ts';
import type {Pane} from '../../pipelines/index.ts';
import {capturedPart} from './capturedPath.ts';
import {handoverDocument} from './handover.ts';
import {type LinkParts, PART_KEYS, type PartChanges, partDocument} from './linkParts.ts';
import {livePart} from './livePath.ts';
import type {Loss} from './lossModel.ts';
import type {PageSource} from './pageSource.ts';
import type {BothWays, PathChange, PathSettings} from './path.ts';
import type {Change, Scenario, Visit} from './scenario.ts';
import {type TraceSettings, traceDocument} from './traceSettings.ts';

/**
 * Returns a scenario as a document. Every setting is written out, except for those in {@link PLAIN} that have their
 * default, those that the scenario does not have, such as traffic, and the `visit` of panes that have the scenario's
 * visit. So older programs, which do not know these settings, can read scenarios that do not use them. `parseScenario`
 * turns the document back into an equal scenario.
 */
export function scenarioDocument(scenario: Scenario): {readonly [key: string]: Json} {
  const written = Object.entries(explicitDocument(scenario));
  return Object.fromEntries(written.filter(([key, value]) => PLAIN[key] !== value));
}

/** The settings that {@link scenarioDocument} leaves out if they have these values, which are the defaults. */
const PLAIN: {readonly [key: string]: Json} = {
  browser: 'plain',
  cpu: 'recorded',
  dnsMs: 0,
  certificate: 'host',
  server: 'plain',
  visit: 'first',
};

/** Like {@link scenarioDocument}, but always with the settings in {@link PLAIN}. */
export function explicitDocument(scenario: Scenario): {readonly [key: string]: Json} {
  return {
    page: pageDocument(scenario.page),
    path: pathDocument(scenario.path),
    panes: scenario.panes.map(pane => withoutVisit(paneDocument(pane), scenario.visit)),
    seed: scenario.seed,
    discovery: scenario.discovery,
    browser: scenario.browser,
    cpu: scenario.cpu,
    dnsMs: scenario.dnsMs,
    certificate: scenario.certificate,
    server: scenario.server,
    visit: scenario.visit,
    serverThinkMs: scenario.serverThinkMs,
    serverThinking: scenario.serverThinking,
    timeLimitMs: scenario.timeLimitMs,
    changes: scenario.changes.map(changeDocument),
    // `typicalOf` is the last key, because setting any other key after `typicalOf` would remove `typicalOf`.
    ...(scenario.typicalOf === null ? {} : {typicalOf: scenario.typicalOf}),
  };
}

/**
 * Like {@link scenarioDocument}, but with seed 0 and without `typicalOf`. Scenarios whose other settings are equal have
 * equal documents.
 */
export function seedlessDocument(scenario: Scenario): {readonly [key: string]: Json} {
  return scenarioDocument({...scenario, seed: 0, typicalOf: null});
}

/**
 * Returns all settings on which the runs of a pane depend, except the seed: those of the pane itself, and those of the
 * scenario outside its panes. If the panes load at the same time on one path, the runs also depend on the other panes.
 * If this function returns equal documents for two panes, they lose the same packets with the same seed and load alike.
 */
export function paneRunDocument(scenario: Scenario, pane: number): Json {
  if (scenario.path.atOnce) return {...seedlessDocument(scenario), pane};
  return seedlessDocument({...scenario, panes: scenario.panes.slice(pane, pane + 1)});
}

/** Returns the value of `page` in a scenario document. */
export function pageDocument(page: PageSource): Json {
  if (page.kind === 'named') return page.name;
  if (page.kind === 'bundle') return {bundle: page.bundle, name: page.name};
  const {kind: _, ...synthetic} = page;
  return {synthetic};
}

/** Returns the value of `path` in a scenario document. */
export function pathDocument(path: PathSettings): Json {
  const captured = capturedPart(path);
  if (captured !== undefined) return {...captured};
  const live = livePart(path);
  // The other settings of a live path are unknown.
  if (live !== undefined) return {...live, ...(path.atOnce === undefined ? {} : {atOnce: path.atOnce})};
  return {
    rateBps: bothDocument(path.rateBps, number => number),
    rttMs: bothDocument(path.rttMs, number => number),
    loss: bothDocument(path.loss, lossDocument),
    queuePackets: bothDocument(path.queuePackets, number => number),
    ...tracesDocument(path),
    ...partsDocument(path),
    mtuBytes: path.mtuBytes,
    ...(path.atOnce === undefined ? {} : {atOnce: path.atOnce}),
    ...(path.traffic === undefined ? {} : {traffic: path.traffic.map(each => ({...each}))}),
  };
}

/** Returns a pane as it is written in a scenario document, where `captured` is a part of the path instead. */
export function paneDocument({captured: _, ...pane}: Pane): {readonly [key: string]: Json} {
  return pane;
}

/** Returns a pane without its `visit`, if the scenario has the same `visit`. */
function withoutVisit(pane: {readonly [key: string]: Json}, visit: Visit): {readonly [key: string]: Json} {
  return Object.fromEntries(Object.entries(pane).filter(([key, value]) => key !== 'visit' || value !== visit));
}

function changeDocument(change: Change): Json {
  const {rateBps, rttMs, loss, queuePackets}: PathChange = change.path;
  const path = {
    ...(isEmpty(rateBps) ? {} : {rateBps: {...rateBps}}),
    ...(isEmpty(rttMs) ? {} : {rttMs: {...rttMs}}),
    ...(isEmpty(loss) ? {} : {loss: someDocument(loss)}),
    ...(isEmpty(queuePackets) ? {} : {queuePackets: {...queuePackets}}),
    ...tracesDocument(change.path),
    ...partsDocument(change.path),
    ...(change.path.handover === undefined ? {} : {handover: handoverDocument(change.path.handover)}),
  };
  return {atMs: change.atMs, path};
}

/** Returns the keys `down` and `up` of a path or a change. A direction without traces has no key. */
function tracesDocument(path: Pick<PathChange, 'down' | 'up'>): {readonly [key: string]: Json} {
  const ways = (['down', 'up'] as const).map(way => {
    const traces = Object.entries(path[way] ?? {}) as [string, TraceSettings | null][];
    return [way, Object.fromEntries(traces.map(([key, trace]) => [key, traceDocument(trace)]))] as const;
  });
  return Object.fromEntries(ways.filter(([, traces]) => !isEmpty(traces)));
}

/** Returns the keys of the parts of links. A part that is absent has no key. */
function partsDocument(path: PartChanges): {readonly [key: string]: Json} {
  const parts = PART_KEYS.map(key => {
    const ways = Object.entries(path[key] ?? {}) as [string, LinkParts[keyof LinkParts] | null][];
    const written = ways.map(([way, part]) => [way, part === null ? null : partDocument(part)] as const);
    const [[, first] = ['', null], second] = written;
    const isSame = second !== undefined && JSON.stringify(first) === JSON.stringify(second[1]);
    return [key, isSame ? first : Object.fromEntries(written), written.length] as const;
  });
  return Object.fromEntries(parts.filter(([, , count]) => count > 0).map(([key, value]) => [key, value]));
}

function bothDocument<T>(both: BothWays<T>, each: (value: T) => Json): Json {
  const [down, up] = [each(both.down), each(both.up)];
  return JSON.stringify(down) === JSON.stringify(up) ? down : {down, up};
}

function someDocument(some: Partial<BothWays<Loss>>): {readonly [key: string]: Json} {
  return {
    ...(some.down === undefined ? {} : {down: lossDocument(some.down)}),
    ...(some.up === undefined ? {} : {up: lossDocument(some.up)}),
  };
}

/**
 * Returns the loss of one direction as it is written in a scenario document. `applies` and `at` are left out if they
 * have their defaults, `all` and `entry`.
 */
export function lossDocument(loss: Loss): Json {
  const {model, applies, at, ...parameters} = loss;
  const written = {...(applies === 'data' ? {applies} : {}), ...(at === 'exit' ? {at} : {})};
  return model === 'bernoulli' && isEmpty(written) ? loss.rate : {...parameters, ...written};
}

function isEmpty(value: object): boolean {
  return Object.keys(value).length === 0;
}
