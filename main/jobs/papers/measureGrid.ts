import {join} from 'node:path';
import {setImmediate as breath} from 'node:timers/promises';
import {messageOf} from '../../../app/base/text.ts';
import type {Scenario} from '../../../app/run/scenario/scenario.ts';
import {Trace} from '../../../app/run/trace/trace.ts';
import {cellCount, cellScenario, type Grid, gridDocument, runCount} from '../../../app/study/experiment/grid.ts';
import type {RunRow} from '../../../app/study/experiment/row.ts';
import {type Comparison, compareCell, corrected, summariseCell} from '../../../app/study/experiment/summary.ts';
import type {GridResult} from '../../../app/study/papers/gridResults.ts';
import type {Measure} from '../../../app/study/papers/paper.ts';
import {load} from '../../engine/load.ts';
import {makeFolder} from '../../files/makeFolder.ts';
import {writeWhole} from '../../files/outputFile.ts';
import {FILES} from '../experiment/experimentFolder.ts';
import {openGridPages} from '../experiment/gridPages.ts';

export interface MeasureOptions {
  readonly grid: Grid;
  readonly measures: readonly Measure[];
  /** The grid's folder. */
  readonly out: string;
  /** Folder of the pages that are shipped with the program. */
  readonly fixtures: string;
  readonly signal: AbortSignal;
  readonly onProgress: (done: number, all: number) => void;
}

/**
 * Loads every run of a grid, and computes from the traces numbers that are not among the program's metrics. Writes the
 * result to `summary.json`. Use this only for small grids, because no runs are kept: when a reproduction continues, the
 * whole grid is computed again.
 * @throws FileError
 */
export async function measureGrid(options: MeasureOptions): Promise<Omit<GridResult, 'figures'>> {
  const {grid, measures, out, signal, onProgress} = options;
  const {pages, pageOf} = await openGridPages(grid, options.fixtures);
  const metrics = measures.map(({name}) => ({name, isEvent: false}));
  const cells: ReturnType<typeof summariseCell>[] = [];
  const comparisons: Comparison[] = [];
  for (let cell = 0; cell < cellCount(grid); cell++) {
    const page = pages[pageOf(cell)];
    if (page === undefined) throw new RangeError(`invalid page of cell ${cell} (there are ${pages.length})`);
    const scenario = cellScenario(grid, cell);
    const runs: RunRow[] = [];
    for (const [i, seed] of grid.seeds.entries()) {
      await breath();
      signal.throwIfAborted();
      const run = cell * grid.seeds.length + i;
      runs.push({run, panes: rowsOf(page, scenario, seed, measures)});
      onProgress(run + 1, runCount(grid));
    }
    cells.push(summariseCell(grid, cell, runs, metrics));
    comparisons.push(...compareCell(grid, cell, runs, metrics));
  }
  const result = {cells, comparisons: corrected(comparisons)};
  makeFolder(out);
  const text = JSON.stringify({grid: gridDocument(grid), ...result}, null, 1);
  await writeWhole(join(out, FILES.summary), Buffer.from(`${text}\n`), signal);
  return result;
}

function rowsOf(
  {page}: {readonly page: Parameters<typeof load>[0]},
  scenario: Scenario,
  seed: number,
  measures: readonly Measure[],
): RunRow['panes'] {
  return scenario.panes.map((_, pane) => {
    try {
      const data = load(page, {...scenario, panes: scenario.panes.slice(pane, pane + 1)}, seed).panes[0];
      if (data === undefined) throw new RangeError(`no trace of pane ${pane + 1}`);
      const trace = new Trace(data);
      return {outcome: data.outcome, reason: data.reason, values: measures.map(({of}) => of(trace))};
    } catch (error) {
      // this is a bug of the program; the other runs continue
      return {outcome: 'error', reason: messageOf(error), values: measures.map(() => null)};
    }
  });
}
