import {expect, test} from 'vitest';
import {distributionTest} from './kolmogorovSmirnov.ts';

const A = [0.346, 0.822, 0.33, -1.303, 0.905, 0.446, -0.537, 0.581, 0.365, 0.294, 0.028, 0.547];
const B = [-0.305, 0.556, 0.077, 1.698, 0.86, 0.361, -0.373, 0.414, 0.812, 0.387, 2.741, 2.31, -3.267];

test('the largest distance of two distributions, and how likely chance makes one', () => {
  // SciPy 1's ks_2samp and kstwobign.sf
  const found = distributionTest(A, [...B, -2.034, 0.538]);
  expect(found?.d).toBeCloseTo(0.2, 12);
  expect(found?.p).toBeCloseTo(0.9238989804663454, 10);
});

test('samples that do not touch are as far apart as can be; one is not apart from itself', () => {
  const far = distributionTest(
    A,
    A.map(value => value + 10),
  );
  expect(far?.d).toBe(1);
  expect(far?.p).toBeLessThan(1e-5);
  expect(distributionTest(A, A)).toEqual({d: 0, p: 1});
});

test('ties are no distance, and none of an empty sample is known', () => {
  expect(distributionTest([1, 1, 2], [1, 2, 2])?.d).toBeCloseTo(1 / 3, 12);
  expect(distributionTest([], A)).toBeNull();
});
