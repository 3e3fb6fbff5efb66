import {expect, test} from 'vitest';
import {inSeconds, type Measured, meanOf, minus, quotient} from './measured.ts';
import {leadText, measuredText} from './numberText.ts';

function of(value: number | null, half: number | null, n = 50): Measured {
  return {value, half, n, runs: 50};
}

test('the variance of a difference of two cells is the sum of the two variances', () => {
  expect(minus(of(10, 3), of(4, 4, 40))).toEqual({value: 6, half: 5, n: 40, runs: 50});
  expect(minus(of(10, null), of(4, 4))).toMatchObject({value: 6, half: null});
  expect(minus(of(null, null), of(4, 4))).toMatchObject({value: null, half: null});
});

test('a ratio of correlated numbers has a narrower interval than one of independent numbers', () => {
  // independent: √(3² + (2 · 1)²) / 5
  expect(quotient(of(10, 3), of(5, 1), null)).toMatchObject({value: 2, half: Math.sqrt(13) / 5});
  // the covariance is (9 + 1 − 4) / 2 = 3, which gives √(13 − 2 · 2 · 3) / 5
  expect(quotient(of(10, 3), of(5, 1), of(5, 2))).toMatchObject({value: 2, half: 1 / 5});
  // one of the two lacks a run, so they are treated as independent
  expect(quotient(of(10, 3, 49), of(5, 1), of(5, 2, 49))).toMatchObject({half: Math.sqrt(13) / 5, n: 49});
});

test('a ratio to 0 has no value', () => {
  expect(quotient(of(1, 0), of(0, 0), null)).toMatchObject({value: null, half: null});
  expect(quotient(of(null, null), of(5, 1), null)).toMatchObject({value: null, half: null});
  expect(quotient(of(10, null), of(5, 1), null)).toMatchObject({value: 2, half: null});
});

test('the interval of a mean over cells is as wide as for full correlation', () => {
  expect(meanOf([of(1, 0.5), of(3, 1.5), of(null, null)])).toEqual({value: 2, half: 1, n: 150, runs: 150});
  expect(meanOf([of(1, null), of(3, 1)])).toMatchObject({value: 2, half: null});
  expect(meanOf([])).toMatchObject({value: null, half: null});
});

test.each([
  [of(6.123, 0.4), '6.12 ± 0.400 s'],
  [of(-61.23, 0), '−61.2 s'],
  [of(612.3, 1e-9), '612 s'],
  [of(-0.0004, 0), '0 s'],
  [of(6, 1, 48), '6.00 ± 1.00 s (48 of 50 runs)'],
  [of(null, null, 0), 'none (0 of 50 runs)'],
])('%j is written as %s', (measured, text) => {
  expect(measuredText(measured, 's')).toBe(text);
});

test('a lead is described as sooner, later or neither', () => {
  expect(leadText(inSeconds(of(1200, 300)))).toBe('1.20 ± 0.300 s sooner');
  expect(leadText(of(-1.2, 0.3))).toBe('1.20 ± 0.300 s later');
  expect(leadText(of(0.2, 0.3))).toBe('neither sooner nor later (0.200 ± 0.300 s)');
  expect([leadText(of(0, null)), leadText(of(0.2, null))]).toEqual([
    'neither sooner nor later (0 s)',
    '0.200 s sooner',
  ]);
  expect(leadText(of(null, null, 0))).toBe('not complete in any run');
  const words = ['shorter', 'longer'] as const;
  expect(leadText(inSeconds(of(1200, 300)), words)).toBe('1.20 ± 0.300 s shorter');
  expect(leadText(of(0.2, 0.3), words)).toBe('neither shorter nor longer (0.200 ± 0.300 s)');
});
