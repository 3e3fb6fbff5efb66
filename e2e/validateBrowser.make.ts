import {release} from 'node:os';
import {test} from 'vitest';
import {findBrowser} from '../main/setup/browser.mjs';
import {allCells, type Cell, cellName, tableCells} from './realBrowsers/cells.ts';
import {comparedCells, pageOf} from './realBrowsers/comparedCells.ts';
import {VALIDATION_PAGES} from './realBrowsers/pages.ts';
import {realLoads} from './realBrowsers/realLoads.ts';
import {appendResult, keepResults, readResults} from './realBrowsers/results.ts';
import {findProgram, REAL_SERVERS, versionOf} from './realBrowsers/servers.ts';
import {goalsOf, missesOf, tableOf} from './realBrowsers/table.ts';

// Loads pages in real browsers from real servers, in real time, and compares the loads with computed ones.
// main/setup/validateBrowser.mjs reads the options.

interface Options {
  readonly cells: 'table' | 'all';
  /** Words that a cell's name must have. A word with a hyphen before it is one that the name must not have. */
  readonly words: readonly string[];
  readonly loads: number;
  readonly out: string;
  readonly list: boolean;
  readonly table: boolean;
  /** The file into which the loads of the chosen cells are written in the shorter form. Null if there is none. */
  readonly keep: string | null;
}

const options = JSON.parse(process.env['INTERLEAVE_VALIDATE_BROWSER'] ?? '{}') as Options;

test('real browsers', {timeout: 7 * 86_400_000}, async () => {
  const chosen = (options.cells === 'all' ? allCells() : tableCells()).filter(cell => isChosen(cell));
  if (options.list) {
    for (const cell of chosen) console.log(cellName(cell));
    return;
  }
  if (!options.table) {
    for (const [i, cell] of chosen.entries()) await measure(cell, `${i + 1}/${chosen.length}`);
  }
  const names = new Set(chosen.map(cell => cellName(cell)));
  const results = readResults(options.out).filter(({cell}) => names.has(cell));
  if (options.keep !== null) keepResults(options.keep, results);
  const rows = await comparedCells(chosen, results);
  console.log([tableOf(rows), goalsOf(rows), ...missesOf(rows)].join('\n\n'));
});

function isChosen(cell: Cell): boolean {
  const words = cellName(cell).split(' ');
  return options.words.every(word => (word.startsWith('-') ? !words.includes(word.slice(1)) : words.includes(word)));
}

/** Makes the loads of a cell that the file with results does not have yet. */
async function measure(cell: Cell, at: string): Promise<void> {
  const name = cellName(cell);
  const why = whyNot(cell);
  if (why !== undefined) {
    console.log(`${at} ${name}: skipped: ${why}`);
    return;
  }
  const page = (await pageOf(cell)) ?? fail(cell.page);
  const known = new Set(
    readResults(options.out)
      .filter(line => line.cell === name && line.page === page.hash)
      .map(({seed}) => seed),
  );
  const seeds = Array.from({length: options.loads}, (_, i) => i + 1).filter(seed => !known.has(seed));
  if (seeds.length === 0) return;
  const startMs = performance.now();
  let failed = 0;
  const versions = versionsOf(cell);
  await realLoads(cell, page, seeds, ({seed, result}) => {
    if ('failed' in result) failed++;
    appendResult(options.out, {cell: name, seed, page: page.hash, versions, result});
  });
  const seconds = ((performance.now() - startMs) / 1000).toFixed(0);
  console.log(`${at} ${name}: ${seeds.length} loads in ${seconds} s${failed === 0 ? '' : `, ${failed} failed`}`);
}

function whyNot({page, browser, server}: Cell): string | undefined {
  const {program} = REAL_SERVERS.find(({name}) => name === server) ?? fail(server);
  if (!VALIDATION_PAGES.some(({name}) => name === page)) return `there is no page ${page}`;
  if (findProgram(program) === undefined) return `${program} is not installed`;
  if (browser === 'firefox')
    return findProgram('firefox-esr') === undefined ? 'firefox-esr is not installed' : undefined;
  return findBrowser() === undefined ? 'chromium is not installed' : undefined;
}

function versionsOf({browser, server}: Cell) {
  const {program, version} = REAL_SERVERS.find(({name}) => name === server) ?? fail(server);
  return {
    browser: versionOf(browser === 'firefox' ? 'firefox-esr' : (findBrowser() ?? 'chromium'), '--version'),
    server: versionOf(program, version),
    kernel: release(),
  };
}

function fail(what: string): never {
  throw new Error(`there is no ${what}`);
}
