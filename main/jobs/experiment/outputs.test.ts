import {mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {afterAll, expect, test} from 'vitest';
import {cellCount, parseGrid} from '../../../app/study/experiment/grid.ts';
import {WHOLE} from '../../../app/study/experiment/shard.ts';
import {FILES} from './experimentFolder.ts';
import {MOST_CELLS, writeOutputs} from './outputs.ts';

const root = mkdtempSync(join(tmpdir(), 'interleave-outputs-'));
afterAll(() => rmSync(root, {recursive: true, force: true}));

/** Writes the outputs of a grid with this number of cells. Each cell has one run of one pane. */
async function outputsOf(cells: number) {
  const out = join(root, String(cells));
  mkdirSync(out);
  const parsed = parseGrid({
    base: {panes: [{pipeline: 'tcp'}]},
    axes: {'path.rttMs': {from: 1, to: cells, step: 1}},
    seeds: '1',
    metrics: ['pageTimeMs'],
  });
  if (!parsed.ok) throw new Error(parsed.problems[0]?.message);
  const runs = Array.from({length: cells}, (_, run) => `[${run},["complete",null,${run}]]\n`);
  writeFileSync(join(out, FILES.runs), runs.join(''));
  const identity = {grid: parsed.grid, shard: WHOLE, pages: [], visual: null};
  const {counts, summedUp} = await writeOutputs(out, identity, new AbortController().signal);
  const lines = readFileSync(join(out, FILES.results), 'utf8').trimEnd().split('\n');
  return {counts, summedUp, rows: lines.length - 1};
}

test('all cells of the largest grid that is shown are returned, with the values for the figures', {
  tags: ['long'],
}, async () => {
  const {counts, summedUp} = await outputsOf(MOST_CELLS);
  expect(counts).toEqual({cells: MOST_CELLS, loads: MOST_CELLS, incomplete: 0});
  expect(summedUp?.cells).toHaveLength(MOST_CELLS);
  expect(summedUp?.values[7]?.panes[0]?.steps).toEqual([{value: 7, count: 1}]);
});

test('with one cell more than are shown, no cells are returned, but results.csv contains all cells', async () => {
  const {counts, summedUp, rows} = await outputsOf(MOST_CELLS + 1);
  expect(counts.cells).toBe(MOST_CELLS + 1);
  expect(summedUp).toBeNull();
  expect(rows).toBe(MOST_CELLS + 1);
});

test('the summary compares the points of an axis that chooses pipelines', async () => {
  const summaryOf = async (name: string, axes: object) => {
    const out = join(root, name);
    mkdirSync(out);
    const base = {panes: [{pipeline: 'tcp'}]};
    const parsed = parseGrid({base, axes, seeds: '1-6', metrics: ['pageTimeMs']});
    if (!parsed.ok) throw new Error(parsed.problems[0]?.message);
    const cells = cellCount(parsed.grid);
    const runs = Array.from({length: 6 * cells}, (_, run) => `[${run},["complete",null,${run ** 2}]]\n`);
    writeFileSync(join(out, FILES.runs), runs.join(''));
    const identity = {grid: parsed.grid, shard: WHOLE, pages: [], visual: null};
    const {summedUp} = await writeOutputs(out, identity, new AbortController().signal);
    const {across} = JSON.parse(readFileSync(join(out, FILES.summary), 'utf8'));
    expect(across).toEqual(summedUp?.across);
    return across;
  };
  const pipelines = {'panes.0.pipeline': ['h2', 'h3', 'udp']};
  const across = await summaryOf('across', {...pipelines, 'path.loss': [0, 0.1]});
  const places = across.map((each: {points: string[]; cells: number[]}) => [...each.points, ...each.cells]);
  expect(places).toEqual([
    ['h2', 'h3', 0, 2],
    ['h2', 'udp', 0, 4],
    ['h3', 'udp', 2, 4],
    ['h2', 'h3', 1, 3],
    ['h2', 'udp', 1, 5],
    ['h3', 'udp', 3, 5],
  ]);
  // runs 0 to 5 are compared with runs 12 to 17; the differences are −(12² + 24 i) for i from 0 to 5, all with the same
  // sign, and Holm's correction multiplies p by the six comparisons
  expect(across[0]).toMatchObject({
    axis: 'panes.0.pipeline',
    pane: 1,
    metric: 'pageTimeMs',
    n: 6,
    leftOut: 0,
    meanDifference: -204,
    pHolm: (6 * 2) / 2 ** 6,
  });
  expect(await summaryOf('none', {'path.loss': [0, 0.1]})).toEqual([]);
  // points 0 and 1 have the same settings of the pane, but they are compared because they differ in the path
  const linked = ['h2', 'h2', 'h3'].map((pipeline, i) => ({
    label: `point ${i}`,
    'panes.0.pipeline': pipeline,
    'path.rttMs': i === 0 ? 50 : 100,
  }));
  const pairs = await summaryOf('linked', {linked});
  expect(pairs.map(({cells}: {cells: number[]}) => cells)).toEqual([
    [0, 1],
    [0, 2],
    [1, 2],
  ]);
});
