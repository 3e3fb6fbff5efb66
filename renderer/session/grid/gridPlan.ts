import type {SeedRow} from '../../../app/host/contract.ts';
import {conversionsOf} from '../../../app/pipelines/index.ts';
import type {Eye} from '../../../app/run/quality/states.ts';
import {seedlessDocument} from '../../../app/run/scenario/document.ts';
import {cellCount, cellScenario, type Grid, gridDocument, parseGrid} from '../../../app/study/experiment/grid.ts';
import type {ShownRun} from '../loads.ts';
import {pageKey} from '../pageKey.ts';

/** A grid to compute, and the page that its base scenario loads in the window. */
export interface GridPlan {
  readonly grid: Grid;
  /** The page on screen: its key, and the hash under which the host keeps it. */
  readonly page: {readonly key: string; readonly hash: string};
  /**
   * The measured quality of that page. Null if it is not known, if some cells load another page, or if some cells
   * convert the pictures in a way that was not measured.
   */
  readonly eye: Eye | null;
  /** Whether the causes of the page's time are computed, which takes longer. */
  readonly hasCauses: boolean;
}

/** The plan of a grid whose base is the run's scenario. It computes no causes. */
export function planOf(grid: Grid, {scenario, page}: Pick<ShownRun, 'scenario' | 'page'>, eye: Eye | null): GridPlan {
  const seen = isSeen(grid, eye) ? eye : null;
  return {grid, page: {key: pageKey(scenario), hash: page.hash}, eye: seen, hasCauses: false};
}

/** The plan for seeds 1 to `count` of the run's scenario: a grid with one cell. */
export function seedsPlan(run: Pick<ShownRun, 'scenario' | 'page'>, eye: Eye | null, count: number): GridPlan {
  const parsed = parseGrid({
    base: seedlessDocument(run.scenario),
    seeds: `1-${count}`,
  });
  if (!parsed.ok) throw new Error(`no grid of a valid scenario: ${parsed.problems[0]?.message}`);
  return planOf(parsed.grid, run, eye);
}

/** A text of everything in a plan except its seeds. Plans with the same text have the same cells. */
export function subjectOf({grid, page, eye, hasCauses}: GridPlan): string {
  const {base, axes} = gridDocument(grid);
  return JSON.stringify([changesPage(grid) ? null : page.hash, base, axes, eye?.thresholds ?? null, hasCauses]);
}

/** Runs that are computed with one call: some seeds of one cell. */
export interface Piece {
  readonly cell: number;
  readonly seeds: readonly number[];
}

/**
 * The missing runs, in pieces: first a few seeds of every cell, then some more of every cell. Cells that are far apart
 * in the grid come first, so that a rough figure appears early and becomes more exact.
 */
export function* piecesOf({seeds}: Grid, cells: readonly (readonly SeedRow[])[]): Generator<Piece> {
  const order = coarseToFine(cells.length);
  for (let from = 0; from < seeds.length; from += BATCH) {
    for (const cell of order) {
      const missing = seeds.slice(Math.max(from, cells[cell]?.length ?? 0), from + BATCH);
      if (missing.length > 0) yield {cell, seeds: missing};
    }
  }
}

/** The numbers 0 to `count` − 1 in the order of their reversed bits: 0, the half, the quarters, … */
export function coarseToFine(count: number): readonly number[] {
  const bits = Math.ceil(Math.log2(Math.max(count, 1)));
  const reversed = Array.from({length: 2 ** bits}, (_, n) => {
    return Array.from({length: bits}, (_, bit) => ((n >> bit) & 1) << (bits - 1 - bit)).reduce(
      (sum, value) => sum + value,
      0,
    );
  });
  return reversed.filter(n => n < count);
}

/** Whether the measured quality covers everything that the grid's cells load. */
function isSeen(grid: Grid, eye: Eye | null): boolean {
  if (changesPage(grid)) return false;
  const {converted = []} = eye?.quality ?? {};
  const measured = converted.map(({conversion}) => conversion);
  const cells = Array.from({length: cellCount(grid)}, (_, cell) => cellScenario(grid, cell));
  return cells.every(({panes}) => conversionsOf(panes).every(each => measured.includes(each)));
}

function changesPage({axes}: Grid): boolean {
  return axes.some(({keys}) => keys.some(key => key === 'page' || key.startsWith('page.')));
}

/** The largest number of seeds in a piece. Smaller pieces need more calls; larger pieces show progress less often. */
export const BATCH = 5;
