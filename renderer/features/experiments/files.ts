import {DEFAULT_THRESHOLDS} from '../../../app/run/quality/states.ts';
import {gridDocument} from '../../../app/study/experiment/grid.ts';
import {ALL_METRICS, CAUSE_METRICS, METRICS, type Metric} from '../../../app/study/experiment/metricList.ts';
import {resultsHeader, resultsLines} from '../../../app/study/experiment/resultsCsv.ts';
import {metricValue} from '../../../app/study/experiment/row.ts';
import {drawFigure} from '../../../app/study/figures/draw.ts';
import type {Figure} from '../../../app/study/figures/figure.ts';
import {FIGURE_STYLES} from '../../../app/study/figures/style.ts';
import type {GridPlan} from '../../session/grid/gridPlan.ts';
import {doneRuns, type GridRunsState, wantedRuns} from '../../session/grid/gridRuns.ts';
import {CAUSES} from './choice.ts';
import {runRows} from './summaries.ts';

/** The text of a grid file for `interleave experiment`. `program` names the program that writes the file. */
export function gridText(plan: GridPlan, program: string): string {
  const {grid, hasCauses} = plan;
  const kept = hasCauses ? {metrics: [...usualMetrics(plan).map(({name}) => name), CAUSES]} : {};
  return `${JSON.stringify({program, ...(gridDocument(grid) as object), ...kept}, null, 2)}\n`;
}

/** The command that runs the grid file. */
export function gridCommand({eye}: GridPlan): string {
  const thresholds = eye === null ? [] : Object.entries(eye.thresholds);
  const usual: {readonly [name: string]: number} = {...DEFAULT_THRESHOLDS};
  const unusual = thresholds.filter(([name, value]) => value !== usual[name]);
  return [
    `npx interleave experiment ${GRID_FILE} --out results`,
    ...(eye === null ? [] : ['--visual']),
    ...unusual.map(([name, value]) => `--${name} ${value}`),
  ].join(' ');
}

export const GRID_FILE = 'interleave-grid.json';

/** The text of `results.csv` for the computed runs, as `interleave experiment` writes it. */
export function resultsText(plan: GridPlan, {cells}: Pick<GridRunsState, 'cells'>): string {
  const {grid, hasCauses} = plan;
  const metrics = [...usualMetrics(plan), ...(hasCauses ? CAUSE_METRICS : [])];
  const lines = cells.map((rows, cell) => {
    const runs = runRows(grid, cell, rows).map(({run, panes}) => ({
      run,
      panes: panes.map(pane => ({...pane, values: metrics.map(({name}) => metricValue(pane, name))})),
    }));
    return resultsLines(grid, cell, runs);
  });
  return [resultsHeader(grid, metrics), ...lines].join('');
}

/** The metrics that every run of the plan has, also if no causes are computed. */
function usualMetrics({eye}: GridPlan): readonly Metric[] {
  return eye === null ? METRICS : ALL_METRICS;
}

/** The SVG file of a figure. */
export function figureSvg(figure: Figure, style: keyof typeof FIGURE_STYLES, state: RunsThere): string {
  const svg = drawFigure(captioned(figure, state), {document, style: FIGURE_STYLES[style]});
  return `${svg.outerHTML}\n`;
}

/** The figure with a caption that says how many runs are missing, if any are. */
export function captioned(figure: Figure, state: RunsThere): Figure {
  const [done, wanted] = [doneRuns(state), wantedRuns(state)];
  if (done >= wanted) return figure;
  return {...figure, caption: [`So far ${done} of ${wanted} runs.`, ...figure.caption]};
}

type RunsThere = Pick<GridRunsState, 'plan' | 'cells'>;
