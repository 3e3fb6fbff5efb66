import type {Grid} from '../../../app/study/experiment/grid.ts';
import {type Identity, metricsOf} from '../../../app/study/experiment/identity.ts';
import {WHOLE} from '../../../app/study/experiment/shard.ts';
import {gridFigures} from '../../../app/study/figures/gridFigures.ts';
import type {GridResult} from '../../../app/study/papers/gridResults.ts';
import {runExperiment} from '../experiment/experiment.ts';
import {openGridPages} from '../experiment/gridPages.ts';
import {MOST_CELLS} from '../experiment/outputs.ts';

export interface ExperimentGridOptions {
  readonly grid: Grid;
  /** The grid's folder. */
  readonly out: string;
  readonly fixtures: string;
  readonly jobs: number;
  /** `main/jobs/experiment/worker.ts`, bundled. */
  readonly worker: URL;
  readonly signal: AbortSignal;
  readonly onProgress: (done: number, all: number) => void;
  readonly onNote: (note: string) => void;
}

/**
 * Runs a grid as an experiment in its folder, or continues with what is there.
 * @throws ExperimentError @throws FileError
 */
export async function experimentGrid(options: ExperimentGridOptions): Promise<GridResult> {
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
