import type {Json} from '../../app/base/json.ts';
import {lossDocument, scenarioDocument} from '../../app/run/scenario/document.ts';
import type {Loss} from '../../app/run/scenario/lossModel.ts';
import {setKey} from '../../app/run/scenario/override.ts';
import type {BothWays} from '../../app/run/scenario/path.ts';
import {type ParsedScenario, parseScenario, pathAt, type Scenario} from '../../app/run/scenario/scenario.ts';

/** Sets one key, written as in `--set` (`path.loss.down`), for the whole run. */
export function editWholeRun(scenario: Scenario, key: string, value: Json): ParsedScenario {
  return parseScenario(setKey(scenarioDocument(scenario), key, value));
}

/** Sets several keys, one after the other, each as {@link editWholeRun} does. */
export function editAll(scenario: Scenario, edits: readonly (readonly [key: string, value: Json])[]): ParsedScenario {
  const document = edits.reduce((before: Json, [key, value]) => setKey(before, key, value), scenarioDocument(scenario));
  return parseScenario(document);
}

/** The scenario without one of its timed changes. */
export function withoutChange(scenario: Scenario, index: number): ParsedScenario {
  const changes = scenarioDocument(scenario)['changes'] as readonly ChangeDocument[];
  return editWholeRun(
    scenario,
    'changes',
    changes.filter((_, at) => at !== index),
  );
}

/**
 * Sets one key of the path from `atMs` on. If the key already changes at that instant, the new value replaces the old
 * one. A key of a loss (`path.loss.r`) changes the loss that applies at `atMs`, and keeps the loss's other keys.
 */
export function editFromNow(scenario: Scenario, key: string, value: Json, atMs: number): ParsedScenario {
  const document = scenarioDocument(scenario);
  const changes = document['changes'] as readonly ChangeDocument[];
  const row = changes.find(change => change.atMs === atMs) ?? {atMs, path: {}};
  const at = changes.includes(row) ? changes.indexOf(row) : changes.length;
  const whole = {...row, path: {...row.path, ...wholeLoss(row.path, key, pathAt(scenario, atMs * 1e6).loss)}};
  const withRow: Json = {...document, changes: [...changes.slice(0, at), whole, ...changes.slice(at + 1)]};
  return parseScenario(setKey(withRow, `changes[${at}].${key}`, value));
}

type ChangeDocument = {readonly atMs: number; readonly path: {readonly [key: string]: Json}};

/**
 * If `key` is only one key of a loss, such as `path.loss.down.r`, returns the complete loss of each direction that
 * `key` changes, because a row of changes needs all keys of a loss. For any other key, returns an empty object.
 */
function wholeLoss(path: ChangeDocument['path'], key: string, inForce: BothWays<Loss>) {
  const [, way, parameter] = /^path\.loss(?:\.(down|up))?(\.\w+)?$/.exec(key) ?? [];
  if (parameter === undefined) return {};
  const {down, up} = {down: lossDocument(inForce.down), up: lossDocument(inForce.up)};
  const changed = way === 'down' ? {down} : way === 'up' ? {up} : {down, up};
  return {loss: {...(path['loss'] as {readonly [way: string]: Json} | undefined), ...changed}};
}

/**
 * Whether the window can set a key from the shown time t on ({@link editFromNow}). In a scenario file, more keys can
 * change.
 */
export function canChangeOnTheWay(key: string): boolean {
  return /^path\.(rateBps|rttMs|loss|queuePackets)\b/.test(key);
}
