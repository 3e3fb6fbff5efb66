import type {Json} from '../../base/json.ts';
import {check, fail, isObject, list, number, object, orNull, type Parser, required} from '../../base/schema.ts';
import {showValue} from '../../base/text.ts';
import type {Thresholds} from '../../run/quality/states.ts';
import {type Grid, gridDocument, MOST_CELLS, parseAnyGrid} from './grid.ts';
import {ALL_METRICS, METRICS, type Metric} from './metricList.ts';
import {readShard, type Shard, shardText, WHOLE} from './shard.ts';

/** All that an experiment's results depend on: those of two that are equal can be put together. */
export interface Identity {
  readonly grid: Grid;
  readonly shard: Shard;
  /** Every page of the grid, as a scenario names it, with the hash of what it was. */
  readonly pages: readonly (readonly [page: Json, hash: string])[];
  /** Where what the eye gets is measured: from when on, and the hash of what each page looks like. */
  readonly visual: (Thresholds & {readonly qualities: readonly string[]}) | null;
}

/** The metrics that are kept of each run. */
export function metricsOf({grid, visual}: Identity): readonly Metric[] {
  const all = visual === null ? METRICS : ALL_METRICS;
  return all.filter(({name}) => grid.metrics === null || grid.metrics.includes(name));
}

/** The grid with its metrics by name, as parts of an experiment and the whole have it: another version may have others. */
export function namedGrid(identity: Identity): {readonly [key: string]: Json} {
  return gridDocument({...identity.grid, metrics: metricsOf(identity).map(({name}) => name)});
}

/** As the experiment's folder keeps it, in `experiment.json`. */
export function identityDocument(identity: Identity): Json {
  const {shard, pages, visual} = identity;
  return {
    grid: namedGrid(identity),
    shard: shard.of === WHOLE.of ? null : shardText(shard),
    pages: pages.map(([page, hash]) => ({page, hash})),
    visual: visual === null ? null : {...visual},
  };
}

/** What {@link identityDocument} wrote; undefined if it is damaged. */
export function readIdentity(document: Json): Identity | undefined {
  const {grid, shard, pages, visual} = isObject(document) ? document : {};
  const parsed = parseAnyGrid(grid);
  const part = shard === null ? WHOLE : readShard(String(shard));
  if (!parsed.ok || part === undefined) return undefined;
  const [named, seen] = [check(pageList, pages), check(orNull(visualSettings), visual)];
  if (!named.ok || !seen.ok) return undefined;
  return {
    grid: parsed.grid,
    shard: part,
    pages: named.value.map(({page, hash}) => [page, hash]),
    visual: seen.value,
  };
}

const anyJson: Parser<Json> = value => value as Json;
const hash: Parser<string> = (value, path, problems) =>
  typeof value === 'string' ? value : fail(problems, path, value, 'a hash');
/** As many as there are cells. */
const MOST_PAGES = MOST_CELLS;
const pageList = list(object('a page', {page: required(anyJson), hash: required(hash)}), 0, MOST_PAGES);
const visualSettings = object('what is seen', {
  recognisable: required(number(0, 1)),
  good: required(number(0, 1)),
  qualities: required(list(hash, 0, MOST_PAGES)),
});

/** The first place where two documents differ, as `grid.seeds is "1-50" there and "1-60" here`; null if none does. */
export function firstDifference(there: Json, here: Json, path = ''): string | null {
  if (isBranch(there) && isBranch(here) && Array.isArray(there) === Array.isArray(here)) {
    const [own, other] = [there, here] as [Record<string, Json>, Record<string, Json>];
    for (const key of new Set([...Object.keys(own), ...Object.keys(other)])) {
      const at = path === '' ? key : `${path}.${key}`;
      const difference = firstDifference(valueAt(own, key), valueAt(other, key), at);
      if (difference !== null) return difference;
    }
    // axes in another order make other cells
    const [order, otherOrder] = [own, other].map(value => Object.keys(value).join(', '));
    return order === otherOrder ? null : `${path} are ${order} there and ${otherOrder} here`;
  }
  if (JSON.stringify(there) === JSON.stringify(here)) return null;
  return `${path} is ${showValue(there)} there and ${showValue(here)} here`;
}

function isBranch(value: Json): boolean {
  return Array.isArray(value) || isObject(value);
}

/** What is missing is shown as none. */
function valueAt(value: {readonly [key: string]: Json}, key: string): Json {
  return Object.hasOwn(value, key) ? (value[key] ?? null) : null;
}
