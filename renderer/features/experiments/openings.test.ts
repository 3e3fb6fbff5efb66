import {expect, test} from 'vitest';
import {someRows} from '../seeds/testing/someRows.ts';
import {nextOpening, openingsOf} from './openings.ts';

const rows = someRows([4000, 1], [null, 2], [1000, 3], [3000, 4], [2000, 5]);
const openings = openingsOf(rows, 0, 'pageTimeMs');

test('a click opens the median run of its pane, then the next slower ones, and round', () => {
  expect(openings.map(({seed}) => seed)).toEqual([3, 5, 4, 1, 2]);
  const walk = (step: 1 | -1) => {
    let seed: number | null = null;
    return Array.from({length: 6}, () => {
      seed = nextOpening(openings, seed, step)?.seed ?? null;
      return seed;
    });
  };
  // of four that are complete the lower of the two in the middle
  expect(walk(1)).toEqual([5, 4, 1, 2, 3, 5]);
  expect(walk(-1)).toEqual([5, 3, 2, 1, 4, 5]);
  expect(openingsOf(rows, 1, 'pageTimeMs').find(({isMedian}) => isMedian)?.seed).toBe(3);
});

test('a run on show that is of no seed of the cell is followed by the median one', () => {
  expect(nextOpening(openings, 146, 1)).toMatchObject({seed: 5, value: 2000, isMedian: true});
  expect(nextOpening([], null, 1)).toBeUndefined();
});

test('what a run had before it was given up is no value of it', () => {
  const [row] = someRows([null, null]);
  const panes = row?.panes.map(pane => ({...pane, values: pane.values.map(() => 5)})) ?? [];
  expect(openingsOf([{seed: 1, panes, firstPicturesMs: [], wholePagesMs: []}], 0, 'pageTimeMs')).toMatchObject([
    {value: null},
  ]);
});

test('where none is complete the first is opened', () => {
  const never = openingsOf(someRows([null], [null]), 0, 'pageTimeMs');
  expect(nextOpening(never, null, 1)).toMatchObject({seed: 1, value: null});
});
