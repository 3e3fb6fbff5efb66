import {mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {afterAll, expect, test} from 'vitest';
import {parseGrid} from '../../app/experiment/grid.ts';
import {WHOLE} from '../../app/experiment/shard.ts';
import {FILES} from './folder.ts';
import {MOST_CELLS, writeOutputs} from './outputs.ts';

const root = mkdtempSync(join(tmpdir(), 'interleave-outputs-'));
afterAll(() => rmSync(root, {recursive: true, force: true}));

/** The outputs of a grid of so many cells, with one run of one pane each. */
async function outputsOf(cells: number) {
  const out = join(root, String(cells));
  mkdirSync(out);
  const parsed = parseGrid({
    base: {panes: [{pipeline: 'tcp'}]},
    axes: {'path.rttMs': {from: 1, to: cells, step: 1}},
    ...{seeds: '1', metrics: ['pageTimeMs']},
  });
  if (!parsed.ok) throw new Error(parsed.problems[0]?.message);
  const runs = Array.from({length: cells}, (_, run) => `[${run},["complete",null,${run}]]\n`);
  writeFileSync(join(out, FILES.runs), runs.join(''));
  const identity = {grid: parsed.grid, shard: WHOLE, pages: [], visual: null};
  const {counts, summedUp} = await writeOutputs(out, identity, new AbortController().signal);
  const lines = readFileSync(join(out, FILES.results), 'utf8').trimEnd().split('\n');
  return {counts, summedUp, rows: lines.length - 1};
}

test('as many cells as somebody looks at are handed over, with the values that figures spread', async () => {
  const {counts, summedUp} = await outputsOf(MOST_CELLS);
  expect(counts).toEqual({cells: MOST_CELLS, loads: MOST_CELLS, incomplete: 0});
  expect(summedUp?.cells).toHaveLength(MOST_CELLS);
  expect(summedUp?.values[7]?.panes[0]?.steps).toEqual([{value: 7, count: 1}]);
});

test('of one more none are, and the files have them all', async () => {
  const {counts, summedUp, rows} = await outputsOf(MOST_CELLS + 1);
  expect(counts.cells).toBe(MOST_CELLS + 1);
  expect(summedUp).toBeNull();
  expect(rows).toBe(MOST_CELLS + 1);
});
