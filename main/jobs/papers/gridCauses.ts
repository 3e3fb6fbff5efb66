import {setImmediate as breath} from 'node:timers/promises';
import type {Scenario} from '../../../app/run/scenario/scenario.ts';
import {Trace} from '../../../app/run/trace/trace.ts';
import {causeEstimates} from '../../../app/run/why/causeSummary.ts';
import {type CauseTotal, causeTotals} from '../../../app/run/why/causeTotals.ts';
import {pagePath} from '../../../app/run/why/loadPaths.ts';
import {whyOptionsOf} from '../../../app/run/why/whyOptions.ts';
import {cellCount, cellScenario, type Grid} from '../../../app/study/experiment/grid.ts';
import type {CellCauses, GridCauses} from '../../../app/study/papers/causesOfGrid.ts';
import type {PaperGrid} from '../../../app/study/papers/paper.ts';
import {loadToExplain} from '../../engine/load.ts';
import {openGridPages} from '../experiment/gridPages.ts';

export interface GridCausesOptions {
  readonly paperGrid: PaperGrid;
  readonly grid: Grid;
  /** Folder of the pages that are shipped with the program. */
  readonly fixtures: string;
  readonly signal: AbortSignal;
  /** Called with the number of finished cells, and the number of all cells. */
  readonly onProgress: (done: number, all: number) => void;
}

/**
 * Loads each cell of a grid again with a few of its seeds, and computes the causes of each pane's time from navigation
 * to finish. The grid's own runs do not compute causes, because that would make them slower. Undefined if the cells
 * have a single pane, or if there are more than {@link MOST_EXPLAINED_CELLS} cells.
 */
export async function gridCauses(options: GridCausesOptions): Promise<GridCauses | undefined> {
  const {paperGrid, grid, fixtures, signal, onProgress} = options;
  const all = cellCount(grid);
  if (all > MOST_EXPLAINED_CELLS || cellScenario(grid, 0).panes.length < 2) return undefined;
  const {pages, pageOf} = await openGridPages(grid, fixtures);
  const seeds = grid.seeds.slice(0, MOST_EXPLAINED_SEEDS);
  const cells: CellCauses[] = [];
  for (let cell = 0; cell < all; cell++) {
    const page = pages[pageOf(cell)]?.page;
    if (page === undefined) throw new RangeError(`invalid page of cell ${cell} (there are ${pages.length})`);
    const scenario = cellScenario(grid, cell);
    const panes: (readonly CauseTotal[] | null)[] = [];
    for (const pane of scenario.panes.keys()) {
      // the loads are computed in this thread, which must also receive the signal that ends the program
      await breath();
      signal.throwIfAborted();
      panes.push(meanCauses(page, scenario, pane, seeds));
    }
    cells.push({cell, panes});
    onProgress(cells.length, all);
  }
  return {paperGrid, grid, seeds, cells};
}

/** Returns the mean time of each cause in a pane, over its complete loads. Null if no load is complete. */
function meanCauses(
  page: Parameters<typeof loadToExplain>[0],
  scenario: Scenario,
  pane: number,
  seeds: readonly number[],
): readonly CauseTotal[] | null {
  const loads = seeds.flatMap(seed => {
    const path = pagePath(new Trace(loadToExplain(page, scenario, seed, pane)), whyOptionsOf(scenario, pane));
    return path === null ? [] : [causeTotals(path).map(({name, ns}) => ({name, ms: ns / 1e6}))];
  });
  if (loads.length === 0) return null;
  return causeEstimates(loads).map(({name, ms}) => ({name, ns: Math.round(ms * 1e6)}));
}

/** Largest number of cells that are explained. The report has a sentence about each cell, and nobody reads more. */
const MOST_EXPLAINED_CELLS = 50;

/** With this many seeds, the means are good enough for a sentence that names the main causes. */
const MOST_EXPLAINED_SEEDS = 10;
