import {cellCount} from '../../app/experiment/grid.ts';
import {type Identity, metricsOf} from '../../app/experiment/identity.ts';
import type {RunRow} from '../../app/experiment/row.ts';
import {
  type CellSummary,
  type Comparison,
  compareCell,
  corrected,
  summariseCell,
} from '../../app/experiment/summary.ts';
import {type CellValues, cellValues, mainMetric} from '../../app/figures/cellValues.ts';
import {gridFigures} from '../../app/figures/gridFigures.ts';
import {groupsOf, layOutAxes} from '../../app/figures/layout.ts';
import {experimentReport, type ToldExperiment} from '../../app/report/experimentReport.ts';
import {type FigureWriting, writeReport} from '../figures/writeFigures.ts';
import {FileError} from '../files/fileError.ts';
import {cellsIn} from './cells.ts';
import {ExperimentError} from './experimentError.ts';
import {FILES} from './folder.ts';
import {lockFolder} from './lock.ts';

/**
 * Draws the figures of an experiment that has all its runs, and writes its report; `options` as the command line had
 * them. @throws ExperimentError where something cannot be written
 */
export async function presentExperiment(
  out: string,
  identity: Identity,
  options: string,
  writing: FigureWriting,
): Promise<void> {
  const unlock = await lockFolder(out);
  try {
    const told = await toldExperiment(out, identity, options, writing.signal);
    await writeReport(out, experimentReport(told), writing);
  } catch (error) {
    if (!(error instanceof FileError)) throw error;
    const there = `${FILES.results} and ${FILES.summary} are there; with --resume interleave experiment draws the rest`;
    throw new ExperimentError(`${error.message}: ${there}`);
  } finally {
    unlock();
  }
}

async function toldExperiment(
  out: string,
  identity: Identity,
  options: string,
  signal: AbortSignal,
): Promise<ToldExperiment> {
  const {grid} = identity;
  const metrics = metricsOf(identity);
  const main = mainMetric(metrics);
  const [metric] = metrics.slice(main, main + 1);
  const told = {identity, options, metric: metric?.name ?? '', mostCells: MOST_CELLS};
  const none = {cells: [], comparisons: [], figures: [], leftOut: 0};
  if (metric === undefined || cellCount(grid) > MOST_CELLS) return {...told, ...none};
  const cells: CellSummary[] = [];
  const values: CellValues[] = [];
  const comparisons: Comparison[] = [];
  for await (const {cell, runs} of cellsIn(out, identity)) {
    signal.throwIfAborted();
    cells.push(summariseCell(grid, cell, runs, metrics));
    values.push(cellValues(grid, cell, runs, metrics, main));
    comparisons.push(...compareCell(grid, cell, withOnly(runs, main), [metric]));
  }
  const groups = groupsOf(grid, layOutAxes(grid)).length;
  const figures = gridFigures({grid, metrics, cells, values}, MOST_GROUPS);
  const leftOut = Math.max(0, groups - MOST_GROUPS);
  return {...told, cells, comparisons: corrected(comparisons), figures, leftOut};
}

/** With one of its values. */
function withOnly(runs: readonly RunRow[], metric: number): readonly RunRow[] {
  return runs.map(({run, panes}) => {
    return {run, panes: panes.map(pane => ({...pane, values: [pane.values[metric] ?? null]}))};
  });
}

/** With more nobody would look at them all. */
const MOST_GROUPS = 60;
const MOST_CELLS = 5000;
