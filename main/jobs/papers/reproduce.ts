import {join} from 'node:path';
import {seedsText} from '../../../app/run/scenario/seeds.ts';
import {type Findings, findingsOf} from '../../../app/study/papers/findings.ts';
import {type GridResult, Results} from '../../../app/study/papers/gridResults.ts';
import type {Paper, PaperGrid} from '../../../app/study/papers/paper.ts';
import {paperReport, summaryReport} from '../../../app/study/papers/paperReport.ts';
import {writeReport} from '../../media/figures/writeFigures.ts';
import {experimentGrid} from './experimentGrid.ts';
import {openReproduction} from './folder.ts';
import {measureGrid} from './measureGrid.ts';
import {gridOf} from './paperGrid.ts';

export interface ReproduceOptions {
  readonly papers: readonly Paper[];
  readonly seeds: readonly number[];
  /** The reproduction's folder. Each paper has a folder in it, and each of its grids one in that. */
  readonly out: string;
  /** Threads. */
  readonly jobs: number;
  /** Continue with what is in the folder. */
  readonly isResumed: boolean;
  /** Folder of the pages that come with the program. */
  readonly fixtures: string;
  /** `main/jobs/experiment/worker.ts`, bundled. */
  readonly worker: URL;
  /** `main/media/figures/worker.ts`, bundled. */
  readonly figureWorker: URL;
  readonly signal: AbortSignal;
  /** Called with what is counted, and how much of it is done. */
  readonly onProgress: (what: string, done: number, all: number) => void;
  /** Called with lines that the user should know. */
  readonly onNote: (note: string) => void;
}

/**
 * Runs the grids of papers again and compares our numbers with theirs, in a report for each paper and one for all.
 * @throws ExperimentError if the folder cannot be continued. @throws FileError if it cannot be written to
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
      const onProgress = (done: number, figures: number): void =>
        options.onProgress(`figures of ${paper.name}`, done, figures);
      const writing = {worker, jobs, signal, onProgress};
      await writeReport(join(out, paper.name), paperReport(findings, seeds), writing);
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
