import {expect, test} from 'vitest';
import {stripOf, timeOf} from './strip.ts';

test('each pane has a row if the window is high enough; otherwise only the first and the last pane have one', () => {
  const panesAt = (windowHeight: number) =>
    [1, 2, 3, 4, 6].map(panes => stripOf(panes, {width: 1200, windowHeight}).panes.map(pane => pane + 1));
  expect(panesAt(720)).toEqual([[1], [1, 2], [1, 3], [1, 4], [1, 6]]);
  expect(panesAt(900)).toEqual([[1], [1, 2], [1, 2, 3], [1, 4], [1, 6]]);
  expect(panesAt(1080)).toEqual([[1], [1, 2], [1, 2, 3], [1, 2, 3, 4], [1, 6]]);
  expect(panesAt(1440)[4]).toEqual([1, 2, 3, 4, 5, 6]);
});

test('rows become higher with the window, and have as many pictures as fit, but at least 5 and at most 24', () => {
  expect(stripOf(2, {width: 1200, windowHeight: 720})).toMatchObject({rowPx: 28, times: 20});
  expect(stripOf(2, {width: 1800, windowHeight: 1080})).toMatchObject({rowPx: 48, times: 18});
  expect(stripOf(4, {width: 1800, windowHeight: 1080})).toMatchObject({rowPx: 30, times: 24});
  expect(stripOf(2, {width: 300, windowHeight: 844})).toMatchObject({rowPx: 40, times: 5});
  expect(stripOf(2, {width: 0, windowHeight: 300})).toMatchObject({rowPx: 28, times: 5});
});

test('a row shows equally distant times up to the end of the run', () => {
  expect([timeOf(0, 10, 100), timeOf(4, 10, 100), timeOf(9, 10, 100)]).toEqual([10, 50, 100]);
  expect(timeOf(17, 18, 100)).toBe(100);
});
