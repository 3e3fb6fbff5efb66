import fc from 'fast-check';
import {describe, expect, test} from 'vitest';
import {distributionTest, estimate, meanHalfWidth, meanP, rankTest} from './statistics.ts';

describe('an estimate', () => {
  test('has mean, median and the interval of Student’s t', () => {
    // s = √2.5 and t(0.975, 4) = 2.776445
    expect(estimate([5, 1, 4, 2, 3])).toEqual({
      n: 5,
      mean: 3,
      median: 3,
      ci95: expect.closeTo(2.776445 * Math.sqrt(2.5 / 5), 5),
    });
  });

  // From the usual tables of t(0.975, n − 1).
  test.each([
    [2, 12.7062],
    [3, 4.30265],
    [10, 2.26216],
    [11, 2.22814],
    [50, 2.009575],
    [201, 1.971896],
  ])('of %i values uses the t of the tables', (n, t) => {
    const values = Array.from({length: n}, (_, i) => i);
    const deviation = Math.sqrt((n * (n + 1)) / 12);
    expect(estimate(values).ci95).toBeCloseTo((t * deviation) / Math.sqrt(n), 3);
  });

  test('of two values has the exact interval at every level', () => {
    // With 1 degree of freedom, t is tan(π (p − 1/2)). The half-width of the mean of 0 and 2 is t.
    for (const p of [0.975, 0.9996, 0.9999, 1 - 1e-9]) {
      const half = meanHalfWidth([0, 2], p) ?? Number.NaN;
      expect(half / Math.tan(Math.PI * (p - 0.5))).toBeCloseTo(1, 5);
    }
  });

  test('leaves out nulls, and says how many values are left', () => {
    expect(estimate([null, 4, 2, null])).toMatchObject({n: 2, mean: 3, median: 3});
    expect(estimate([7])).toEqual({n: 1, mean: 7, median: 7, ci95: null});
    expect(estimate([null])).toEqual({n: 0, mean: null, median: null, ci95: null});
  });
});

describe('a mean', () => {
  test('has p 0.05 at one half-width from the hypothesis, and Student’s tail at two', () => {
    for (const n of [2, 3, 50, 600]) expect(meanP(7, 7, n)).toBeCloseTo(0.05, 10);
    // t = 2 · 2.776445 with 4 degrees of freedom: 0.00515.
    expect(meanP(2, 1, 5)).toBeCloseTo(0.00515, 5);
  });

  test('of equal values has p 1 at the hypothesis, and p 0 elsewhere', () => {
    expect([meanP(0, 0, 50), meanP(1e-9, 0, 50), meanP(0, 3, 50)]).toEqual([1, 0, 1]);
  });
});

describe('the rank test', () => {
  test('counts the pairs in which the first value is larger, and ties as halves', () => {
    const sample = fc.array(fc.integer({min: 0, max: 9}), {minLength: 1, maxLength: 20});
    fc.assert(
      fc.property(sample, sample, (a, b) => {
        const pairs = a.flatMap(x => b.map((y): number => (x > y ? 1 : x === y ? 0.5 : 0)));
        const {u, p} = rankTest(a, b);
        expect(u).toBe(pairs.reduce((sum, each) => sum + each, 0));
        expect(rankTest(b, a).p).toBeCloseTo(p ?? Number.NaN, 12);
      }),
    );
  });

  test('of separate samples gives the p of the normal approximation', () => {
    // U = 0, mean 12.5, variance 25 · 11 / 12: z = (12.5 − 0.5) / 4.787136 = 2.506718, two-sided 0.012186
    const {u, p} = rankTest([1, 2, 3, 4, 5], [6, 7, 8, 9, 10]);
    expect([u, p]).toEqual([0, expect.closeTo(0.012186, 5)]);
  });

  test('has p 1 for equal samples, and no p for empty ones', () => {
    expect(rankTest([3, 3], [3, 3, 3]).p).toBe(1);
    expect(rankTest([], [1]).p).toBeNull();
  });
});

test('the rank test rejects NaN', () => {
  for (const [a, b] of [
    [[Number.NaN], [1]],
    [
      [1, 2],
      [3, Number.NaN],
    ],
  ] as const)
    expect(() => rankTest(a, b)).toThrow('invalid value: NaN');
  // Infinity means that a state was never reached. It ranks last.
  expect(rankTest([Number.POSITIVE_INFINITY, 2], [1, 1]).u).toBe(4);
});

const A = [0.346, 0.822, 0.33, -1.303, 0.905, 0.446, -0.537, 0.581, 0.365, 0.294, 0.028, 0.547];
const B = [-0.305, 0.556, 0.077, 1.698, 0.86, 0.361, -0.373, 0.414, 0.812, 0.387, 2.741, 2.31, -3.267];

test('the distribution test has the largest distance and its p-value', () => {
  // The reference is SciPy 1's ks_2samp and kstwobign.sf.
  const found = distributionTest(A, [...B, -2.034, 0.538]);
  expect(found?.d).toBeCloseTo(0.2, 12);
  expect(found?.p).toBeCloseTo(0.9238989804663454, 10);
});

test('samples that do not overlap have distance 1; a sample has distance 0 from itself', () => {
  const far = distributionTest(
    A,
    A.map(value => value + 10),
  );
  expect(far?.d).toBe(1);
  expect(far?.p).toBeLessThan(1e-5);
  expect(distributionTest(A, A)).toEqual({d: 0, p: 1});
});

test('ties add no distance, and an empty sample has no result', () => {
  expect(distributionTest([1, 1, 2], [1, 2, 2])?.d).toBeCloseTo(1 / 3, 12);
  expect(distributionTest([], A)).toBeNull();
});
