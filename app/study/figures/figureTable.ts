import {csvLine} from '../experiment/csv.ts';
import type {Figure, FigurePlace} from './figure.ts';
import {axisText} from './quantities.ts';

/**
 * A figure's data as a CSV table, in the units of the figure's axes. It has a line for each point, dot or step. Each
 * place without a value has a line with empty values.
 */
export function figureTable(figure: Figure): string {
  const {marks, x, y, group = ''} = figure;
  // in a distribution the metric is on the x axis
  const values = VALUES[marks.kind].map(value => (marks.kind === 'ecdf' ? value : `${axisText(y)}: ${value}`));
  const head = ['of', 'panel', 'series', axisText(x), ...values, 'complete', 'loads'];
  const empty = values.map(() => null);
  const absent = (figure.absent ?? []).map(place => ({place, cells: [place.x, ...empty]}));
  const rows = [...rowsOf(figure), ...absent].map(({place, cells}) => [
    group,
    figure.panels[place.panel] ?? '',
    figure.series[place.series]?.name ?? '',
    ...cells,
    place.n,
    place.runs,
  ]);
  return [head, ...rows].map(csvLine).join('');
}

interface TableRow {
  readonly place: FigurePlace;
  /** The place on the x axis, followed by the {@link VALUES} of the figure's kind. */
  readonly cells: readonly (string | number | null)[];
}

/**
 * For each kind of figure, the columns after the place on the x axis. Their values are in the unit of the y axis. Only
 * `share` of `dots` is a label, such as `25 %`.
 */
const VALUES: {readonly [K in Figure['marks']['kind']]: readonly string[]} = {
  lines: ['mean', 'ci95 from', 'ci95 to'],
  dots: ['share', 'mean'],
  boxes: ['5 %', 'q1', 'median', 'q3', '95 %', 'median ci95 from', 'median ci95 to'],
  stacks: ['mean', 'half of ci95'],
  ecdf: ['share of runs'],
};

function rowsOf({marks}: Figure): readonly TableRow[] {
  switch (marks.kind) {
    case 'lines':
      return marks.points.map(point => {
        const [low = null, high = null] = point.interval ?? [];
        return {place: point, cells: [point.x, point.y, low, high]};
      });
    case 'dots':
      return marks.points.flatMap(point =>
        point.values.map(({label, y}) => ({place: point, cells: [point.x, label, y]})),
      );
    case 'boxes':
      return marks.points.map(point => {
        const {x, whiskers, q1, median, q3} = point;
        const [low = null, high = null] = point.medianInterval ?? [];
        return {place: point, cells: [x, whiskers[0], q1, median, q3, whiskers[1], low, high]};
      });
    case 'stacks':
      return marks.points.map(point => ({place: point, cells: [point.x, point.to - point.from, point.half]}));
    case 'ecdf':
      return marks.curves.flatMap(curve => curve.steps.map(({x, share}) => ({place: curve, cells: [x, share]})));
  }
}
