import type {Json} from '../../../app/base/json.ts';
import type {PageSnapshot} from '../../../app/page/page.ts';
import {conversionsOf} from '../../../app/pipelines/index.ts';
import {scenarioDocument} from '../../../app/run/scenario/document.ts';
import type {Scenario} from '../../../app/run/scenario/scenario.ts';
import {cellCount, cellScenario, type Grid} from '../../../app/study/experiment/grid.ts';
import {bytesOf} from '../../pages/base/pageSnapshot.ts';
import {openPageFor} from '../../pages/convertPage.ts';
import {ExperimentError} from './experimentError.ts';

/** The pages that the cells of a grid load, each opened once. */
export interface GridPages {
  readonly pages: readonly GridPage[];
  /** Returns the index of the page that a cell loads. */
  readonly pageOf: (cell: number) => number;
}

export interface GridPage {
  /** The page's name in a scenario document. */
  readonly name: Json;
  readonly page: PageSnapshot;
  /** A scenario that loads the page. */
  readonly scenario: Scenario;
}

/**
 * Opens the pages of a grid. `resolve` returns the same scenario with a page that the engine can open.
 * @throws PageError @throws ExperimentError if the pages have more than `mostBytes` together
 */
export async function openGridPages(
  grid: Grid,
  fixtures: string,
  {mostBytes = MOST_BYTES, resolve = async (scenario: Scenario) => scenario} = {},
): Promise<GridPages> {
  const numbers = new Map<string, number>();
  const pages: GridPage[] = [];
  const ofCell = new Uint32Array(cellCount(grid));
  let bytes = 0;
  for (let cell = 0; cell < ofCell.length; cell++) {
    const scenario = cellScenario(grid, cell);
    const name = scenarioDocument(scenario)['page'] ?? null;
    // conversions are part of a page's hash, so a page with other conversions counts as another page
    const key = JSON.stringify([name, conversionsOf(scenario.panes)]);
    const number = numbers.get(key) ?? pages.length;
    if (number === pages.length) {
      numbers.set(key, number);
      const resolved = await resolve(scenario);
      const page = await openPageFor(resolved, fixtures);
      pages.push({name, page, scenario: resolved});
      bytes += bytesOf(page);
      if (bytes > mostBytes) {
        const first = `the first ${pages.length} pages of the grid have ${bytes} bytes together`;
        throw new ExperimentError(`${first} (at most ${mostBytes})`);
      }
    }
    ofCell[cell] = number;
  }
  return {pages, pageOf: cell => ofCell[cell] ?? 0};
}

/** Largest size of all pages of a grid together, in bytes. They are all in memory at the same time. */
const MOST_BYTES = 1_000_000_000;
