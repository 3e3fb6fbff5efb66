import {showValue} from '../../base/text.ts';
import {type Axis, isOfPipelines, type Point} from '../experiment/axis.ts';
import {cellCount, cellScenario, cellsAlong, type Grid, pointNumbers} from '../experiment/grid.ts';
import {PANE_COLOURS} from './palette.ts';
import {keyQuantity, numberText, valueText} from './quantities.ts';

/** Where a grid's axes stand in its figures: numbers of its axes. */
export interface FigureLayout {
  /** Along the x axis; null of a grid of one cell. */
  readonly x: number | null;
  /** As series of one figure, beside the panes; null where no axis chooses pipelines. */
  readonly series: number | null;
  /** Side by side in one figure; null where all axes have their places. */
  readonly panels: number | null;
  /** In figures of their own. */
  readonly apart: readonly number[];
}

/**
 * The first axis that chooses pipelines makes series, if all of its panes have colours. Of the others the loss rate goes
 * along x, or the axis of numbers with the most points, or else the first; side by side goes the last of the rest that
 * has few points.
 */
export function layOutAxes(grid: Grid): FigureLayout {
  const {axes} = grid;
  const found = axes.findIndex(isOfPipelines);
  const series = found >= 0 && mostSeries(grid, found) <= MOST_SERIES ? found : null;
  const numbers = axes.map((_, i) => i).filter(i => i !== series && axes[i]?.points.length !== 1);
  const numeric = numbers.filter(i => isNumeric(axes[i]));
  const most = Math.max(...numeric.map(i => axes[i]?.points.length ?? 0));
  const x =
    numeric.find(i => axes[i]?.keys[0]?.startsWith('path.loss')) ??
    numeric.find(i => axes[i]?.points.length === most) ??
    numbers[0] ??
    axes.findIndex((_, i) => i !== series);
  const others = axes.map((_, i) => i).filter(i => i !== x && i !== series);
  const panels = others.findLast(i => isFew(axes[i]?.points.length ?? 0)) ?? null;
  return {x: x < 0 ? null : x, series, panels, apart: others.filter(i => i !== panels)};
}

/** How many panes the cells have along an axis, all others at their first point: those that are alike count once. */
function mostSeries(grid: Grid, axis: number): number {
  const panes = cellsAlong(grid, axis, 0).flatMap(cell => cellScenario(grid, cell).panes);
  return new Set(panes.map(pane => JSON.stringify(pane))).size;
}

/** One point tells nothing apart. */
function isFew(points: number): boolean {
  return points > 1 && points <= MOST_PANELS;
}

export function isNumeric(axis: Axis | undefined): boolean {
  return axis?.points.every(point => typeof placeOf(point) === 'number') ?? false;
}

/** What tells a point from the others of its axis. */
export function placeOf({label, values}: Point): Point['values'][number] {
  return label ?? values[0] ?? null;
}

/** A point for people, where nothing else says which axis it is of. */
export function pointText(axis: Axis, point: Point): string {
  if (!axis.isLinked) return valueText(axis.keys[0] ?? axis.name, placeOf(point));
  return typeof point.label === 'number' ? `${axis.name} ${point.label}` : String(point.label);
}

/** A point below its place on the axis. */
export function tickText(axis: Axis, point: Point): string {
  const place = placeOf(point);
  if (axis.isLinked || typeof place !== 'number') {
    return typeof place === 'string' ? place : showValue(place);
  }
  return numberText(axis.keys[0] ?? '', place);
}

/** {@link tickText} with its unit. */
export function placeText(axis: Axis, point: Point): string {
  const {unit} = keyQuantity(axis.keys[0] ?? '');
  const hasUnit = !axis.isLinked && unit !== null && typeof placeOf(point) === 'number';
  return hasUnit ? `${tickText(axis, point)} ${unit}` : tickText(axis, point);
}

/** The point of each axis that a cell has, in the axes' order, as `text` tells it. */
export function cellTexts(
  grid: Pick<Grid, 'axes'>,
  cell: number,
  text: (axis: Axis, point: Point) => string,
): readonly string[] {
  const numbers = pointNumbers(grid, cell);
  return grid.axes.map((axis, i) => {
    const point = axis.points[numbers[i] ?? 0];
    return point === undefined ? '' : text(axis, point);
  });
}

/** Cells of one figure: those in which the axes apart have the same points. */
export interface FigureGroup {
  /** The points of the axes apart. */
  readonly apart: readonly number[];
  readonly cells: readonly CellPlace[];
}

/** Where a cell stands in its figure. */
export interface CellPlace {
  readonly cell: number;
  /** Numbers of points; 0 where there is no such axis. */
  readonly x: number;
  readonly panel: number;
  readonly series: number;
}

/** In the grid's order. */
export function groupsOf(grid: Pick<Grid, 'axes'>, {x, series, panels, apart}: FigureLayout): readonly FigureGroup[] {
  const groups = new Map<string, {apart: readonly number[]; cells: CellPlace[]}>();
  for (let cell = 0; cell < cellCount(grid); cell++) {
    const at = pointNumbers(grid, cell);
    const own = apart.map(axis => at[axis] ?? 0);
    const group = groups.get(own.join()) ?? {apart: own, cells: []};
    groups.set(own.join(), group);
    group.cells.push({cell, x: numberAt(at, x), panel: numberAt(at, panels), series: numberAt(at, series)});
  }
  return [...groups.values()];
}

function numberAt(at: readonly number[], axis: number | null): number {
  return axis === null ? 0 : (at[axis] ?? 0);
}

const MOST_PANELS = 6;
/** Colours that can be told apart. */
const MOST_SERIES = PANE_COLOURS.light.length;
