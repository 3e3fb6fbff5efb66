import type {Json} from './document.ts';
import {isObject} from './schema.ts';

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
  if (equals < 1) throw new OverrideError(`--set ${assignment}: write KEY=VALUE, as in path.loss.down=0.03`);
  const keys = assignment
    .slice(0, equals)
    .trim()
    .replaceAll(/\[(\d+)\]/g, '.$1')
    .split('.');
  return assign(document, keys, readValue(assignment.slice(equals + 1).trim()), assignment);
}

function assign(target: Json | undefined, keys: readonly string[], value: Json, assignment: string): Json {
  const [key, ...rest] = keys;
  if (key === undefined) return value;
  if (Array.isArray(target)) {
    const index = Number(key);
    if (!Number.isInteger(index) || index < 0 || index >= target.length) {
      throw new OverrideError(`--set ${assignment}: there is no item ${key} in a list of ${target.length}`);
    }
    return target.map((item: Json, at) => (at === index ? assign(item, rest, value, assignment) : item));
  }
  const fields = fieldsOf(target, key);
  return {
    ...fields,
    [key]: assign(Object.hasOwn(fields, key) ? fields[key] : undefined, rest, value, assignment),
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
