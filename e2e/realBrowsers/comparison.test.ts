import {expect, test} from 'vitest';
import {tableCells} from './cells.ts';
import {type CellLoads, compare, rankCorrelation} from './comparison.ts';
import {goalsOf} from './table.ts';

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

test('a ratio is a computed time divided by the real one, with the interval of the real sample', () => {
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

test('the real order compares every second real load with the others', () => {
  // the first and third load have one order, and the second and fourth the reverse
  const times = [
    [10, 30, 11, 31],
    [20, 20, 21, 21],
    [30, 10, 31, 11],
  ];
  const ours = loads([1], [[1], [2], [3]]);
  expect(compare(loads([1, 2, 3, 4], times), ours).realOrder).toBe(-1);
  const steady = times.map(([first]) => [first ?? 0, first ?? 0, first ?? 0, first ?? 0]);
  expect(compare(loads([1, 2, 3, 4], steady), ours).realOrder).toBe(1);
  expect(compare(loads([1, 2, 3], steady), ours).realOrder).toBeNull();
});

test('cells whose real loads differ in the order of completion are left out of the second goal', () => {
  const [cell] = tableCells();
  if (cell === undefined) throw new Error('no cell');
  const row = (order: number, realOrder: number) =>
    [cell, {...compare(loads([1, 2, 3, 4]), loads([1])), order, realOrder}] as const;
  const goals = goalsOf([row(0.95, 0.95), row(0.5, 0.95), row(0.5, 0.5)]);
  expect(goals).toContain('| order of completion, ρ ≥ 0.9 | 1 of 3 (33 %) |');
  expect(goals).toContain('| the same, if real loads agree so well | 1 of 2 (50 %) |');
});

test('a real and a computed load of one seed are a pair, so a sample with much loss does not matter', () => {
  const real = [100, 900, 200, 800, 300, 700, 400, 600];
  const paired = compare(loads(real), loads(real.map(ms => ms / 2)));
  for (const {ratio, from, to} of [paired.median, paired.mean].filter(each => each !== null))
    expect([ratio, from, to].map(value => value.toFixed(9))).toEqual(Array(3).fill('0.500000000'));
  const shuffled = compare(loads(real), loads([...real].reverse().map(ms => ms / 2)));
  for (const {from, to} of [shuffled.median, shuffled.mean].filter(each => each !== null))
    expect(to - from).toBeGreaterThan(0.1);
});
