import {columnLabels} from '../../pipelines/paneLabels.ts';
import {PANE_NAME, RUN_COLUMNS} from './axis.ts';
import {csvLine, settingCell} from './csv.ts';
import {axisCells, axisColumns, cellScenario, type Grid} from './grid.ts';
import type {Metric} from './metricList.ts';
import type {RunRow} from './row.ts';

/** The first line of `results.csv`. */
export function resultsHeader(grid: Grid, metrics: readonly Metric[]): string {
  return csvLine([...axisColumns(grid), ...RUN_COLUMNS, ...metrics.map(({name}) => name), 'reason', PANE_NAME]);
}

/** The lines of a cell in `results.csv`: one for each run and pane. */
export function resultsLines(grid: Grid, cell: number, runs: readonly RunRow[]): string {
  const axes = axisCells(grid, cell).map(settingCell);
  const {panes: settings} = cellScenario(grid, cell);
  const labels = columnLabels(settings);
  const first = cell * grid.seeds.length;
  return runs
    .flatMap(({run, panes}) =>
      panes.map(({outcome, reason, values}, pane) => {
        const seed = grid.seeds[run - first] ?? null;
        const {pipeline = null} = settings[pane] ?? {};
        return csvLine([...axes, seed, pane + 1, pipeline, outcome, ...values, reason, labels[pane] ?? null]);
      }),
    )
    .join('');
}
