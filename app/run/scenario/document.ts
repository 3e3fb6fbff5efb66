import type {Json} from '../../base/json.ts';
import type {Pane} from '../../pipelines/index.ts';
import {livePart} from './livePath.ts';
import type {Loss} from './loss.ts';
import type {PageSource} from './pageSource.ts';
import type {BothWays, PathChange, PathSettings} from './path.ts';
import type {Change, Scenario} from './scenario.ts';

/** The document of a scenario, every setting spelled out: `parseScenario` gives an equal scenario back. */
export function scenarioDocument(scenario: Scenario): {readonly [key: string]: Json} {
  return {
    page: pageDocument(scenario.page),
    path: pathDocument(scenario.path),
    panes: scenario.panes.map(paneDocument),
    seed: scenario.seed,
    discovery: scenario.discovery,
    serverThinkMs: scenario.serverThinkMs,
    timeLimitMs: scenario.timeLimitMs,
    changes: scenario.changes.map(changeDocument),
    // last: whatever else is set after it takes it away
    ...(scenario.typicalOf === null ? {} : {typicalOf: scenario.typicalOf}),
  };
}

/** A scenario's document whatever its seed, and however that was found: those of equal settings are equal. */
export function seedlessDocument(scenario: Scenario): {readonly [key: string]: Json} {
  return scenarioDocument({...scenario, seed: 0, typicalOf: null});
}

/** What a scenario's document has as its `page`. */
export function pageDocument(page: PageSource): Json {
  if (page.kind === 'named') return page.name;
  if (page.kind === 'bundle') return {bundle: page.bundle, name: page.name};
  const {kind: _, ...synthetic} = page;
  return {synthetic};
}

/** What a scenario's document has as its `path`. */
export function pathDocument(path: PathSettings): Json {
  const live = livePart(path);
  // nothing else is known of it
  if (live !== undefined) return {...live, ...(path.atOnce === undefined ? {} : {atOnce: path.atOnce})};
  return {
    rateBps: bothDocument(path.rateBps, number => number),
    rttMs: bothDocument(path.rttMs, number => number),
    loss: bothDocument(path.loss, lossDocument),
    queuePackets: bothDocument(path.queuePackets, number => number),
    mtuBytes: path.mtuBytes,
  };
}

/** A pane as a scenario document has it. */
export function paneDocument(pane: Pane): {readonly [key: string]: Json} {
  return {...pane};
}

function changeDocument(change: Change): Json {
  const {rateBps, rttMs, loss, queuePackets}: PathChange = change.path;
  const path = {
    ...(isEmpty(rateBps) ? {} : {rateBps: {...rateBps}}),
    ...(isEmpty(rttMs) ? {} : {rttMs: {...rttMs}}),
    ...(isEmpty(loss) ? {} : {loss: someDocument(loss)}),
    ...(isEmpty(queuePackets) ? {} : {queuePackets: {...queuePackets}}),
  };
  return {atMs: change.atMs, path};
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

/** A direction's loss as a scenario document has it. That it applies to all packets, or is at the entry, is not written. */
export function lossDocument(loss: Loss): Json {
  const {model, applies, at, ...parameters} = loss;
  const written = {...(applies === 'data' ? {applies} : {}), ...(at === 'exit' ? {at} : {})};
  return model === 'bernoulli' && isEmpty(written) ? loss.rate : {...parameters, ...written};
}

function isEmpty(value: object): boolean {
  return Object.keys(value).length === 0;
}
