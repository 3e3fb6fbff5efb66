import type {Identity} from '../../../app/study/experiment/identity.ts';
import {experimentReport} from '../../../app/study/report/experimentReport.ts';
import {FileError} from '../../files/fileError.ts';
import {type FigureWriting, writeReport} from '../../media/figures/writeFigures.ts';
import {ExperimentError} from './experimentError.ts';
import {FILES} from './folder.ts';
import {lockFolder} from './lock.ts';
import type {SummedUp} from './outputs.ts';
import {toldExperiment} from './told.ts';

interface PresentOptions {
  /** Options of the command line, as given. */
  readonly options: string;
  /** The result of `writeOutputs`. */
  readonly summedUp: SummedUp | null;
}

/**
 * Draws the figures of an experiment whose outputs are written, and writes its report.
 * @throws ExperimentError if something cannot be written
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
    const there = `${FILES.results} and ${FILES.summary} are complete; interleave experiment --resume draws the rest`;
    throw new ExperimentError(`${error.message}: ${there}`);
  } finally {
    unlock();
  }
}
