import {expect, test} from 'vitest';
import {CALLOUTS, NUMBER_PX, numberPlaces} from './callouts.ts';

const areaAt = (x: number, y: number, size = 16) => ({x, y, width: size, height: size});

test('numbers do not cover each other, even if the parts of the window are at the same place', () => {
  const [callout] = CALLOUTS;
  if (callout === undefined) throw new Error('there are callouts');
  const placed = numberPlaces(Array.from({length: 8}, (_, i) => ({...callout, area: areaAt(100 + 3 * i, 200)})));
  for (const [i, one] of placed.entries()) {
    for (const other of placed.slice(i + 1)) {
      const isApart = Math.abs(one.x - other.x) >= NUMBER_PX || Math.abs(one.y - other.y) >= NUMBER_PX;
      expect(isApart, JSON.stringify([one, other])).toBe(true);
    }
  }
});

test('a number at the edge of the window is whole', () => {
  const [callout] = CALLOUTS;
  if (callout === undefined) throw new Error('there are callouts');
  for (const {x, y} of numberPlaces([{...callout, area: areaAt(-2, -2, 300)}])) {
    expect(Math.min(x, y)).toBeGreaterThanOrEqual(NUMBER_PX / 2);
  }
});

test('the texts are true in both themes, so they do not say that a part is black or white', () => {
  for (const {text} of CALLOUTS) expect(text).not.toMatch(/\b(black|white)\b/);
});
