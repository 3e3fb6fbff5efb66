import type {Json} from '../../base/json.ts';
import {isObject} from '../../base/schema.ts';
import {showName} from '../../base/text.ts';
import {findPipeline} from '../../pipelines/index.ts';
import {OF_ANY_MODEL} from './lossModel.ts';
import {accepts} from './pane.ts';

/** Thrown if a setting cannot be changed as asked, for example by `--set`. The message gives the reason. */
export class OverrideError extends Error {
  override readonly name = 'OverrideError';
}

/**
 * Applies an assignment such as `path.loss.down=0.03` to a scenario document and returns the new document. The value is
 * JSON or a word. List items are written `panes[1].streams` or `panes.1.streams`. If a value holds for both directions,
 * it is split into `down` and `up` before one of these is set. If a value is already split, any other key in it, such
 * as `rate` in `path.loss.rate`, is set in each of its directions. A number that is the short form of an object is
 * treated as this object: a loss of 0.1 has the `rate` 0.1. A new pipeline of a pane removes some settings of that
 * pane: see {@link withoutOld}. `path.queuePackets` removes `path.queue`: see {@link withoutQueue}. Changing any key
 * other than `typicalOf` removes `typicalOf`, because the seed is typical only of the old settings. The result is not
 * checked; `parseScenario` does that.
 * @throws OverrideError if there is no `=` or no key, if the key has too many parts, or if it names a missing list item
 */
export function applyOverride(document: Json, assignment: string): Json {
  const equals = assignment.indexOf('=');
  const shown = `--set ${showName(assignment)}`;
  if (equals < 1) throw new OverrideError(`${shown}: write KEY=VALUE, as in path.loss.down=0.03`);
  const keys = keysOf(assignment.slice(0, equals).trim());
  if (keys.length > MOST_KEYS)
    throw new OverrideError(`${shown}: the key has ${keys.length} parts (at most ${MOST_KEYS})`);
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
  const changed = withoutQueue(assign(withoutOld(document, keys, value), keys, value, shown, []), keys);
  if (!isObject(changed) || !Object.hasOwn(changed, 'typicalOf') || keys[0] === 'typicalOf') return changed;
  const {typicalOf: _, ...other} = changed as {readonly [key: string]: Json};
  return JSON.stringify(changed) === JSON.stringify(document) ? changed : other;
}

/** Whether a key names the pipeline of a pane, such as `panes.0.pipeline`. */
export function isPipelineKey(key: string): boolean {
  const [panes, place, pipeline, ...rest] = keysOf(key);
  return panes === 'panes' && /^\d+$/.test(place ?? '') && pipeline === 'pipeline' && rest.length === 0;
}

/**
 * Removes settings from a pane if the assignment sets the pipeline of that pane. It removes settings that the new
 * pipeline lacks, settings with a value that the new pipeline does not accept, and settings with the old pipeline's
 * default, because the new default may differ. It keeps settings that the old pipeline lacks, so that `parseScenario`
 * can report them. It removes nothing if the new pipeline is unknown or the same.
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

/**
 * Removes `path.queue` of the directions whose limit the assignment sets in `path.queuePackets`, because `path.queue`
 * would have priority.
 */
function withoutQueue(document: Json, keys: readonly string[]): Json {
  const at = keys.indexOf('queuePackets');
  if (at < 0 || keys[at - 1] !== 'path' || !isObject(document)) return document;
  const way = keys[at + 1];
  const removed = (target: Json, above: readonly string[]): Json => {
    const [key, ...rest] = above;
    if (key !== undefined) return mapped(target, key, each => removed(each, rest));
    const {queue, ...others} = target as {readonly [key: string]: Json};
    if (queue === undefined || way === undefined) return others;
    const ways = waysOf(queue).length > 0 ? (queue as {readonly [way: string]: Json}) : {down: queue, up: queue};
    const left = Object.entries(ways).filter(([each]) => each !== way);
    return left.length === 0 ? others : {...others, queue: Object.fromEntries(left)};
  };
  return removed(document as Json, keys.slice(0, at));
}

/** Replaces one value of an object or list. */
function mapped(target: Json, key: string, change: (value: Json) => Json): Json {
  if (Array.isArray(target))
    return target.map((each, index) => (String(index) === key ? change(each as Json) : (each as Json)));
  if (!isObject(target) || !Object.hasOwn(target, key)) return target;
  const fields = target as {readonly [key: string]: Json};
  return {...fields, [key]: change(fields[key] ?? null)};
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
    return JSON.stringify(was.default) !== JSON.stringify(value) && is !== undefined && accepts(is, value);
  };
  return Object.fromEntries(Object.entries(pane).filter(stays));
}

/** Sets the value at `keys` below `target`, which is at `above` in the document. */
function assign(
  target: Json | undefined,
  keys: readonly string[],
  value: Json,
  shown: string,
  above: readonly string[],
): Json {
  const [key, ...rest] = keys;
  if (key === undefined) return value;
  if (Array.isArray(target)) {
    const index = Number(key);
    if (!Number.isInteger(index) || index < 0 || index >= target.length) {
      const items = `${target.length} item${target.length === 1 ? '' : 's'}`;
      throw new OverrideError(`${shown}: there is no item ${showName(key)}: the list has ${items}, numbered from 0`);
    }
    return target.map((item: Json, at) => (at === index ? assign(item, rest, value, shown, [...above, key]) : item));
  }
  // The keys `down` and `up` of a path itself hold traces. They are not the two directions of one value.
  const ways = isWay(key) || above.at(-1) === 'path' ? [] : waysOf(target);
  if (ways.length > 0) {
    const both = target as {readonly [key: string]: Json};
    return {...both, ...Object.fromEntries(ways.map(way => [way, assign(both[way], keys, value, shown, above)]))};
  }
  const fields =
    above.at(-1) === 'path' && isObject(target) ? (target as {[key: string]: Json}) : fieldsOf(target, key);
  return {
    ...fields,
    [key]: assign(Object.hasOwn(fields, key) ? fields[key] : undefined, rest, value, shown, [...above, key]),
  };
}

function fieldsOf(target: Json | undefined, key: string): {readonly [key: string]: Json} {
  if (isObject(target)) {
    const split = !isWay(key) || waysOf(target as Json).length > 0;
    return split ? (target as {[key: string]: Json}) : {down: target as Json, up: target as Json};
  }
  if (typeof target === 'number' && key in SHORT_FORMS) return {[SHORT_FORMS[key] ?? key]: target};
  return isWay(key) && target !== undefined ? {down: target, up: target} : {};
}

/**
 * Some objects have a short form, which is a number: a loss of 0.1 is short for a loss with the `rate` 0.1. For each
 * key that such an object can have, this table says to which key the number belongs.
 */
const SHORT_FORMS: {readonly [key: string]: string} = {
  ...Object.fromEntries(['rate', 'correlation', 'gap', ...OF_ANY_MODEL].map(key => [key, 'rate'])),
  ...Object.fromEntries(['ms', 'distribution', 'inOrder'].map(key => [key, 'ms'])),
};

function isWay(key: string): boolean {
  return key === 'down' || key === 'up';
}

/** Returns the directions that are keys of a split value. */
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

/** Limit on the parts of a key, far above what any setting has. */
const MOST_KEYS = 16;
