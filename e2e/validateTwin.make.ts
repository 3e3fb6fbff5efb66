import {existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {test} from 'vitest';
import {captureTwin, pageOfTwin} from '../main/captures/captureTwin.ts';
import {openCaptures} from '../main/captures/openCaptures.ts';
import type {BrowserLoad} from './realBrowsers/browserLoad.ts';
import {type CaptureCell, captureLoad} from './realBrowsers/captures.ts';
import {snapshotOf, VALIDATION_PAGES} from './realBrowsers/pages.ts';
import {twinCells} from './realBrowsers/twinCells.ts';
import {type TwinRow, twinsText} from './realBrowsers/twinTable.ts';

// Captures loads of a real browser on known paths, fits a computed load (the twin) to each captured load, and says how
// close the twins are (docs/captures.md). main/setup/validateTwin.mjs reads the options.

interface Options {
  /** The folder of the captures. Cells that it has already are not captured again. */
  readonly folder: string;
  /** Words that a cell's name must have among its parts, which are separated by hyphens. */
  readonly words: readonly string[];
  /** Whether nothing is captured, so that only the captures in the folder are compared. */
  readonly table: boolean;
}

const {folder, words, table} = JSON.parse(process.env['INTERLEAVE_VALIDATE_TWIN'] ?? '{}') as Options;

test('twins of captured loads', {timeout: 86_400_000}, async () => {
  mkdirSync(folder, {recursive: true});
  const cells = twinCells().filter(({name}) => words.every(word => name.split('-').includes(word)));
  const rows: TwinRow[] = [];
  for (const cell of cells) {
    const known = join(folder, `${cell.name}.json`);
    if (!table && !existsSync(known)) await capture(cell, known);
    if (existsSync(known)) rows.push(await compared(cell, known));
  }
  console.log(twinsText(rows));
});

async function capture(cell: CaptureCell, known: string): Promise<void> {
  const found = VALIDATION_PAGES.find(({name}) => name === cell.page);
  if (found === undefined) throw new Error(`there is no page ${cell.page}`);
  try {
    const load = await captureLoad(cell, await snapshotOf(found), 1, folder);
    writeFileSync(known, JSON.stringify({cell, load}));
    console.log(`${cell.name}: ${load.finishMs} ms`);
  } catch (error) {
    console.log(`${cell.name}: ${error instanceof Error ? error.message : error}`);
  }
}

async function compared(cell: CaptureCell, known: string): Promise<TwinRow> {
  const {load} = JSON.parse(readFileSync(known, 'utf8')) as {readonly load: BrowserLoad};
  const files = readdirSync(folder).filter(name => name === `${cell.name}.pcap` || name === `${cell.name}.keys`);
  const named = files.map(name => ({name, bytes: new Uint8Array(readFileSync(join(folder, name)))}));
  const [opened] = await openCaptures(named, new AbortController().signal);
  const fixtures = join(import.meta.dirname, '../fixtures/pages');
  return {cell, browserMs: load.finishMs, explained: captureTwin(opened, await pageOfTwin(opened, fixtures))};
}
