import {expect, test} from 'vitest';
import {stripOf, timeOf} from './strip.ts';

test('each pane has a row if the window is high enough, otherwise the first and the last pane', () => {
  const panesAt = (windowHeight: number) =>
    [1, 2, 3, 4, 6].map(panes => stripOf(panes, {width: 1200, windowHeight}).panes.map(pane => pane + 1));
  expect(panesAt(720)).toEqual([[1], [1, 2], [1, 3], [1, 4], [1, 6]]);
  expect(panesAt(900)).toEqual([[1], [1, 2], [1, 2, 3], [1, 4], [1, 6]]);
  expect(panesAt(1080)).toEqual([[1], [1, 2], [1, 2, 3], [1, 2, 3, 4], [1, 6]]);
  expect(panesAt(1440)[4]).toEqual([1, 2, 3, 4, 5, 6]);
});

test('rows are as high as the pictures are at their full width, as far as the window allows', () => {
  // 10 pictures with gaps of 6 px, twice as wide as high
  expect(stripOf(2, {width: 720, windowHeight: 720}).rowPx).toBe(33);
  expect(stripOf(2, {width: 1200, windowHeight: 720}).rowPx).toBe(38);
  expect(stripOf(2, {width: 1200, windowHeight: 1080}).rowPx).toBe(57);
  expect(stripOf(4, {width: 1200, windowHeight: 1080}).rowPx).toBe(35);
  expect(stripOf(2, {width: 0, windowHeight: 300}).rowPx).toBe(1);
});

test('a row shows ten times up to the end of the run', () => {
  expect([timeOf(0, 100), timeOf(4, 100), timeOf(9, 100)]).toEqual([10, 50, 100]);
});
