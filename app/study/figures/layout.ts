import {type Axis, choosesPipelines, type Point} from '../experiment/axis.ts';
import {cellCount, cellScenario, cellsAlong, type Grid, pointNumbers} from '../experiment/grid.ts';
import {PANE_COLOURS} from './palette.ts';
import {keyQuantity, numberText, placeWords, valueText} from './quantities.ts';

/** How the axes of a grid are arranged in its figures. Axes are given by their indices. */
export interface FigureLayout {
  /** The axis along x; null if no axis is left for it. */
  readonly x: number | null;
  /**
   * The axis along which the pipelines differ. Every pane at every point of this axis is a series of its own, but panes
   * with the same settings are one series. Null if no axis chooses pipelines, or if there would be more series than
   * colours.
   */
  readonly series: number | null;
  /** The axis whose points are panels side by side; null if no axis is left that has a suitable number of points. */
  readonly panels: number | null;
  /** The other axes. Each combination of their points has its own figures. */
  readonly apart: readonly number[];
}

/**
 * Arranges the axes. The first axis that chooses pipelines makes series, if there are enough colours. One of the other
 * axes with several points goes along x. An axis of numeric loss rates is preferred, then the numeric axis with the
 * most points, then the first axis. If none of the other axes has several points, the first of these axes goes along x.
 * The panels are made by the last remaining axis that has 2 to {@link MOST_PANELS} points.
 */
export function layOutAxes(grid: Grid): FigureLayout {
  const {axes} = grid;
  const found = axes.findIndex(choosesPipelines);
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

/** The number of different panes along an axis, with all other axes at their first point. */
function mostSeries(grid: Grid, axis: number): number {
  const panes = cellsAlong(grid, axis, 0).flatMap(cell => cellScenario(grid, cell).panes);
  return new Set(panes.map(pane => JSON.stringify(pane))).size;
}

/** Whether an axis has at least two points, and few enough for panels. */
function isFew(points: number): boolean {
  return points > 1 && points <= MOST_PANELS;
}

export function isNumeric(axis: Axis | undefined): boolean {
  return axis?.points.every(point => typeof placeOf(point) === 'number') ?? false;
}

/** The label or value that distinguishes a point from the others of its axis. */
export function placeOf({label, values}: Point): Point['values'][number] {
  return label ?? values[0] ?? null;
}

/** A point in words, with the name of its axis or key, unless the label or the unit of the point says enough. */
export function pointText(axis: Axis, point: Point): string {
  if (!axis.isLinked) return valueText(axis.keys[0] ?? axis.name, placeOf(point));
  return typeof point.label === 'number' ? `${axis.name} ${point.label}` : String(point.label);
}

/** The text that stands below the axis for a point, without a unit. */
export function tickText(axis: Axis, point: Point): string {
  const place = placeOf(point);
  if (axis.isLinked || typeof place !== 'number') {
    return placeWords(axis.keys[0] ?? axis.name, place);
  }
  return numberText(axis.keys[0] ?? '', place);
}

/** The text of a point with its unit. */
export function placeText(axis: Axis, point: Point): string {
  const {unit} = keyQuantity(axis.keys[0] ?? '');
  const hasUnit = !axis.isLinked && unit !== null && typeof placeOf(point) === 'number';
  return hasUnit ? `${tickText(axis, point)} ${unit}` : tickText(axis, point);
}

/** The texts of a cell's points, in the order of the axes. `text` makes the text of a point. */
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

/** The cells of one figure: those with the same points on the axes in `apart`. */
export interface FigureGroup {
  /** The indices of the points on the axes in `apart`. */
  readonly apart: readonly number[];
  readonly cells: readonly CellPlace[];
}

/** The place of a cell in its figure. */
export interface CellPlace {
  readonly cell: number;
  /** The indices of the cell's points on the x axis, the panel axis and the series axis; 0 if there is no such axis. */
  readonly x: number;
  readonly panel: number;
  readonly series: number;
}

/** The groups of cells that have figures of their own, in the grid's order. */
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
/** The largest number of series in a figure, which is the number of colours that can be distinguished. */
const MOST_SERIES = PANE_COLOURS.light.length;
