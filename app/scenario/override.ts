import type {Json} from './document.ts';
import {isObject} from './schema.ts';
import {showName} from './show.ts';

/** A `--set` that cannot be read, and why. */
export class OverrideError extends Error {
  override readonly name = 'OverrideError';
}

/**
 * Applies `path.loss.down=0.03` to a scenario document and gives the new document. The value is JSON, or a
 * word. List items are written `panes[1].streams` or `panes.1.streams`. Setting `.down` or `.up` of a value
 * that holds for both directions splits it first.
 *
 * The result is not checked: that is `parseScenario`'s.
 * @throws OverrideError if there is no `=`, or a key leads into a list item that is not there.
 */
export function applyOverride(document: Json, assignment: string): Json {
  const equals = assignment.indexOf('=');
  const shown = `--set ${showName(assignment)}`;
  if (equals < 1) throw new OverrideError(`${shown}: write KEY=VALUE, as in path.loss.down=0.03`);
  const keys = assignment
    .slice(0, equals)
    .trim()
    .replaceAll(/\[(\d+)\]/g, '.$1')
    .split('.');
  if (keys.length > MOST_KEYS) throw new OverrideError(`${shown}: no setting lies ${keys.length} keys deep`);
  return assign(document, keys, readValue(assignment.slice(equals + 1).trim()), shown);
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
  const fields = fieldsOf(target, key);
  return {
    ...fields,
    [key]: assign(Object.hasOwn(fields, key) ? fields[key] : undefined, rest, value, shown),
  };
}

function fieldsOf(target: Json | undefined, key: string): {readonly [key: string]: Json} {
  const isDirection = key === 'down' || key === 'up';
  if (isObject(target)) {
    const split = !isDirection || 'down' in target || 'up' in target;
    return split ? (target as {[key: string]: Json}) : {down: target as Json, up: target as Json};
  }
  return isDirection && target !== undefined ? {down: target, up: target} : {};
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
