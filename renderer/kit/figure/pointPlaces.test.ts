import {expect, test} from 'vitest';
import {type Place, placeBeside, placeNear} from './pointPlaces.ts';

// two series over three cells in two panels
const places: readonly Place[] = [
  place(0, 0, 0, 10, 50),
  place(0, 1, 0, 12, 20),
  place(1, 0, 0, 30, 40),
  place(1, 1, 0, 32, 60),
  place(2, 0, 1, 110, 50),
  place(2, 1, 1, 112, 50),
];

function place(cell: number, series: number, panel: number, x: number, y: number): Place {
  return {point: {cell, series, panel, n: 1, runs: 1, x: 0, y: 0, interval: null}, x, y};
}

test('keys move along a series from panel to panel, and to the other series of the same cell', () => {
  const walk = (from: number, key: string) => {
    const to = placeBeside(places, places[from] as Place, key);
    return to && places.indexOf(to);
  };
  expect([0, 2, 4].map(from => walk(from, 'ArrowRight'))).toEqual([2, 4, 4]);
  expect([1, 3, 5].map(from => walk(from, 'ArrowLeft'))).toEqual([1, 1, 3]);
  expect([walk(3, 'Home'), walk(2, 'End')]).toEqual([1, 4]);
  // in the first cell the second series is above the first, in the next cell below it
  expect([walk(0, 'ArrowUp'), walk(0, 'ArrowDown')]).toEqual([1, 0]);
  expect([walk(2, 'ArrowUp'), walk(2, 'ArrowDown')]).toEqual([2, 3]);
  expect(walk(0, 'Enter')).toBeUndefined();
  const column = [40, 10, 20].map((y, series) => place(9, series, 0, 5, y));
  expect(placeBeside(column, column[0] as Place, 'ArrowUp')).toBe(column[2]);
});

test('a bar is found anywhere along its height, and keys move from bar to bar through all panels', () => {
  const bar = (cell: number, pane: number, x: number, y: number): Place => {
    return {
      point: {cell, series: 0, pane, panel: pane, n: 1, runs: 1, x: 'a', from: 0, to: 1, half: null},
      x,
      y,
      bottom: 100,
    };
  };
  // two panes, each with a panel of its own, and two cells
  const bars = [bar(0, 0, 10, 50), bar(1, 0, 30, 20), bar(0, 1, 60, 70), bar(1, 1, 80, 60)];
  expect(placeNear(bars, {x: 12, y: 95}, 10)).toBe(bars[0]);
  expect(placeNear(bars, {x: 60, y: 55}, 10)).toBeUndefined();
  const walk = (from: number, key: string) => bars.indexOf(placeBeside(bars, bars[from] as Place, key) as Place);
  expect([0, 1, 2, 3].map(from => walk(from, 'ArrowRight'))).toEqual([1, 2, 3, 3]);
  expect([walk(3, 'Home'), walk(0, 'End')]).toEqual([0, 3]);
  expect([walk(1, 'ArrowDown'), walk(3, 'ArrowUp')]).toEqual([3, 1]);
});

test('the pointer finds the nearest point, and no point that is far away', () => {
  expect(placeNear(places, {x: 11, y: 46}, 30)).toBe(places[0]);
  expect(placeNear(places, {x: 11, y: 23}, 30)).toBe(places[1]);
  expect(placeNear(places, {x: 70, y: 50}, 30)).toBeUndefined();
});
