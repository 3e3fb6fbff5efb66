import {type Identity, metricsOf} from '../../app/experiment/identity.ts';
import {mainMetric} from '../../app/figures/cellValues.ts';
import {gridFigures} from '../../app/figures/gridFigures.ts';
import {groupsOf, layOutAxes} from '../../app/figures/layout.ts';
import {experimentReport, type ToldExperiment} from '../../app/report/experimentReport.ts';
import {type FigureWriting, writeReport} from '../figures/writeFigures.ts';
import {FileError} from '../files/fileError.ts';
import {ExperimentError} from './experimentError.ts';
import {FILES} from './folder.ts';
import {lockFolder} from './lock.ts';
import {MOST_CELLS, type SummedUp} from './outputs.ts';

interface PresentOptions {
  /** As the command line had them. */
  readonly options: string;
  /** What `writeOutputs` handed over. */
  readonly summedUp: SummedUp | null;
}

/**
 * Draws the figures of an experiment whose outputs are written, and writes its report. @throws ExperimentError where something cannot be written
 */
export async function presentExperiment(
  out: string,
  identity: Identity,
  {options, summedUp, ...writing}: FigureWriting & PresentOptions,
): Promise<void> {
  const unlock = await lockFolder(out);
  try {
    await writeReport(out, experimentReport(toldExperiment(identity, options, summedUp)), writing);
  } catch (error) {
    if (!(error instanceof FileError)) throw error;
    const there = `${FILES.results} and ${FILES.summary} are there; with --resume interleave experiment draws the rest`;
    throw new ExperimentError(`${error.message}: ${there}`);
  } finally {
    unlock();
  }
}

function toldExperiment(identity: Identity, options: string, summedUp: SummedUp | null): ToldExperiment {
  const {grid} = identity;
  const metrics = metricsOf(identity);
  const metric = metrics[mainMetric(metrics)]?.name;
  const told = {identity, options, metric: metric ?? '', mostCells: MOST_CELLS};
  const none = {cells: [], comparisons: [], figures: [], leftOut: 0};
  if (metric === undefined || summedUp === null) return {...told, ...none};
  const {cells, values} = summedUp;
  const comparisons = summedUp.comparisons.filter(each => each.metric === metric);
  const groups = groupsOf(grid, layOutAxes(grid)).length;
  const figures = gridFigures({grid, metrics, cells, values}, MOST_GROUPS);
  return {...told, cells, comparisons, figures, leftOut: Math.max(0, groups - MOST_GROUPS)};
}

/** With more nobody would look at them all. */
const MOST_GROUPS = 60;
