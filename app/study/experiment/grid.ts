import type {Json} from '../../base/json.ts';
import {
  describedBy,
  fail,
  file,
  INVALID,
  integer,
  isObject,
  type JsonSchema,
  list,
  MOST_PROBLEMS,
  oneOf,
  optional,
  orNull,
  type Parser,
  type Problem,
  required,
  schemaOf,
} from '../../base/schema.ts';
import {nearest, showValue} from '../../base/text.ts';
import {clockOf, HEADLINES, type Headline} from '../../run/metrics/clock.ts';
import {scenarioDocument} from '../../run/scenario/document.ts';
import {isPipelineKey, OverrideError, setKey} from '../../run/scenario/override.ts';
import {findPreset, scenarioOrPreset} from '../../run/scenario/presets.ts';
import {presetHint} from '../../run/scenario/readScenario.ts';
import {
  MOST_SEEDS,
  parseComputed,
  parseLoadable,
  parseScenario,
  type Scenario,
  scenarioSchema,
  withSeed,
} from '../../run/scenario/scenario.ts';
import {readSeeds, seedsText} from '../../run/scenario/seeds.ts';
import {type Axis, axesOf, axisDocument, cellsOf, columnsOf, type Point} from './axis.ts';
import {CAUSE_METRICS, NAMED_METRICS} from './metricList.ts';

/**
 * The runs of an experiment. A cell is one combination of points of the axes, and each cell is run with every seed.
 * Cells are numbered so that the last axis varies fastest. Runs are numbered cell by cell, in the order of the seeds.
 */
export interface Grid {
  readonly name: string | null;
  /** The scenario document that the axes change. It contains every setting, also those with default values. */
  readonly base: Json;
  readonly axes: readonly Axis[];
  readonly seeds: readonly number[];
  /** The names of the metrics that are kept; null for all except {@link CAUSE_METRICS}. */
  readonly metrics: readonly string[] | null;
}

export type ParsedGrid =
  | {readonly ok: true; readonly grid: Grid}
  | {readonly ok: false; readonly problems: readonly Problem[]};

/**
 * Checks a grid file (parsed JSON) for computed loads. If the file itself is valid, all its cells are checked, too.
 * Reports the problems and never throws.
 */
export function parseGrid(json: unknown): ParsedGrid {
  return parse(json, parseComputed);
}

/** Like {@link parseGrid}, but cells may also be live loads. For a live load, a seed is only the number of a repeat. */
export function parseAnyGrid(json: unknown): ParsedGrid {
  return parse(json, parseLoadable);
}

function parse(json: unknown, parseCell: typeof parseScenario): ParsedGrid {
  const problems: Problem[] = [];
  const grid = gridSettings(json, '', problems);
  if (grid === INVALID) return {ok: false, problems};
  const tooMany = sizeProblem(grid);
  if (tooMany !== undefined) problems.push(tooMany);
  else if (areKeys(grid, problems)) checkCells(grid, parseCell, problems);
  return problems.length > 0 ? {ok: false, problems} : {ok: true, grid};
}

/** The problem of a grid that has too many cells or runs. */
function sizeProblem(grid: Grid): Problem | undefined {
  const [cells, runs] = [cellCount(grid), runCount(grid)];
  if (cells > MOST_CELLS) {
    const limit = `at most ${MOST_CELLS} (the product of the axes’ numbers of points)`;
    return {path: 'axes', value: cells, limit, message: `axes make ${cells} cells: must be ${limit}`};
  }
  if (runs > MOST_RUNS) {
    const limit = `at most ${MOST_RUNS} (cells × seeds)`;
    return {path: 'seeds', value: runs, limit, message: `seeds and axes make ${runs} runs: must be ${limit}`};
  }
  return undefined;
}

/** The document of a grid, which contains every setting. `parseAnyGrid` turns it into an equal grid. */
export function gridDocument({name, base, axes, seeds, metrics}: Grid): {readonly [key: string]: Json} {
  return {
    name,
    base,
    axes: Object.fromEntries(axes.map(axis => [axis.name, axisDocument(axis)])),
    seeds: seedsText(seeds),
    metrics,
  };
}

export function cellCount({axes}: Pick<Grid, 'axes'>): number {
  return axes.reduce((count, {points}) => count * points.length, 1);
}

export function runCount(grid: Grid): number {
  return cellCount(grid) * grid.seeds.length;
}

/** The cell and the seed of a run, given its number. */
export function runAt(grid: Grid, run: number): {readonly cell: number; readonly seed: number} {
  const each = grid.seeds.length;
  return {cell: Math.floor(run / each), seed: grid.seeds[run % each] ?? 0};
}

/** The scenario of a cell. The seed in this scenario is not used. */
export function cellScenario(grid: Grid, cell: number): Scenario {
  const parsed = parseScenario(cellDocument(grid, cell));
  if (!parsed.ok) throw new Error(`cell ${cell} was not checked: ${parsed.problems[0]?.message}`);
  return parsed.scenario;
}

/**
 * The time by which an experiment compares runs. It counts from the first request only if the clock of every cell does.
 */
export function gridHeadline(grid: Grid): Headline {
  const known = headlines.get(grid);
  if (known !== undefined) return known;
  const cells = Array.from({length: cellCount(grid)}, (_, cell) => cell);
  const isSince = cells.some(cell => clockOf(cellScenario(grid, cell)) === 'navigation');
  const headline = HEADLINES[isSince ? 'navigation' : 'first-request'];
  headlines.set(grid, headline);
  return headline;
}

/** A cache of {@link gridHeadline}. Reading all cells takes long, and a grid never changes. */
const headlines = new WeakMap<Grid, Headline>();

/** Whether some cells load from live servers. */
export function isLiveGrid(grid: Grid): boolean {
  const cells = Array.from({length: cellCount(grid)}, (_, cell) => cell);
  return cells.some(cell => cellScenario(grid, cell).path.live !== undefined);
}

/**
 * Returns a function that gives the number of panes of a cell. It remembers only the last cell, so it is fast if all
 * calls for a cell follow each other.
 */
export function paneCounts(grid: Grid): (cell: number) => number {
  let [last, count] = [-1, 0];
  return cell => {
    if (cell !== last) [last, count] = [cell, cellScenario(grid, cell).panes.length];
    return count;
  };
}

/** The names of the axes' columns. */
export function axisColumns({axes}: Grid): readonly string[] {
  return axes.flatMap(columnsOf);
}

/** A cell's values in the columns that {@link axisColumns} names. */
export function axisCells(grid: Grid, cell: number): readonly Json[] {
  const points = pointsOf(grid, cell);
  return grid.axes.flatMap((axis, i) => cellsOf(axis, points[i] as Point));
}

/** The index of the cell's point on each axis. */
export function pointNumbers({axes}: Pick<Grid, 'axes'>, cell: number): readonly number[] {
  let rest = cell;
  return axes
    .toReversed()
    .map(({points}) => {
      const number = rest % points.length;
      rest = Math.floor(rest / points.length);
      return number;
    })
    .toReversed();
}

/** The given cell and the cells that differ from it only in this axis, in the order of the axis's points. */
export function cellsAlong({axes}: Pick<Grid, 'axes'>, axis: number, cell: number): readonly number[] {
  const step = cellCount({axes: axes.slice(axis + 1)});
  const first = cell - step * (pointNumbers({axes}, cell)[axis] ?? 0);
  return (axes[axis]?.points ?? []).map((_, point) => first + point * step);
}

function pointsOf(grid: Grid, cell: number): readonly Point[] {
  return pointNumbers(grid, cell).map((number, axis) => grid.axes[axis]?.points[number] as Point);
}

/** @throws OverrideError */
function cellDocument(grid: Grid, cell: number): Json {
  const points = pointsOf(grid, cell);
  const values = grid.axes.flatMap(({keys}, axis) =>
    keys.map((key, i) => ({key, value: points[axis]?.values[i] ?? null})),
  );
  // a pane's settings depend on its pipeline, which must be set first
  const inOrder = values.toSorted((a, b) => turnOf(a.key) - turnOf(b.key));
  return inOrder.reduce((document, {key, value}) => setKey(document, key, value), grid.base);
}

/** The order in which keys are set: whole panes, then pipelines, then everything else. */
function turnOf(key: string): number {
  if (/^panes(\.\d+)?$/.test(key)) return 0;
  return isPipelineKey(key) ? 1 : 2;
}

/**
 * Checks that the first part of every key that the axes set, such as `path`, is a setting of a scenario. The rest of a
 * key is checked with the cells. The name of an axis without labels is its key.
 */
function areKeys({base, axes}: Grid, problems: Problem[]): boolean {
  const known = Object.keys(base as object);
  for (const {name, keys, isLinked} of axes) {
    const stray = keys.find(key => !known.includes(key.split('.')[0] ?? ''));
    if (stray === undefined) continue;
    const word = nearest(lastOf(stray), keysIn(base).map(lastOf));
    const meant = keysIn(base).find(key => lastOf(key) === word);
    const near = meant === undefined ? '' : `; did you mean ${meant}?`;
    const limit = isLinked ? 'a key of a scenario' : 'a key of a scenario, or have points with labels';
    fail(problems, `axes.${name}`, stray, limit, {hint: near});
    return false;
  }
  return true;
}

/** The last part of a key: `loss` for `path.loss`. */
function lastOf(key: string): string {
  return key.split('.').at(-1) ?? '';
}

/** All keys of a document, in the form that `--set` expects. */
function keysIn(document: Json): readonly string[] {
  if (typeof document !== 'object' || document === null) return [];
  return Object.entries(document).flatMap(([key, value]) => [key, ...keysIn(value).map(own => `${key}.${own}`)]);
}

/**
 * Checks the cells until {@link MOST_PROBLEMS} problems are found. If several cells have the same problem, it is
 * reported for the first of them.
 */
function checkCells(grid: Grid, parseCell: typeof parseScenario, problems: Problem[]): void {
  const seen = new Set<string>();
  for (let cell = 0; cell < cellCount(grid) && problems.length < MOST_PROBLEMS; cell++) {
    for (const problem of cellProblems(grid, cell, parseCell)) {
      if (seen.has(problem.message)) continue;
      seen.add(problem.message);
      problems.push({...problem, message: `${cellText(grid, cell)}: ${problem.message}`});
    }
  }
}

function cellProblems(grid: Grid, cell: number, parseCell: typeof parseScenario): readonly Problem[] {
  try {
    const parsed = parseCell(cellDocument(grid, cell));
    return parsed.ok ? [] : parsed.problems;
  } catch (error) {
    if (!(error instanceof OverrideError)) throw error;
    return [{path: 'axes', value: null, limit: 'a key of a scenario', message: error.message}];
  }
}

/** Names a cell in messages: `axes at path.loss=0.03, N=5`. */
function cellText(grid: Grid, cell: number): string {
  const points = pointsOf(grid, cell).map(({label, values}, axis) => {
    return `${grid.axes[axis]?.name}=${showValue(label ?? values[0])}`;
  });
  return `axes at ${points.join(', ')}`;
}

const base: Parser<Json> = describedBy(scenarioOrPreset, (value, path, problems) => {
  const document = typeof value === 'string' ? findPreset(value)?.scenario : value;
  if (document === undefined) {
    return fail(problems, path, value, 'a scenario or a preset’s name', {
      hint: `; ${presetHint(String(value))}`,
    });
  }
  if (!isObject(document)) return fail(problems, path, document, 'a scenario (an object) or a preset’s name');
  const parsed = parseScenario(document);
  if (parsed.ok) return scenarioDocument(withSeed(parsed.scenario, 0));
  for (const problem of parsed.problems) {
    problems.push({...problem, path: `${path}.${problem.path}`, message: `${path}.${problem.message}`});
  }
  return INVALID;
});

const seedList = list(integer(0, Number.MAX_SAFE_INTEGER), 1, MOST_SEEDS);

const seeds: Parser<readonly number[]> = describedBy(seedsSchema, (value, path, problems) => {
  if (Array.isArray(value)) {
    const parsed = seedList(value, path, problems);
    if (parsed === INVALID || new Set(parsed).size === parsed.length) return parsed;
    return fail(problems, path, value, 'a list of seeds without duplicates');
  }
  if (typeof value !== 'string') return fail(problems, path, value, 'like "1-50" or [1, 2, 7]');
  const read = readSeeds(value);
  return read.ok ? read.seeds : fail(problems, path, value, read.limit.replace(/^must be /, ''));
});

function seedsSchema(): JsonSchema {
  return {
    anyOf: [
      {type: 'string', pattern: SEEDS_TEXT},
      {...schemaOf(seedList), uniqueItems: true},
    ],
  };
}

const name: Parser<string> = describedBy(
  () => ({type: 'string', maxLength: LONGEST_NAME}),
  (value, path, problems) =>
    typeof value === 'string' && value.length <= LONGEST_NAME
      ? value
      : fail(problems, path, value, `a text of at most ${LONGEST_NAME} characters`),
);

/** The name that stands for the metrics of all causes. */
const CAUSES = 'causes';
const METRIC_NAMES = [...NAMED_METRICS.map(metric => metric.name), CAUSES];

const metricList = list(oneOf(METRIC_NAMES), 1, METRIC_NAMES.length);

const metricsSchema = (): JsonSchema => ({...schemaOf(metricList), uniqueItems: true});

const metrics: Parser<readonly string[]> = describedBy(metricsSchema, (value, path, problems) => {
  const parsed = metricList(value, path, problems);
  if (parsed === INVALID) return INVALID;
  const all = parsed.flatMap(each => (each === CAUSES ? CAUSE_METRICS.map(metric => metric.name) : [each]));
  if (new Set(all).size === all.length) return all;
  return fail(problems, path, value, 'a list of metrics without duplicates');
});

const gridSettings = file('a grid', {
  name: optional(orNull(name), null, {about: 'The title of the report.'}),
  base: required(base, {about: 'The scenario that the axes change: a scenario, or the name of a preset.'}),
  axes: optional(axesOf, [], {
    about:
      'The settings that differ between the cells. Each key is a setting as --set names it, with a list of values, or ' +
      'a range {from, to, step}. If its values are objects with a label, an axis may set several keys together.',
  }),
  seeds: required(seeds, {about: 'The seeds with which every cell is run, like "1-50" or [1, 2, 7].'}),
  metrics: optional(orNull(metrics), null, {
    about:
      'The metrics that are kept. Without this key, all are kept except the times of causes (docs/why.md), such as ' +
      'whySetUpMs. The name "causes" stands for all these times.',
  }),
});

/** Returns the JSON Schema of grids. Rules between several keys are not part of it. */
export function gridSchema(): JsonSchema {
  return {...schemaOf(gridSettings), $defs: {scenario: scenarioSchema()}};
}

/** A pattern of seeds as text. `readSeeds` also checks their order and number. */
const SEEDS_TEXT = '^ *\\d{1,16}(-\\d{1,16})? *(, *\\d{1,16}(-\\d{1,16})? *)*$';

const LONGEST_NAME = 200;
/** The largest number of cells. Every cell is checked before anything runs, and has its own part of the summary. */
export const MOST_CELLS = 20_000;
const MOST_RUNS = 10_000_000;
