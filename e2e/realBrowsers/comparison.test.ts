import {expect, test} from 'vitest';
import {type CellLoads, compare, rankCorrelation} from './comparison.ts';

const loads = (finishMs: readonly number[], completions: readonly (readonly (number | null)[])[] = []): CellLoads => ({
  finishMs,
  fcpMs: finishMs.map(() => 100),
  lcpMs: finishMs.map(() => null),
  completions,
});

test('the rank correlation is 1 for the same order, −1 for the reverse, and counts ties by their mean rank', () => {
  const order = (...values: number[]) => values.map((value, i) => [i, value] as const);
  expect(rankCorrelation(order(10, 20, 30, 40))).toBe(1);
  expect(rankCorrelation(order(4, 3, 2, 1))).toBe(-1);
  // by hand: ranks 1, 2, 3, 4 against 1.5, 1.5, 3, 4
  expect(rankCorrelation(order(1, 1, 2, 3))).toBeCloseTo(4.5 / Math.sqrt(5 * 4.5), 12);
  expect(rankCorrelation(order(1, 2))).toBeNull();
  expect(rankCorrelation(order(7, 7, 7))).toBeNull();
});

test('ratios are computed divided by real, with the interval of the real sample', () => {
  const real = loads([90, 95, 100, 105, 110, 100, 100, 100], [[50], [60], [70], [null]]);
  const ours = loads([120], [[10], [20], [15], [5]]);
  const {median, mean, fcp, lcp, order, objects, realMs} = compare(real, ours);
  expect(realMs).toBe(100);
  expect(median?.ratio).toBeCloseTo(1.2, 12);
  expect(median?.from).toBeLessThan(1.2);
  expect(median?.to).toBeGreaterThan(1.2);
  expect(mean?.ratio).toBeCloseTo(1.2, 12);
  expect((mean?.to ?? 0) - (mean?.from ?? 0)).toBeGreaterThan(0);
  expect(fcp?.ratio).toBe(1);
  expect(lcp).toBeNull();
  expect(order).toBeCloseTo(0.5, 12);
  expect(objects).toEqual({common: 3, all: 4});
});

test('there is no interval of a median with fewer than six real loads', () => {
  expect(compare(loads([1, 2, 3, 4, 5]), loads([3])).median).toBeNull();
});
