import type {PaneMetrics} from '../../app/run/metrics/metrics.ts';
import {seedlessDocument} from '../../app/run/scenario/document.ts';
import {parseScenario} from '../../app/run/scenario/scenario.ts';
import {cellScenario, type Grid, gridHeadline, parseGrid} from '../../app/study/experiment/grid.ts';
import {METRICS} from '../../app/study/experiment/metricList.ts';
import {rowOf} from '../../app/study/experiment/row.ts';
import {summariseCell} from '../../app/study/experiment/summary.ts';
import {cellValues} from '../../app/study/figures/cellValues.ts';
import type {Figure} from '../../app/study/figures/figure.ts';
import {groupsOf, isNumeric, layOutAxes} from '../../app/study/figures/layout.ts';
import {linesFigure} from '../../app/study/figures/means.ts';
import {boxesFigure, ecdfFigure} from '../../app/study/figures/spread.ts';
import {subjectOf} from '../../app/study/figures/subject.ts';
import {InputError} from './inputError.ts';
import type {figure, RunResult} from './interleave.d.ts';

type FigureOptions = NonNullable<Parameters<typeof figure>[1]>;

/** Makes a figure. `results` must be the cells of one grid. @throws InputError */
export function figureOf(results: readonly RunResult[], {x, metric: wanted, kind}: FigureOptions): Figure {
  if (wanted !== undefined && !METRICS.some(({name}) => name === wanted))
    throw new InputError(`metric is ${wanted}: must be one of ${METRICS.map(({name}) => name).join(', ')}`);
  const grid = gridOf(results, x);
  const metric = wanted ?? gridHeadline(grid).metric;
  const main = METRICS.findIndex(({name}) => name === metric);
  const rows = results.map(({runs}, cell) =>
    runs.map(({panes}, i) => rowOf(cell * grid.seeds.length + i, panes as readonly PaneMetrics[], METRICS)),
  );
  const summary = {
    grid,
    metrics: METRICS,
    cells: rows.map((runs, cell) => summariseCell(grid, cell, runs, METRICS)),
    values: rows.map((runs, cell) => cellValues(grid, cell, runs, METRICS, main)),
  };
  const layout = layOutAxes(grid);
  const [group] = groupsOf(grid, layout);
  if (group === undefined) throw new InputError('results is empty: at least one result is needed');
  const subject = subjectOf(summary, layout, group);
  const hasNumbers = layout.x !== null && isNumeric(grid.axes[layout.x]) && results.length > 1;
  const drawn = kind ?? (hasNumbers ? 'lines' : 'boxes');
  if (drawn === 'lines' && !hasNumbers) throw new InputError('kind is lines: needs several results, and numbers as x');
  if (drawn === 'lines') return linesFigure(subject, metric);
  return drawn === 'boxes' ? boxesFigure(subject, metric) : ecdfFigure(subject, metric);
}

/** Returns the grid whose cells are the results. @throws InputError if the results are not the cells of one grid */
function gridOf(results: readonly RunResult[], x: FigureOptions['x']): Grid {
  const [first] = results;
  if (first === undefined) throw new InputError('results is empty: at least one result is needed');
  if (x === undefined && results.length > 1)
    throw new InputError(`there are ${results.length} results and no x: x must have the setting in which they differ`);
  if (x !== undefined && x.values.length !== results.length)
    throw new InputError(`x.values has ${x.values.length} values: must be ${results.length}, one for each result`);
  const seeds = first.runs.map(({seed}) => seed);
  const parsed = parseGrid({
    base: first.scenario,
    axes: x === undefined ? {} : {[x.key]: x.values},
    seeds,
    metrics: null,
  });
  if (!parsed.ok) throw new InputError(`x: ${parsed.problems[0]?.message}`);
  for (const [cell, {scenario, runs}] of results.entries()) {
    if (runs.map(({seed}) => seed).join() !== seeds.join())
      throw new InputError(`result ${cell + 1} has other seeds than the first result`);
    if (JSON.stringify(plain(scenario)) !== JSON.stringify(seedlessDocument(cellScenario(parsed.grid, cell))))
      throw new InputError(
        `result ${cell + 1} must equal the first except for ${x?.key} = ${JSON.stringify(x?.values[cell])}`,
      );
  }
  return parsed.grid;
}

/** Returns a scenario's document with seed 0 and without `typicalOf`. @throws InputError */
function plain(document: object): object {
  const parsed = parseScenario(document);
  if (!parsed.ok) throw new InputError(`result.scenario: ${parsed.problems[0]?.message}`);
  return seedlessDocument(parsed.scenario);
}
