import {expect, test} from 'vitest';
import {stepOf} from './smallPictures.ts';

test('thumbnails distinguish sixteen steps of a picture, and show no byte that has not arrived', () => {
  const steps = Array.from({length: 1001}, (_, bytes) => stepOf(1000, bytes));
  expect(new Set(steps).size).toBe(17);
  expect(steps[0]).toBe(0);
  // only a complete picture is shown complete
  expect([steps[999], steps[1000]]).toEqual([15, 16]);
  for (const [bytes, step] of steps.entries()) expect((step / 16) * 1000).toBeLessThanOrEqual(bytes);
  expect([stepOf(0, 10), stepOf(1000, 2000)]).toEqual([0, 16]);
});
