import {expect, test} from 'vitest';
import {someRows} from '../seeds/testing/someRows.ts';
import {nextOpening, openingsOf} from './openings.ts';

const rows = someRows([4000, 1], [null, 2], [1000, 3], [3000, 4], [2000, 5]);
const openings = openingsOf(rows, 0, 'pageTimeMs');

test('clicks open the median run, then the next slower runs, and after the slowest the fastest', () => {
  expect(openings.map(({seed}) => seed)).toEqual([3, 5, 4, 1, 2]);
  const walk = (step: 1 | -1) => {
    let seed: number | null = null;
    return Array.from({length: 6}, () => {
      seed = nextOpening(openings, seed, step)?.seed ?? null;
      return seed;
    });
  };
  // of four complete runs, the median is the lower of the two in the middle
  expect(walk(1)).toEqual([5, 4, 1, 2, 3, 5]);
  expect(walk(-1)).toEqual([5, 3, 2, 1, 4, 5]);
  expect(openingsOf(rows, 1, 'pageTimeMs').find(({isMedian}) => isMedian)?.seed).toBe(3);
});

test('if the run on screen has another seed, a click opens the median run', () => {
  expect(nextOpening(openings, 146, 1)).toMatchObject({seed: 5, value: 2000, isMedian: true});
  expect(nextOpening([], null, 1)).toBeUndefined();
});

test('an incomplete run has no value, even if it has measurements', () => {
  const [row] = someRows([null, null]);
  const panes = row?.panes.map(pane => ({...pane, values: pane.values.map(() => 5)})) ?? [];
  expect(openingsOf([{seed: 1, panes, firstPicturesMs: [], wholePagesMs: []}], 0, 'pageTimeMs')).toMatchObject([
    {value: null},
  ]);
});

test('if no run is complete, a click opens the first', () => {
  const never = openingsOf(someRows([null], [null]), 0, 'pageTimeMs');
  expect(nextOpening(never, null, 1)).toMatchObject({seed: 1, value: null});
});
