import {PERCENTS} from '../../run/metrics/metrics.ts';
import {type Grid, gridHeadline} from '../experiment/grid.ts';
import {CAUSE_METRICS, METRICS, type Metric} from '../experiment/metricList.ts';
import type {CellSummary} from '../experiment/summary.ts';
import {causesFigure} from './causesFigure.ts';
import {type CellValues, mainMetric} from './cellValues.ts';
import type {Figure} from './figure.ts';
import {groupsOf, isNumeric, layOutAxes} from './layout.ts';
import {dotsFigure, linesFigure} from './means.ts';
import {boxesFigure, ecdfFigure} from './spread.ts';
import {type FigureSubject, subjectOf} from './subject.ts';

/** The results of a grid that are known so far. While the experiment runs, some cells are missing. */
export interface GridSummary {
  readonly grid: Grid;
  /** The metrics that are kept of each run. */
  readonly metrics: readonly Metric[];
  readonly cells: readonly CellSummary[];
  /** The distributions of the {@link mainMetric}. */
  readonly values: readonly CellValues[];
}

/**
 * The figures of a grid, ordered by kind: means against the x axis, PPage and PRen, causes, boxes, and the
 * distributions at the last place of the x axis. If a grid has more axes than fit into one figure, every figure is
 * drawn once for each combination of points on the other axes. Only the first `mostGroups` combinations are drawn.
 */
export function gridFigures(summary: GridSummary, mostGroups = Number.POSITIVE_INFINITY): readonly Figure[] {
  const {grid, metrics} = summary;
  const layout = layOutAxes(grid);
  const groups = groupsOf(grid, layout).slice(0, mostGroups);
  const subjects = groups.map(group => subjectOf(summary, layout, group));
  const of = (figure: (subject: FigureSubject) => Figure): readonly Figure[] => subjects.map(figure);
  const x = layout.x === null ? undefined : grid.axes[layout.x];
  const main = metrics[mainMetric(metrics, gridHeadline(grid))]?.name ?? '';
  const causes = subjects.map(causesFigure).filter(figure => figure !== null);
  const hasLines = x !== undefined && isNumeric(x) && x.points.length > 1;
  return namedApart([
    ...(hasLines ? lineMetrics(metrics, main).flatMap(name => of(each => linesFigure(each, name))) : []),
    ...(['Page', 'Ren'] as const).flatMap(kind =>
      hasPercents(metrics, kind) ? of(each => dotsFigure(each, kind)) : [],
    ),
    ...causes,
    ...of(each => boxesFigure(each, main)),
    ...of(each => ecdfFigure(each, main)),
  ]);
}

/** Makes the names unique. Labels that differ only in punctuation give the same name; later ones get a number. */
function namedApart(figures: readonly Figure[]): readonly Figure[] {
  const taken = new Set<string>();
  return figures.map(figure => {
    let {name} = figure;
    for (let number = 2; taken.has(name); number++) name = `${figure.name}-${number}`;
    taken.add(name);
    return {...figure, name};
  });
}

/**
 * The metrics that are drawn as lines: all except PPage, PRen and the times of causes, which have figures of their own.
 * If the grid keeps all metrics, only the main metric and the Speed Index are drawn.
 */
function lineMetrics(metrics: readonly Metric[], main: string): readonly string[] {
  const isApart = (name: string): boolean =>
    /^p(25|50|75|100)(Page|Ren)Ms$/.test(name) || CAUSE_METRICS.some(metric => metric.name === name);
  const names = metrics.map(({name}) => name).filter(name => !isApart(name));
  if (!METRICS.every(metric => metrics.includes(metric))) return names;
  return names.filter(name => name === main || name === 'speedIndexMs');
}

function hasPercents(metrics: readonly Metric[], kind: 'Page' | 'Ren'): boolean {
  return PERCENTS.every(percent => metrics.some(({name}) => name === `p${percent}${kind}Ms`));
}
