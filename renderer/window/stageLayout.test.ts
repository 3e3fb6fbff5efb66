import {expect, test} from 'vitest';
import {leastPanesPx, paneColumns} from './stageLayout.ts';

const LOW = 640;
const HIGH = 1000;
const columnsAt = (width: number, height = LOW, fontPx = 13) =>
  [1, 2, 3, 4, 5, 6].map(panes => paneColumns(panes, {width, height, fontPx}));

test('panes are side by side as far as each has room for its header', () => {
  expect(columnsAt(1267, HIGH)).toEqual([1, 2, 3, 4, 3, 3]);
  // beside the settings
  expect(columnsAt(994, HIGH)).toEqual([1, 2, 3, 2, 3, 3]);
  expect(columnsAt(627)).toEqual([1, 2, 2, 2, 2, 2]);
  // a phone
  expect(columnsAt(377)).toEqual([1, 1, 1, 1, 1, 1]);
  // larger type needs more room
  expect(columnsAt(1267, 2000, 20)).toEqual([1, 2, 3, 2, 3, 3]);
});

test('four to six panes are in one row in a low and wide window, which then shows whole pages', () => {
  expect(columnsAt(1267)).toEqual([1, 2, 3, 4, 5, 6]);
  // a window of 1920 × 1080
  expect(columnsAt(1906, 970, 16)).toEqual([1, 2, 3, 4, 5, 6]);
  // a window of 1280 × 1024
  expect(columnsAt(1267, 940)).toEqual([1, 2, 3, 4, 3, 3]);
  // beside the settings, five and six have no room for that
  expect(columnsAt(994)).toEqual([1, 2, 3, 4, 3, 3]);
});

test('panes below each other keep the height of a page each', () => {
  const room = {width: 377, height: HIGH, fontPx: 13};
  expect(leastPanesPx(2, room)).toBeGreaterThan(2 * 0.75 * room.width);
  expect(leastPanesPx(1, room)).toBe(156);
  expect(leastPanesPx(6, {width: 1267, height: HIGH, fontPx: 13})).toBe(2 * 117);
});
