import {expect, test} from 'vitest';
import {PAPERS} from '../../../app/study/papers/list.ts';
import type {MoreSeeds, PaperGrid} from '../../../app/study/papers/paper.ts';
import {gridOf} from './paperGrid.ts';

const GRID: PaperGrid = {
  name: 'toy',
  about: 'toy',
  base: {panes: [{pipeline: 'tcp'}]},
  axes: {'path.loss': [0]},
  kept: {metrics: ['pageTimeMs']},
};

test('a grid has all given seeds, or only the first ones if it limits the number of seeds', () => {
  expect(gridOf(GRID, [7, 3, 9]).seeds).toEqual([7, 3, 9]);
  expect(gridOf({...GRID, mostSeeds: 2}, [7, 3, 9]).seeds).toEqual([7, 3]);
});

test('a grid that needs more seeds has a range of consecutive seeds, after the ranges that it skips', () => {
  const seeds = (moreSeeds: MoreSeeds, asked: readonly number[]) => gridOf({...GRID, moreSeeds}, asked).seeds;
  expect(seeds({times: 2, rowsBefore: 0}, [7, 3, 9])).toEqual([3, 4, 5, 6, 7, 8]);
  expect(seeds({times: 2, rowsBefore: 1}, [7, 3, 9])).toEqual([9, 10, 11, 12, 13, 14]);
  const most = Number.MAX_SAFE_INTEGER;
  expect(seeds({times: 3, rowsBefore: 1}, [most])).toEqual([most - 2, most - 1, most]);
  expect(
    seeds(
      {times: 12, rowsBefore: 0},
      Array.from({length: 9000}, (_, i) => i),
    ),
  ).toHaveLength(100_000);
});

test('N07 and N08 are judged by different seeds', () => {
  const loads = PAPERS.filter(({name}) => name === 'n07' || name === 'n08').flatMap(paper =>
    paper.grids.filter(({name}) => name === 'judged').flatMap(grid => gridOf(grid, [1, 2, 3]).seeds),
  );
  expect(loads).toHaveLength(72);
  expect(new Set(loads).size).toBe(72);
});
