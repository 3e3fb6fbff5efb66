import {gridHeadline} from '../../../app/study/experiment/grid.ts';
import {type Identity, metricsOf} from '../../../app/study/experiment/identity.ts';
import {mainMetric} from '../../../app/study/figures/cellValues.ts';
import {gridFigures} from '../../../app/study/figures/gridFigures.ts';
import {groupsOf, layOutAxes} from '../../../app/study/figures/layout.ts';
import {type ExperimentContent, experimentReport} from '../../../app/study/report/experimentReport.ts';
import {FileError} from '../../files/fileError.ts';
import {type FigureWriting, writeReport} from '../../media/figures/writeFigures.ts';
import {ExperimentError} from './experimentError.ts';
import {FILES} from './experimentFolder.ts';
import {lockFolder} from './folderLock.ts';
import {MOST_CELLS, type SummedUp} from './outputs.ts';

interface PresentOptions {
  /** The options of the command line on which the runs depend, for example ` --visual`. Empty if there are none. */
  readonly options: string;
  /** The field `summedUp` of the result of `writeOutputs`. */
  readonly summedUp: SummedUp | null;
}

/**
 * Draws the figures of an experiment, and writes its report. The results and the summary must have been written
 * already.
 * @throws ExperimentError if the folder is in use, or if a figure or the report cannot be written. @throws FileError if
 * the folder cannot be locked
 */
export async function presentExperiment(
  out: string,
  identity: Identity,
  {options, summedUp, ...writing}: FigureWriting & PresentOptions,
): Promise<void> {
  const unlock = await lockFolder(out);
  try {
    await writeReport(out, experimentReport(experimentContent(identity, options, summedUp)), writing);
  } catch (error) {
    if (!(error instanceof FileError)) throw error;
    const hint = `${FILES.results} and ${FILES.summary} are complete; interleave experiment --resume draws the rest`;
    throw new ExperimentError(`${error.message}: ${hint}`);
  } finally {
    unlock();
  }
}

/** Collects the content of an experiment's report. If there are too many cells, the report says only what was run. */
export function experimentContent(identity: Identity, options: string, summedUp: SummedUp | null): ExperimentContent {
  const {grid} = identity;
  const metrics = metricsOf(identity);
  const metric = metrics[mainMetric(metrics, gridHeadline(grid))]?.name;
  const told = {identity, options, metric: metric ?? '', mostCells: MOST_CELLS};
  const none = {cells: [], comparisons: [], across: [], figures: [], leftOut: 0};
  if (metric === undefined || summedUp === null) return {...told, ...none};
  const {cells, values} = summedUp;
  const comparisons = summedUp.comparisons.filter(each => each.metric === metric);
  const across = summedUp.across.filter(each => each.metric === metric);
  const groups = groupsOf(grid, layOutAxes(grid)).length;
  const figures = gridFigures({grid, metrics, cells, values}, MOST_GROUPS);
  return {...told, cells, comparisons, across, figures, leftOut: Math.max(0, groups - MOST_GROUPS)};
}

/** Largest number of groups of cells that have figures of their own. Nobody would look at more. */
const MOST_GROUPS = 60;
