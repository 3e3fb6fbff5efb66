import {join} from 'node:path';
import {seedsText} from '../../../app/run/scenario/seeds.ts';
import type {Grid} from '../../../app/study/experiment/grid.ts';
import {type Identity, metricsOf} from '../../../app/study/experiment/identity.ts';
import {WHOLE} from '../../../app/study/experiment/shard.ts';
import {gridFigures} from '../../../app/study/figures/gridFigures.ts';
import type {GridCauses} from '../../../app/study/papers/causesOfGrid.ts';
import {type Findings, findingsOf} from '../../../app/study/papers/findings.ts';
import {type GridResult, Results} from '../../../app/study/papers/gridResults.ts';
import type {Paper, PaperGrid} from '../../../app/study/papers/paper.ts';
import {paperReport, summaryReport} from '../../../app/study/papers/paperReport.ts';
import {writeReport} from '../../media/figures/writeFigures.ts';
import {runExperiment} from '../experiment/experiment.ts';
import {openGridPages} from '../experiment/gridPages.ts';
import {MOST_CELLS} from '../experiment/outputs.ts';
import {gridCauses} from './gridCauses.ts';
import {measureGrid} from './measureGrid.ts';
import {gridOf} from './paperGrid.ts';
import {openReproduction} from './reproductionFolder.ts';

export interface ReproduceOptions {
  readonly papers: readonly Paper[];
  readonly seeds: readonly number[];
  /**
   * The reproduction's folder. It contains a folder for each paper, which contains a folder for each of the paper's
   * grids.
   */
  readonly out: string;
  /** Number of threads. */
  readonly jobs: number;
  /** Whether to continue with the runs that are in the folder. */
  readonly isResumed: boolean;
  /** Folder of the pages that are shipped with the program. */
  readonly fixtures: string;
  /** The bundled module `main/jobs/experiment/experimentWorker.ts`. */
  readonly worker: URL;
  /** The bundled module `main/media/figures/figureWorker.ts`. */
  readonly figureWorker: URL;
  readonly signal: AbortSignal;
  /** Called with the name of the current step, the number of its finished items, and the number of all its items. */
  readonly onProgress: (what: string, done: number, all: number) => void;
  /** Called with each line that the user should read. */
  readonly onNote: (note: string) => void;
}

/**
 * Runs the grids of papers and compares the results with the numbers in the papers. Writes a report for each paper and
 * one for all papers.
 * @throws ExperimentError if the reproduction in the folder cannot be continued. @throws FileError if the folder cannot
 * be written to
 */
export async function reproduce(options: ReproduceOptions): Promise<readonly Findings[]> {
  const {papers, out, jobs, signal, figureWorker: worker} = options;
  const seeds = seedsText(options.seeds);
  const unlock = await openReproduction(out, {papers: papers.map(({name}) => name), seeds}, options);
  try {
    const all: Findings[] = [];
    for (const paper of papers) {
      const results = new Map<string, GridResult>();
      for (const grid of paper.grids) results.set(grid.name, await resultOf(paper, grid, options));
      const findings = findingsOf(paper, new Results(results));
      const causes = await causesOf(paper, options);
      const onProgress = (done: number, figures: number): void =>
        options.onProgress(`figures of ${paper.name}`, done, figures);
      const writing = {worker, jobs, signal, onProgress};
      await writeReport(join(out, paper.name), paperReport(findings, seeds, causes), writing);
      all.push(findings);
    }
    await writeReport(out, summaryReport(all, seeds), {worker, jobs, signal, onProgress: () => {}});
    return all;
  } finally {
    unlock();
  }
}

async function resultOf(paper: Paper, paperGrid: PaperGrid, options: ReproduceOptions): Promise<GridResult> {
  const {name, kept} = paperGrid;
  const {seeds, fixtures, signal, onNote, jobs, worker} = options;
  const shared = {
    grid: gridOf(paperGrid, seeds),
    out: join(options.out, paper.name, name),
    fixtures,
    signal,
    onProgress: (done: number, all: number) => options.onProgress(`runs of ${paper.name}/${name}`, done, all),
  };
  if ('metrics' in kept) return experimentGrid({...shared, jobs, worker, onNote});
  return {...(await measureGrid({...shared, measures: kept.measures})), figures: []};
}

/** Computes the causes of page times for those grids of a paper that compare panes and are small enough. */
async function causesOf(paper: Paper, {seeds, fixtures, signal, onProgress}: ReproduceOptions) {
  const all: GridCauses[] = [];
  for (const paperGrid of paper.grids) {
    const found = await gridCauses({
      paperGrid,
      grid: gridOf(paperGrid, seeds),
      fixtures,
      signal,
      onProgress: (done, cells) => onProgress(`causes of ${paper.name}/${paperGrid.name}`, done, cells),
    });
    if (found !== undefined) all.push(found);
  }
  return all;
}

interface ExperimentGridOptions {
  readonly grid: Grid;
  /** The grid's folder. */
  readonly out: string;
  readonly fixtures: string;
  readonly jobs: number;
  /** The bundled module `main/jobs/experiment/experimentWorker.ts`. */
  readonly worker: URL;
  readonly signal: AbortSignal;
  readonly onProgress: (done: number, all: number) => void;
  readonly onNote: (note: string) => void;
}

/**
 * Runs a grid as an experiment in its folder, or continues the experiment in that folder.
 * @throws ExperimentError @throws FileError
 */
async function experimentGrid(options: ExperimentGridOptions): Promise<GridResult> {
  const {grid, out, onProgress, fixtures, ...others} = options;
  const {pages, pageOf} = await openGridPages(grid, fixtures);
  const identity: Identity = {grid, shard: WHOLE, visual: null, pages: pages.map(({name, page}) => [name, page.hash])};
  const {outputs} = await runExperiment({
    ...others,
    identity,
    pageOf,
    out,
    isResumed: true,
    pages: pages.map(({page}) => ({page})),
    onProgress: (done, all, before) => onProgress(done - before, all - before),
  });
  if (outputs?.summedUp == null) throw new RangeError(`invalid grid: ${grid.name} has more than ${MOST_CELLS} cells`);
  const {cells, comparisons} = outputs.summedUp;
  const figures = gridFigures({grid, metrics: metricsOf(identity), cells, values: []});
  return {cells, comparisons, figures};
}
