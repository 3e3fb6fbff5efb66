import {join} from 'node:path';
import {expect, test} from 'vitest';
import {textOf} from '../documents/markdown.ts';
import {tableCells} from './cells.ts';
import {comparedCells} from './comparedCells.ts';
import {readResults} from './results.ts';
import {GOALS, isWithin, tableOf} from './table.ts';

// The computed loads are compared with the real ones that the repository has (fixtures/realLoads). The manuals are left
// out, because their pages would have to be downloaded.

const results = readResults(join(import.meta.dirname, '../../fixtures/realLoads/loads.jsonl'));
const cells = tableCells().filter(({page}) => page === 'gallery' || page === 'today');

test('without loss, page time, FCP and LCP of computed loads are close to real ones in enough cells', async () => {
  const rows = await comparedCells(
    cells.filter(({path}) => path.loss === 0),
    results,
  );
  expect(rows.length).toBeGreaterThanOrEqual(60);
  const {withoutLoss, paint} = GOALS;
  for (const [time, {within, share}] of [
    ['median', withoutLoss],
    ['fcp', paint],
    ['lcp', paint],
  ] as const) {
    const reached = rows.filter(([, comparison]) => isWithin(comparison[time], within) === true);
    expect(reached.length / rows.length, time).toBeGreaterThanOrEqual(share);
  }
});

test('docs/real-browsers.md has each line of the table that the current models give', {tags: ['long']}, async () => {
  const rows = await comparedCells(cells, results);
  const document = textOf('docs/real-browsers.md');
  const missing = tableOf(rows)
    .split('\n')
    .filter(line => !document.includes(line));
  expect(missing).toEqual([]);
});
