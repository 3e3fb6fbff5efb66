import type {Json} from '../../base/json.ts';
import {describedBy, fail, INVALID, isObject, type JsonSchema, type Parser, type Problem} from '../../base/schema.ts';
import {isPipelineKey} from '../../run/scenario/override.ts';
import {NAMED_METRICS} from './metricList.ts';

/** One dimension of a grid: settings that differ between its cells. */
export interface Axis {
  readonly name: string;
  /** The keys of the scenario that each point of the axis sets, in the form that `--set` expects. */
  readonly keys: readonly string[];
  /** Whether each point has a label. An axis with labels can set several keys together, and its name is not a key. */
  readonly isLinked: boolean;
  readonly points: readonly Point[];
}

/** One place on an axis: a value for each of the keys that the axis sets. */
export interface Point {
  /** The name of the point. Null if the axis sets a single key and its points have no labels. */
  readonly label: string | number | null;
  /** One value for each of the axis's keys. */
  readonly values: readonly Json[];
}

/** Whether an axis has several points and chooses pipelines of panes. Its points are then compared with each other. */
export function choosesPipelines({keys, points}: Axis): boolean {
  return points.length > 1 && keys.some(key => /^panes(\.\d+)?$/.test(key) || isPipelineKey(key));
}

/** The names of an axis's columns in tables. */
export function columnsOf({name, keys, isLinked}: Axis): readonly string[] {
  return isLinked ? [name, ...keys] : keys;
}

/** A point's values in the columns of its axis. */
export function cellsOf({isLinked}: Axis, {label, values}: Point): readonly Json[] {
  return isLinked ? [label, ...values] : values;
}

/** The part of a grid file about an axis. Ranges become lists. */
export function axisDocument({keys, isLinked, points}: Axis): Json {
  return points.map(({label, values}) => {
    const [only = null] = values;
    return isLinked ? {label, ...Object.fromEntries(keys.map((key, i) => [key, values[i] ?? null]))} : only;
  });
}

/**
 * Parses the axes of a grid, which are an object: each key is the name of an axis. The value is a list of values, a
 * range {from, to, step}, or a list of objects, each with a `label` and the scenario's keys that it sets together.
 */
export const axesOf: Parser<readonly Axis[]> = describedBy(axesSchema, (value, path, problems) => {
  if (!isObject(value) || Object.keys(value).length > MOST_AXES) {
    return fail(problems, path, value, `an object of at most ${MOST_AXES} axes, each a key with its values`);
  }
  const axes = Object.entries(value).map(([name, values]) => axisOf(name, values, path, problems));
  const valid = axes.filter(axis => axis !== INVALID);
  return valid.length === axes.length && areApart(valid, path, problems) ? valid : INVALID;
});

function axesSchema(): JsonSchema {
  const name = {type: 'string', minLength: 1, maxLength: LONGEST_NAME};
  const number = {type: 'number'};
  const labelled = {type: 'object', required: ['label'], properties: {label: {anyOf: [number, name]}}};
  const points = {type: 'array', minItems: 1, maxItems: MOST_POINTS};
  return {
    type: 'object',
    maxProperties: MOST_AXES,
    propertyNames: name,
    additionalProperties: {
      anyOf: [
        {...points, items: {not: {type: 'object', required: ['label'], properties: {label: true}}}, uniqueItems: true},
        {...points, items: {...labelled, propertyNames: name, minProperties: 2}},
        {
          type: 'object',
          properties: {from: number, to: number, step: {type: 'number', exclusiveMinimum: 0}},
          required: ['from', 'to', 'step'],
          additionalProperties: false,
        },
      ],
    },
  };
}

function axisOf(name: string, value: unknown, at: string, problems: Problem[]): Axis | typeof INVALID {
  const path = `${at}.${name.slice(0, LONGEST_NAME)}`;
  if (!isName(name)) return fail(problems, path, name, `a name of 1 to ${LONGEST_NAME} characters`);
  const values = isObject(value) ? range(value, path, problems) : value;
  if (values === INVALID) return INVALID;
  if (!Array.isArray(values) || values.length < 1 || values.length > MOST_POINTS) {
    return fail(problems, path, values, `a list of 1 to ${MOST_POINTS} values, or {"from", "to", "step"}`);
  }
  const isLinked = values.some(isLabelled);
  const points = isLinked ? linkedPoints(values, path, problems) : values.map(plainPoint);
  if (points === INVALID || !areDistinct(points, path, problems)) return INVALID;
  const keys = isLinked ? keysOf(values[0]) : [normalised(name)];
  return {name, keys, isLinked, points};
}

function plainPoint(value: Json): Point {
  return {label: null, values: [value]};
}

/** The points of an axis that links several keys. All points have the same keys, in the order of the first point. */
function linkedPoints(
  values: readonly unknown[],
  path: string,
  problems: Problem[],
): readonly Point[] | typeof INVALID {
  const keys = isObject(values[0]) ? Object.keys(values[0]).filter(key => key !== 'label') : [];
  const points: Point[] = [];
  for (const [i, value] of values.entries()) {
    const at = `${path}[${i}]`;
    if (!isLabelled(value)) return fail(problems, at, value, 'an object with a "label", like others in its list');
    const {label} = value;
    if (!isLabel(label)) {
      return fail(problems, `${at}.label`, label, `a number, or a text of 1 to ${LONGEST_NAME} characters`);
    }
    const isSame = Object.keys(value).length === keys.length + 1 && keys.every(key => Object.hasOwn(value, key));
    if (keys.length === 0 || !isSame || !keys.every(isName)) {
      return fail(problems, at, value, '"label" and at least one key, the same as in the others of its list');
    }
    points.push({label, values: keys.map(key => value[key] as Json)});
  }
  return points;
}

function isLabelled(value: unknown): value is Record<string, unknown> {
  return isObject(value) && Object.hasOwn(value, 'label');
}

function isLabel(label: unknown): label is string | number {
  return typeof label === 'number' || (typeof label === 'string' && isName(label));
}

function isName(name: string): boolean {
  return name.length > 0 && name.length <= LONGEST_NAME;
}

function keysOf(value: unknown): readonly string[] {
  return Object.keys(value as object)
    .filter(key => key !== 'label')
    .map(normalised);
}

/** Writes `panes[1].streams` as `panes.1.streams`. */
function normalised(key: string): string {
  return key.replaceAll(/\[(\d+)\]/g, '.$1');
}

function areDistinct(points: readonly Point[], path: string, problems: Problem[]): boolean {
  const seen = new Set<string>();
  for (const [i, {label, values}] of points.entries()) {
    const mark = JSON.stringify(label ?? values[0]);
    if (seen.has(mark)) {
      fail(problems, `${path}[${i}]`, label ?? values[0], 'a value that the list does not have yet');
      return false;
    }
    seen.add(mark);
  }
  return true;
}

/** Lists the numbers of a range. `to` is included if it is a whole number of steps after `from`. */
function range(value: object, path: string, problems: Problem[]): readonly number[] | typeof INVALID {
  const {from, to, step, ...others} = value as {readonly [key: string]: unknown};
  const isWhole = Object.keys(others).length === 0;
  if (!isWhole || !isNumber(from) || !isNumber(to) || !isNumber(step) || step <= 0 || to < from) {
    return fail(problems, path, value, 'a list, or {"from": a, "to": b, "step": c} with a ≤ b and c > 0');
  }
  const count = Math.floor((to - from) / step + 1e-9) + 1;
  if (!(count <= MOST_POINTS)) return fail(problems, path, value, `a range of at most ${MOST_POINTS} values`);
  // 12 digits are few enough to remove the rounding errors of binary numbers
  return Array.from({length: count}, (_, i) => Number((from + i * step).toPrecision(12)));
}

function isNumber(value: unknown): value is number {
  return typeof value === 'number';
}

/** Checks that no axis overwrites a key of an earlier one, that columns are unique, and that no axis sets seeds. */
function areApart(axes: readonly Axis[], path: string, problems: Problem[]): boolean {
  const before: string[] = [];
  const columns = new Set<string>();
  for (const axis of axes) {
    const at = `${path}.${axis.name}`;
    for (const key of axis.keys) {
      if (key === 'seed' || key === 'typicalOf') {
        fail(problems, at, key, 'another key, because the grid’s own "seeds" lists the seeds');
        return false;
      }
      const undone = before.find(other => other === key || other.startsWith(`${key}.`));
      if (undone !== undefined) {
        const order = `another key, or listed before ${undone}, because setting ${key} overwrites ${undone}`;
        fail(problems, at, key, undone === key ? 'another key, because an earlier axis sets this one' : order);
        return false;
      }
      before.push(key);
    }
    if (axis.isLinked && axis.keys.includes(normalised(axis.name))) {
      const why = `its points set the key ${axis.name}, and each key has a column`;
      const limit = `another name, because ${why}; without labels this name is allowed`;
      fail(problems, at, axis.name, limit);
      return false;
    }
    for (const column of columnsOf(axis)) {
      if (columns.has(column) || OWN_COLUMNS.has(column)) {
        fail(problems, at, column, 'another name, because a column of the results already has this one');
        return false;
      }
      columns.add(column);
    }
  }
  return true;
}

/** The columns of `results.csv` between those of the axes and those of the metrics. */
export const RUN_COLUMNS = ['seed', 'pane', 'pipeline', 'outcome'] as const;
/** The last column of `results.csv`: a name that distinguishes the panes. It is last because it was added later. */
export const PANE_NAME = 'paneName';
const OWN_COLUMNS: ReadonlySet<string> = new Set([
  ...RUN_COLUMNS,
  'reason',
  PANE_NAME,
  ...NAMED_METRICS.map(({name}) => name),
]);

const MOST_AXES = 20;
const MOST_POINTS = 10_000;
const LONGEST_NAME = 100;
