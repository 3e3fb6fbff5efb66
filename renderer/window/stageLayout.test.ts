import {expect, test} from 'vitest';
import {leastPanesPx, paneColumns} from './stageLayout.ts';

const columnsAt = (width: number, fontPx = 13) => [1, 2, 3, 4, 5, 6].map(panes => paneColumns(panes, {width, fontPx}));

test('panes are side by side as far as each has room for its header', () => {
  expect(columnsAt(1267)).toEqual([1, 2, 3, 4, 3, 3]);
  // beside the settings
  expect(columnsAt(994)).toEqual([1, 2, 3, 2, 3, 3]);
  expect(columnsAt(627)).toEqual([1, 2, 2, 2, 2, 2]);
  // a phone
  expect(columnsAt(377)).toEqual([1, 1, 1, 1, 1, 1]);
  // larger type needs more room
  expect(columnsAt(1267, 20)).toEqual([1, 2, 3, 2, 3, 3]);
});

test('panes below each other keep the height of a page each', () => {
  const room = {width: 377, fontPx: 13};
  expect(leastPanesPx(2, room)).toBeGreaterThan(2 * 0.75 * room.width);
  expect(leastPanesPx(1, room)).toBe(156);
  expect(leastPanesPx(6, {width: 1267, fontPx: 13})).toBe(2 * 117);
});
