import type {SeedRow} from '../../../app/host/contract.ts';
import {conversionsOf} from '../../../app/pipelines/index.ts';
import type {Eye} from '../../../app/run/quality/states.ts';
import {seedlessDocument} from '../../../app/run/scenario/document.ts';
import {cellCount, cellScenario, type Grid, gridDocument, parseGrid} from '../../../app/study/experiment/grid.ts';
import type {ShownRun} from '../loads.ts';
import {pageKey} from '../pageKey.ts';

/** A grid to be run, with what its base loads in the window. */
export interface GridPlan {
  readonly grid: Grid;
  /** The page on show, by its key, and the hash that the host holds it by. */
  readonly page: {readonly key: string; readonly hash: string};
  /** What is to be seen of that page; null where it is not known, or some cells load another one, or convert it otherwise. */
  readonly eye: Eye | null;
}

/** `grid` is of the run's scenario. */
export function planOf(grid: Grid, {scenario, page}: Pick<ShownRun, 'scenario' | 'page'>, eye: Eye | null): GridPlan {
  return {grid, page: {key: pageKey(scenario), hash: page.hash}, eye: isSeen(grid, eye) ? eye : null};
}

/** Seeds 1 to `count` of the run's scenario: the grid of one cell. */
export function seedsPlan(run: Pick<ShownRun, 'scenario' | 'page'>, eye: Eye | null, count: number): GridPlan {
  const parsed = parseGrid({
    base: seedlessDocument(run.scenario),
    seeds: `1-${count}`,
  });
  if (!parsed.ok) throw new Error(`no grid of a valid scenario: ${parsed.problems[0]?.message}`);
  return planOf(parsed.grid, run, eye);
}

/** What runs of two plans have in common that are of the same cells: everything but the seeds. */
export function subjectOf({grid, page, eye}: GridPlan): string {
  const {base, axes} = gridDocument(grid);
  return JSON.stringify([changesPage(grid) ? null : page.hash, base, axes, eye?.thresholds ?? null]);
}

/** Runs that belong together: some seeds of one cell. */
export interface Piece {
  readonly cell: number;
  readonly seeds: readonly number[];
}

/**
 * What is missing, in pieces: a few seeds of every cell, then some more of every cell. Cells come from far apart to
 * near, so that the whole figure is there early, and then more exactly.
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

/** 0 to `count` − 1 by their bits the other way round: 0, the half, the quarters, … */
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

/** Whether all that its cells load was measured. */
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

/** Seeds of a piece: shows often, and asks seldom. */
export const BATCH = 5;
