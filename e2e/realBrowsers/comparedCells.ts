import type {PageSnapshot} from '../../app/page/page.ts';
import {type Cell, cellName} from './cells.ts';
import {type CellLoads, type Comparison, compare} from './comparison.ts';
import {computedLoads} from './computed.ts';
import {numbersByPath, snapshotOf, VALIDATION_PAGES} from './pages.ts';
import type {ComparedLoad, Result} from './results.ts';

/**
 * Compares real loads of cells with computed loads of the same seeds. Cells without a successful real load are left out.
 */
export async function comparedCells(
  cells: readonly Cell[],
  results: readonly Result[],
): Promise<readonly (readonly [Cell, Comparison])[]> {
  const rows: (readonly [Cell, Comparison])[] = [];
  for (const cell of cells) {
    const name = cellName(cell);
    const ofCell = results.filter(result => result.cell === name);
    const page = ofCell.length === 0 ? undefined : await pageOf(cell);
    const loads = ofCell.flatMap(({page: hash, seed, result}) =>
      hash === page?.hash && !('failed' in result) ? [{seed, load: result}] : [],
    );
    if (page === undefined || loads.length === 0) continue;
    const real = cellLoadsOf(
      loads.map(({load}) => load),
      page,
    );
    const seeds = loads.map(({seed}) => seed);
    rows.push([cell, compare(real, computedLoads(cell, page, seeds))]);
  }
  return rows;
}

/** Opens the page of a cell. Undefined if there is no such page. */
export async function pageOf(cell: Pick<Cell, 'page'>): Promise<PageSnapshot | undefined> {
  const known = pages.get(cell.page);
  if (known !== undefined) return known;
  const found = VALIDATION_PAGES.find(({name}) => name === cell.page);
  const page = found && (await snapshotOf(found));
  if (page !== undefined) pages.set(cell.page, page);
  return page;
}

/** The real loads of a cell, with the objects in the order of the page. */
function cellLoadsOf(loads: readonly ComparedLoad[], page: PageSnapshot): CellLoads {
  const numbers = numbersByPath(page);
  const byNumber = loads.map(({objects}) => new Map(objects.map(({path, endMs}) => [numbers.get(path), endMs])));
  return {
    finishMs: loads.map(({finishMs}) => finishMs),
    fcpMs: loads.map(({fcpMs}) => fcpMs),
    lcpMs: loads.map(({lcpMs}) => lcpMs),
    completions: page.objects.map((_, i) => byNumber.map(ends => ends.get(i) ?? null)),
  };
}

const pages = new Map<string, PageSnapshot>();
