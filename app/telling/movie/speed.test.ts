import {expect, test} from 'vitest';
import {speedOf, speedText} from './speed.ts';

test('the automatic speed plays a run of 0.4 s in ten seconds', () => {
  expect(speedOf('auto', 0.4e9)).toBe(1 / 25);
  expect(0.4 / speedOf('auto', 0.4e9)).toBeCloseTo(10);
});

test('the automatic speed is 1 for runs of ten seconds to a minute', () => {
  for (const endS of [10, 25, 60]) expect(speedOf('auto', endS * 1e9)).toBe(1);
});

test('the automatic speed plays shorter runs in about ten seconds and longer runs in about a minute', () => {
  for (let endS = 0.002; endS < 500_000; endS *= 1.07) {
    const speed = speedOf('auto', endS * 1e9);
    const watchedS = endS / speed;
    if (speed < 1) expect(Math.abs(Math.log(watchedS / 10))).toBeLessThan(Math.log(1.6));
    if (speed > 1) expect(Math.abs(Math.log(watchedS / 60))).toBeLessThan(Math.log(1.6));
    if (speed === 1) expect(endS > 7 && endS < 85).toBe(true);
  }
});

test('a chosen speed is kept, and the automatic speed of an empty run is 1', () => {
  expect(speedOf(0.5, 0.4e9)).toBe(0.5);
  expect(speedOf('auto', 0)).toBe(1);
});

test('the text of a speed is empty for real speed only', () => {
  expect([1, 0.04, 0.25, 0.1, 1 / 3, 2, 0.7].map(speedText)).toEqual([
    '',
    '1/25 of real speed',
    '1/4 of real speed',
    '1/10 of real speed',
    '1/3 of real speed',
    '2 × real speed',
    '0.7 × real speed',
  ]);
});
