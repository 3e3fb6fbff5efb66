import {type Pane, pipelineOf} from '../../pipelines/index.ts';
import {shortNames} from '../../pipelines/paneLabels.ts';
import {paneRunDocument} from '../../run/scenario/document.ts';
import type {Scenario} from '../../run/scenario/scenario.ts';
import type {Axis, Point} from '../experiment/axis.ts';
import {cellScenario} from '../experiment/grid.ts';
import type {CellSummary} from '../experiment/summary.ts';
import type {CellValues} from './cellValues.ts';
import type {AbsentPoint, FigureAxis, FigurePlace, FigureSeries} from './figure.ts';
import type {GridSummary} from './gridFigures.ts';
import {
  type CellPlace,
  type FigureGroup,
  type FigureLayout,
  isNumeric,
  placeOf,
  pointText,
  tickText,
} from './layout.ts';
import {keyQuantity} from './quantities.ts';

/** The data from which the figures of one group of cells are made. */
export interface FigureSubject {
  /**
   * The points on the axes of {@link FigureLayout.apart}, in words. Titles and file names contain this text. It is
   * empty if there are no such axes.
   */
  readonly title: string;
  readonly x: FigureX;
  readonly panels: readonly string[];
  readonly series: readonly SubjectSeries[];
  /** The cells of the group whose results are known. */
  readonly cells: readonly SubjectCell[];
  /** The scenarios of all cells of the group. */
  readonly scenarios: readonly Scenario[];
  readonly seeds: readonly number[];
}

/** One series: one pane, in all cells with the same point on the series axis ({@link FigureLayout.series}). */
export interface SubjectSeries extends FigureSeries {
  /** The index of the point on the series axis, from 0. */
  readonly point: number;
  /** The index of the pane, from 0. */
  readonly pane: number;
}

export interface FigureX {
  readonly axis: FigureAxis;
  /** The position of each point on the axis as a number. NaN if the point is not a number. */
  readonly numbers: readonly number[];
  /** The name of each point on the axis. */
  readonly names: readonly string[];
  /** The indices of the points in their order on the axis. If the points are numbers, they ascend. */
  readonly order: readonly number[];
}

/** A cell whose results are known. */
export interface SubjectCell extends CellPlace {
  readonly summary: CellSummary;
  readonly values: CellValues | null;
}

/** Collects the data for the figures of a group of cells. */
export function subjectOf(
  {grid, cells, values}: GridSummary,
  {x, panels, apart}: FigureLayout,
  group: FigureGroup,
): FigureSubject {
  const titles = apart.map((axis, i) => textOf(grid.axes[axis], group.apart[i] ?? 0));
  const summaries = new Map(cells.map(each => [each.cell, each]));
  const spreads = new Map(values.map(each => [each.cell, each]));
  const scenarios = group.cells.map(({cell}) => cellScenario(grid, cell));
  const panelAxis = panels === null ? undefined : grid.axes[panels];
  return {
    title: titles.join(', '),
    x: xOf(x === null ? undefined : grid.axes[x]),
    panels: panelAxis?.points.map(point => pointText(panelAxis, point)) ?? [''],
    series: seriesOf(group.cells.map((place, i) => ({place, scenario: scenarios[i]}))),
    cells: group.cells.flatMap(place => {
      const summary = summaries.get(place.cell);
      return summary === undefined ? [] : [{...place, summary, values: spreads.get(place.cell) ?? null}];
    }),
    scenarios,
    seeds: grid.seeds,
  };
}

function textOf(axis: Axis | undefined, number: number): string {
  const point = axis?.points[number];
  return axis === undefined || point === undefined ? '' : pointText(axis, point);
}

function xOf(axis: Axis | undefined): FigureX {
  if (axis === undefined) return {axis: {label: '', unit: null}, numbers: [0], names: [''], order: [0]};
  const quantity = keyQuantity(axis.keys[0] ?? axis.name);
  const {label, unit, factor} = axis.isLinked
    ? {label: axis.name, unit: null, factor: 1}
    : {...quantity, unit: isNumeric(axis) ? quantity.unit : null};
  const numbers = axis.points.map(point => numberOf(point) * factor);
  const places = numbers.map((_, i) => i);
  return {
    axis: {label, unit, ...(isSpreadWide(numbers) ? {isLogarithmic: true} : {})},
    numbers: numbers.map(each => Number(each.toPrecision(12))),
    names: axis.points.map(point => tickText(axis, point)),
    order: isNumeric(axis) ? places.sort((a, b) => (numbers[a] ?? 0) - (numbers[b] ?? 0)) : places,
  };
}

function numberOf(point: Point): number {
  const place = placeOf(point);
  return typeof place === 'number' ? place : Number.NaN;
}

/** Whether the numbers span such a wide range that the small ones would coincide on a linear axis. */
function isSpreadWide(numbers: readonly number[]): boolean {
  const [least, most] = [Math.min(...numbers), Math.max(...numbers)];
  return least > 0 && most / least >= WIDE;
}

/**
 * The series of the figures: every pane at every point of the series axis. If a pane is the same at several points, it
 * is included once. A series has the short name that its pane would have in a run that has the panes of all series. If
 * this name is not the same at all places on the x axis and in all panels, the series is named by the pane’s pipeline
 * and number.
 */
function seriesOf(cells: readonly PlacedScenario[]): readonly SubjectSeries[] {
  const places = new Set(cells.map(placeName));
  const found = seriesPanes(cells);
  const names = [...places].map(name => {
    const own = cells.filter(cell => placeName(cell) === name);
    const panes = found.map(({point, pane}) => own.find(({place}) => place.series === point)?.scenario?.panes[pane]);
    const there = panes.filter(pane => pane !== undefined);
    const short = shortNames(there);
    return panes.map(pane => (pane === undefined ? undefined : short[there.indexOf(pane)]));
  });
  return found.map(({point, pane, pipeline}, place) => {
    const own = new Set(names.map(each => each[place]).filter(name => name !== undefined));
    const [name = ''] = own;
    const label = own.size === 1 ? name : `${pipelineOf(pipeline).label} (pane ${pane + 1})`;
    return {name: label, colour: place, isPaper: false, point, pane};
  });
}

function placeName({place: {x, panel}}: PlacedScenario): string {
  return `${x} ${panel}`;
}

interface PlacedScenario {
  readonly place: CellPlace;
  readonly scenario: Scenario | undefined;
}

/**
 * The panes that are series. If panes have the same runs at several points of the series axis, only the first of them is
 * kept. If there is a single point, all panes are kept.
 */
function seriesPanes(cells: readonly PlacedScenario[]) {
  const points = [...new Set(cells.map(({place}) => place.series))].sort((a, b) => a - b);
  const found = new Map<string, {point: number; pane: number; pipeline: Pane['pipeline']}>();
  for (const point of points) {
    const own = cells.filter(({place}) => place.series === point);
    const widest = own.reduce((most, {scenario}) => Math.max(most, scenario?.panes.length ?? 0), 0);
    for (let pane = 0; pane < widest; pane++) {
      const pipeline = own.map(({scenario}) => scenario?.panes[pane]).find(each => each !== undefined)?.pipeline;
      const runs = () => own.map(({scenario}) => (scenario === undefined ? null : paneRunDocument(scenario, pane)));
      const text = JSON.stringify(points.length > 1 ? runs() : pane);
      if (pipeline !== undefined && !found.has(text)) found.set(text, {point, pane, pipeline});
    }
  }
  return [...found.values()];
}

/** An axis is logarithmic if its largest number is at least this many times its smallest number. */
const WIDE = 50;

/**
 * Makes a point for each series in each known cell that has a pane of this series. Where `make` returns null, the place
 * is listed as absent.
 */
export function eachPane<X extends number | string, T>(
  {series, cells}: FigureSubject,
  xOf: (cell: SubjectCell) => X,
  make: (cell: SubjectCell, pane: number, place: FigurePlace & {readonly x: X}) => T | null,
): {readonly points: readonly T[]; readonly absent: readonly AbsentPoint[]} {
  const points: T[] = [];
  const absent: AbsentPoint[] = [];
  for (const cell of cells) {
    for (const [own, {point, pane}] of series.entries()) {
      const found = point === cell.series ? cell.summary.panes[pane] : undefined;
      if (found === undefined) continue;
      const {runs, complete: n} = found;
      const place = {panel: cell.panel, series: own, n, runs, cell: cell.cell, x: xOf(cell)};
      const made = make(cell, pane, place);
      if (made === null) absent.push(place);
      else points.push(made);
    }
  }
  return {points, absent};
}

export function xNumbers({x}: FigureSubject): (cell: SubjectCell) => number {
  return cell => x.numbers[cell.x] ?? 0;
}

export function xNames({x}: FigureSubject): (cell: SubjectCell) => string {
  return cell => x.names[cell.x] ?? '';
}
