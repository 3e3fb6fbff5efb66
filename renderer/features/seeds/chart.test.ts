import {expect, test} from 'vitest';
import type {SeedRow} from '../../../app/host/contract.ts';
import {dotBeside, dotNear, firstDot, layOutChart} from './chart.ts';
import {measuresOf} from './measures.ts';
import {someRows} from './testing/someRows.ts';

const size = {width: 600, height: 300, fontPx: 13};
const [pageTime] = measuresOf([], 0, 'first-request');
if (pageTime === undefined) throw new Error('T is always there');

test('a dot is at its time in its pane’s row, and box and median are of all runs', () => {
  const rows = someRows(...Array.from({length: 21}, (_, i) => [1000 * (i + 1), 500]));
  const {
    x,
    rows: [first, second],
    neverX,
  } = layOutChart(rows, rows[4] as SeedRow, pageTime, size);
  if (first === undefined || second === undefined) throw new Error('two rows');
  expect(first.dots.map(dot => [dot.seed, dot.x])).toEqual(rows.map(({seed}) => [seed, x(seed * 1000)]));
  // with 21 values, the interval of the median is from the 6th to the 16th
  expect(first.box).toEqual({
    from: x(6000),
    to: x(16_000),
    median: x(11_000),
    interval: [x(6000), x(16_000)],
  });
  expect(first.medianMs).toBe(11_000);
  expect([first.shown.seed, first.shown.x]).toEqual([5, x(5000)]);
  for (const [row, dots] of [first, second].map(row => [row, row.dots] as const)) {
    for (const dot of dots) expect(Math.abs(dot.y - row.y)).toBeLessThanOrEqual(row.height / 2);
  }
  expect(first.y + first.height / 2).toBeLessThan(second.nameY);
  expect(neverX).toBeNull();
});

test('runs in which the event never happened are drawn apart, and count as later than all others', () => {
  const rows = someRows([1000, null], [2000, 3000], [null, null]);
  const {
    rows: [first, second],
    neverX,
    x,
  } = layOutChart(rows, rows[2] as SeedRow, pageTime, size);
  expect(first?.dots.map(({seed}) => seed)).toEqual([1, 2]);
  expect(first?.never.map(({seed}) => seed)).toEqual([3]);
  expect(second?.never.map(({seed}) => seed)).toEqual([1, 3]);
  expect([first?.medianMs, second?.medianMs]).toEqual([2000, Number.POSITIVE_INFINITY]);
  expect(first?.box).toEqual({from: x(1500), to: neverX, median: x(2000), interval: null});
  expect(second?.box).toBeNull();
  for (const {x: at} of second?.never ?? []) expect(at).toBeGreaterThan(neverX ?? 0);
  expect(x(3000)).toBeLessThan(neverX ?? 0);
  expect(first?.shown).toMatchObject({seed: 3, ms: null});
});

test('the run on screen has a position even if its seed is not among the rows', () => {
  const [other] = someRows([9000, 8000]);
  const shown = {...(other as SeedRow), seed: 146};
  const {
    rows: [first],
    x,
  } = layOutChart(someRows([1000, 2000]), shown, pageTime, size);
  expect(first?.shown).toMatchObject({seed: 146, ms: 9000, x: x(9000), y: first?.y});
  expect(x(9000)).toBeLessThanOrEqual(size.width);
});

test('the pointer finds the nearest dot, and no dot that is far away', () => {
  const chart = layOutChart(someRows([1000], [1100], [9000]), someRows([1000])[0] as SeedRow, pageTime, size);
  const dot = chart.rows[0]?.dots[1];
  expect(dotNear(chart, {x: (dot?.x ?? 0) + 2, y: (dot?.y ?? 0) + 1}, 13)?.seed).toBe(2);
  expect(dotNear(chart, {x: chart.x(5000), y: dot?.y ?? 0}, 13)).toBeUndefined();
});

test('keys move in time order, then to the runs without the event, and to the same seed in other rows', () => {
  const rows = someRows([2000, 1000], [1000, 3000], [null, 2000], [1000, 2000]);
  const chart = layOutChart(rows, rows[0] as SeedRow, pageTime, size);
  expect(firstDot(chart)).toEqual({pane: 0, seed: 1});
  const walk = (key: string, pane: number, seed: number) => dotBeside(chart, {pane, seed}, key);
  expect([2, 4, 1, 3].map(seed => walk('ArrowRight', 0, seed)?.seed)).toEqual([4, 1, 3, 3]);
  expect([2, 4, 1, 3].map(seed => walk('ArrowLeft', 0, seed)?.seed)).toEqual([2, 2, 4, 1]);
  expect([walk('Home', 0, 1), walk('End', 1, 3)]).toEqual([
    {pane: 0, seed: 2},
    {pane: 1, seed: 2},
  ]);
  expect(walk('ArrowDown', 0, 3)).toEqual({pane: 1, seed: 3});
  expect(walk('ArrowDown', 1, 3)).toEqual({pane: 1, seed: 3});
  expect(walk('ArrowUp', 1, 3)).toEqual({pane: 0, seed: 3});
  expect(walk('Enter', 1, 3)).toBeUndefined();
});

test('keys begin at the first dot if the run on screen has another seed', () => {
  const [other] = someRows([9000]);
  const shown = {...(other as SeedRow), seed: 146};
  expect(firstDot(layOutChart(someRows([1000], [2000]), shown, pageTime, size))).toEqual({pane: 0, seed: 1});
  expect(firstDot(layOutChart([], shown, pageTime, size))).toBeUndefined();
});
