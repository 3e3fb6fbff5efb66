import {fileURLToPath} from 'node:url';
import {expect, test} from 'vitest';
import type {CauseTotal} from '../../../app/run/why/causeTotals.ts';
import type {PaperGrid} from '../../../app/study/papers/paper.ts';
import {type GridCausesOptions, gridCauses} from './gridCauses.ts';
import {gridOf} from './paperGrid.ts';

const fixtures = fileURLToPath(new URL('../../../fixtures/pages', import.meta.url));
const page = {synthetic: {indexBytes: 800, objects: 2, objectBytes: 2000}};
const BASE = {page, panes: [{pipeline: 'tcp'}, {pipeline: 'sctp'}]};

/** Returns a grid with this number of cells. Their RTTs are 100 ms, 101 ms and so on. */
function paperGrid(cells: number, base: object = BASE): PaperGrid {
  const rtts = Array.from({length: cells}, (_, i) => 100 + i);
  const document = base as PaperGrid['base'];
  return {name: 'rtt', about: 'toy', base: document, axes: {'path.rttMs': rtts}, kept: {metrics: ['pageTimeMs']}};
}

type Options = Partial<Pick<GridCausesOptions, 'signal' | 'onProgress'> & {readonly seeds: readonly number[]}>;

function causesOf(grid: PaperGrid, {seeds = [1], ...options}: Options = {}) {
  const {signal} = new AbortController();
  return gridCauses({paperGrid: grid, grid: gridOf(grid, seeds), fixtures, signal, onProgress: () => {}, ...options});
}

function setUpMs(causes: readonly CauseTotal[] | null): number {
  return (causes?.find(({name}) => name === 'set-up')?.ns ?? 0) / 1e6;
}

/** Ends the work before the first load, so that only the decision to explain a grid is seen. */
const ABORTED = {signal: AbortSignal.abort(new Error('it began to load'))};

test('grids with up to 50 cells are explained', async () => {
  await expect(causesOf(paperGrid(50), ABORTED)).rejects.toThrow('it began to load');
  expect(await causesOf(paperGrid(51), ABORTED)).toBeUndefined();
});

test('a grid that compares no panes is not explained', async () => {
  expect(await causesOf(paperGrid(2, {page, panes: [{pipeline: 'tcp'}]}), ABORTED)).toBeUndefined();
});

test('the causes are means over at most the first ten seeds', async () => {
  const done: (readonly number[])[] = [];
  const onProgress = (...counts: readonly number[]): void => {
    done.push(counts);
  };
  const seeds = Array.from({length: 12}, (_, i) => 5 + i);
  const found = await causesOf(paperGrid(2), {seeds, onProgress});
  expect(found?.seeds).toEqual(seeds.slice(0, 10));
  expect(done).toEqual([
    [1, 2],
    [2, 2],
  ]);
  // one round trip over TCP, and two over SCTP
  const roundTrips = found?.cells.map(({panes}, i) => panes.map(causes => Math.floor(setUpMs(causes) / (100 + i))));
  expect(roundTrips).toEqual([
    [1, 2],
    [1, 2],
  ]);
});

test('the means count each seed once', async () => {
  const lossy = paperGrid(1, {...BASE, path: {loss: 0.1}});
  const totalNs = async (seeds: readonly number[]) => {
    const found = await causesOf(lossy, {seeds});
    return found?.cells[0]?.panes[0]?.reduce((sum, {ns}) => sum + ns, 0) ?? 0;
  };
  const alone = [await totalNs([1]), await totalNs([2]), await totalNs([3])];
  expect(new Set(alone).size).toBe(3);
  expect((await totalNs([1, 2, 3])) / 1e6).toBeCloseTo(alone.reduce((sum, ns) => sum + ns, 0) / 3 / 1e6, 3);
});

test('a pane without a complete load has no causes', async () => {
  const found = await causesOf(paperGrid(1, {...BASE, timeLimitMs: 150}));
  expect(found?.cells).toEqual([{cell: 0, panes: [null, null]}]);
});
