import type {Json} from '../../base/json.ts';
import {check, fail, isObject, list, number, object, orNull, type Parser, required} from '../../base/schema.ts';
import {showValue} from '../../base/text.ts';
import type {Thresholds} from '../../run/quality/states.ts';
import {type Grid, gridDocument, MOST_CELLS, parseAnyGrid} from './grid.ts';
import {ALL_METRICS, CAUSE_METRICS, METRICS, type Metric} from './metricList.ts';
import {readShard, type Shard, shardText, WHOLE} from './shard.ts';

/** Everything that an experiment's results depend on. Results can be merged if only their shards differ. */
export interface Identity {
  readonly grid: Grid;
  readonly shard: Shard;
  /** Every page of the grid, as a scenario names it, with the hash of its content. */
  readonly pages: readonly (readonly [page: Json, hash: string])[];
  /** The thresholds of visual metrics and the hash of each page's quality data; null if they are not measured. */
  readonly visual: (Thresholds & {readonly qualities: readonly string[]}) | null;
}

/** The metrics that are kept of each run. */
export function metricsOf({grid, visual}: Identity): readonly Metric[] {
  const all = visual === null ? METRICS : ALL_METRICS;
  const isNamed = ({name}: Metric): boolean => grid.metrics?.includes(name) === true;
  return [...all.filter(metric => grid.metrics === null || isNamed(metric)), ...CAUSE_METRICS.filter(isNamed)];
}

/** The grid with the names of its metrics spelled out, because another version of the program may have others. */
export function namedGrid(identity: Identity): {readonly [key: string]: Json} {
  return gridDocument({...identity.grid, metrics: metricsOf(identity).map(({name}) => name)});
}

/** The content of `experiment.json` in the experiment's folder. */
export function identityDocument(identity: Identity): Json {
  const {shard, pages, visual} = identity;
  return {
    grid: namedGrid(identity),
    shard: shard.of === WHOLE.of ? null : shardText(shard),
    pages: pages.map(([page, hash]) => ({page, hash})),
    visual: visual === null ? null : {...visual},
  };
}

/** Reads what {@link identityDocument} wrote; undefined if it is damaged. */
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
/** The largest number of pages in an experiment. Each cell has at most one page of its own. */
const MOST_PAGES = MOST_CELLS;
const pageList = list(object('a page', {page: required(anyJson), hash: required(hash)}), 0, MOST_PAGES);
const visualSettings = object('what is seen', {
  recognisable: required(number(0, 1)),
  good: required(number(0, 1)),
  qualities: required(list(hash, 0, MOST_PAGES)),
});

/**
 * Describes the first difference of two documents: `grid.seeds is "1-50" there and "1-60" here`. Null if they are
 * equal.
 */
export function firstDifference(there: Json, here: Json, path = ''): string | null {
  if (isBranch(there) && isBranch(here) && Array.isArray(there) === Array.isArray(here)) {
    const [own, other] = [there, here] as [Record<string, Json>, Record<string, Json>];
    for (const key of new Set([...Object.keys(own), ...Object.keys(other)])) {
      const at = path === '' ? key : `${path}.${key}`;
      const difference = firstDifference(valueAt(own, key), valueAt(other, key), at);
      if (difference !== null) return difference;
    }
    // the order of keys matters: axes in another order number the cells differently
    const [order, otherOrder] = [own, other].map(value => Object.keys(value).join(', '));
    return order === otherOrder ? null : `${path || 'the keys'} are ${order} there and ${otherOrder} here`;
  }
  if (JSON.stringify(there) === JSON.stringify(here)) return null;
  return `${path || 'the document'} is ${showValue(there)} there and ${showValue(here)} here`;
}

function isBranch(value: Json): boolean {
  return Array.isArray(value) || isObject(value);
}

/** The value of a key; null if it is missing. */
function valueAt(value: {readonly [key: string]: Json}, key: string): Json {
  return Object.hasOwn(value, key) ? (value[key] ?? null) : null;
}
