import type {Json} from '../../base/json.ts';
import {isObject} from '../../base/schema.ts';
import {showName} from '../../base/text.ts';
import {findPipeline} from '../../pipelines/index.ts';
import {OF_ANY_MODEL} from './lossModel.ts';
import {takes} from './pane.ts';

/** The reason why a `--set` cannot be applied. */
export class OverrideError extends Error {
  override readonly name = 'OverrideError';
}

/**
 * Applies an assignment such as `path.loss.down=0.03` to a scenario document and returns the new document. The value is
 * JSON or a word. List items are written `panes[1].streams` or `panes.1.streams`. Setting `.down` or `.up` of a value
 * for both directions splits the value first. Setting a key of a split value sets it in both directions. A loss that is
 * a number counts as one with that `rate`. A pane with a new pipeline keeps the settings that the new pipeline has,
 * too: see {@link withoutOld}.
 *
 * Any change except that of `typicalOf` removes `typicalOf`, because the seed was found typical for another run.
 *
 * The result is not checked; `parseScenario` does that.
 * @throws OverrideError if there is no `=`, or if a key names a list item that does not exist
 */
export function applyOverride(document: Json, assignment: string): Json {
  const equals = assignment.indexOf('=');
  const shown = `--set ${showName(assignment)}`;
  if (equals < 1) throw new OverrideError(`${shown}: write KEY=VALUE, as in path.loss.down=0.03`);
  const keys = keysOf(assignment.slice(0, equals).trim());
  if (keys.length > MOST_KEYS) throw new OverrideError(`${shown}: no setting lies ${keys.length} keys deep`);
  return set(document, keys, readValue(assignment.slice(equals + 1).trim()), shown);
}

/**
 * Sets the value at a key, as {@link applyOverride} does. @throws OverrideError if the key names a missing list item
 */
export function setKey(document: Json, key: string, value: Json): Json {
  return set(document, keysOf(key), value, showName(key));
}

function keysOf(key: string): readonly string[] {
  return key.replaceAll(/\[(\d+)\]/g, '.$1').split('.');
}

function set(document: Json, keys: readonly string[], value: Json, shown: string): Json {
  const changed = assign(withoutOld(document, keys, value), keys, value, shown);
  if (!isObject(changed) || !Object.hasOwn(changed, 'typicalOf') || keys[0] === 'typicalOf') return changed;
  const {typicalOf: _, ...other} = changed as {readonly [key: string]: Json};
  return JSON.stringify(changed) === JSON.stringify(document) ? changed : other;
}

/** Whether a key chooses the pipeline of a pane, such as `panes.0.pipeline`. */
export function isPipelineKey(key: string): boolean {
  const [panes, place, pipeline, ...rest] = keysOf(key);
  return panes === 'panes' && /^\d+$/.test(place ?? '') && pipeline === 'pipeline' && rest.length === 0;
}

/**
 * Removes settings from the pane whose pipeline is set, as the window does: those that the new pipeline lacks, and
 * those at the old pipeline's default, since the new one's may differ. A setting that the old pipeline did not have
 * stays, and is rejected later.
 */
function withoutOld(document: Json, keys: readonly string[], value: Json): Json {
  if (!isPipelineKey(keys.join('.')) || !isObject(document)) return document;
  const {panes} = document as {readonly panes?: Json};
  if (!Array.isArray(panes)) return document;
  const changed = (panes as readonly Json[]).map((pane, at) => {
    return String(at) === keys[1] && isObject(pane) ? kept(pane as {readonly [key: string]: Json}, value) : pane;
  });
  return {...document, panes: changed};
}

function kept(pane: {readonly [key: string]: Json}, pipeline: Json): {readonly [key: string]: Json} {
  const old = new Map(Object.entries(pane)).get('pipeline');
  const before = new Map(Object.entries(findPipeline(old)?.settings ?? {}));
  const now = findPipeline(pipeline);
  if (now === undefined || pipeline === old) return pane;
  const settings = new Map(Object.entries(now.settings));
  const stays = ([key, value]: readonly [string, Json]): boolean => {
    const was = before.get(key);
    const is = settings.get(key);
    if (was === undefined) return true;
    return JSON.stringify(was.default) !== JSON.stringify(value) && is !== undefined && takes(is, value);
  };
  return Object.fromEntries(Object.entries(pane).filter(stays));
}

function assign(target: Json | undefined, keys: readonly string[], value: Json, shown: string): Json {
  const [key, ...rest] = keys;
  if (key === undefined) return value;
  if (Array.isArray(target)) {
    const index = Number(key);
    if (!Number.isInteger(index) || index < 0 || index >= target.length) {
      throw new OverrideError(`${shown}: there is no item ${showName(key)} in a list of ${target.length}`);
    }
    return target.map((item: Json, at) => (at === index ? assign(item, rest, value, shown) : item));
  }
  const ways = isWay(key) ? [] : waysOf(target);
  if (ways.length > 0) {
    const both = target as {readonly [key: string]: Json};
    return {...both, ...Object.fromEntries(ways.map(way => [way, assign(both[way], keys, value, shown)]))};
  }
  const fields = fieldsOf(target, key);
  return {
    ...fields,
    [key]: assign(Object.hasOwn(fields, key) ? fields[key] : undefined, rest, value, shown),
  };
}

function fieldsOf(target: Json | undefined, key: string): {readonly [key: string]: Json} {
  if (isObject(target)) {
    const split = !isWay(key) || waysOf(target as Json).length > 0;
    return split ? (target as {[key: string]: Json}) : {down: target as Json, up: target as Json};
  }
  if (typeof target === 'number' && ['rate', ...OF_ANY_MODEL].includes(key)) return {rate: target};
  return isWay(key) && target !== undefined ? {down: target, up: target} : {};
}

function isWay(key: string): boolean {
  return key === 'down' || key === 'up';
}

/** The directions that are keys of a split value. */
function waysOf(value: Json | undefined): readonly string[] {
  return isObject(value) ? Object.keys(value).filter(isWay) : [];
}

function readValue(text: string): Json {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return text;
  }
}

/** Far more than any setting has. */
const MOST_KEYS = 16;
