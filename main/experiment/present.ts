import {cellCount} from '../../app/experiment/grid.ts';
import {type Identity, metricsOf} from '../../app/experiment/identity.ts';
import {
  type CellSummary,
  type Comparison,
  compareCell,
  corrected,
  summariseCell,
} from '../../app/experiment/summary.ts';
import {type CellValues, cellValues, mainMetric} from '../../app/figures/cellValues.ts';
import {gridFigures} from '../../app/figures/gridFigures.ts';
import {experimentReport} from '../../app/report/experimentReport.ts';
import {type FigureWriting, writeReport} from '../figures/writeFigures.ts';
import {cellsIn} from './cells.ts';
import {lockFolder} from './lock.ts';

/** Draws the figures of an experiment that has all its runs, and writes its report. @throws FileError */
export async function presentExperiment(
  out: string,
  identity: Identity,
  command: string,
  writing: FigureWriting,
): Promise<void> {
  const {grid} = identity;
  const unlock = await lockFolder(out);
  try {
    const metrics = metricsOf(identity);
    const main = mainMetric(metrics);
    const {name: metric = ''} = metrics[main] ?? {};
    const cells: CellSummary[] = [];
    const values: CellValues[] = [];
    const comparisons: Comparison[] = [];
    const isDrawn = cellCount(grid) <= MOST_CELLS;
    for await (const {cell, runs} of cellsIn(out, identity)) {
      writing.signal.throwIfAborted();
      if (!isDrawn) break;
      cells.push(summariseCell(grid, cell, runs, metrics));
      values.push(cellValues(grid, cell, runs, metrics, main));
      comparisons.push(...compareCell(grid, cell, runs, metrics).filter(each => each.metric === metric));
    }
    const figures = isDrawn ? gridFigures({grid, metrics, cells, values}) : [];
    const report = experimentReport({
      ...{identity, command, metric, cells, comparisons: corrected(comparisons)},
      ...{
        figures: figures.slice(0, MOST_FIGURES),
        mostCells: MOST_CELLS,
        leftOut: Math.max(0, figures.length - MOST_FIGURES),
      },
    });
    await writeReport(out, report, writing);
  } finally {
    unlock();
  }
}

/** With more nobody would look at them all. */
const MOST_FIGURES = 300;
const MOST_CELLS = 5000;
