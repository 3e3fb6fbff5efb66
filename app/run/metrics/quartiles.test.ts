import fc from 'fast-check';
import {describe, expect, test} from 'vitest';
import {medianInterval, quartiles, signTestP} from './quartiles.ts';

const sample = fc.array(fc.integer({min: -1000, max: 1000}), {minLength: 1, maxLength: 60});
const upTo = (n: number) => Array.from({length: n}, (_, i) => n - i);

describe('quartiles', () => {
  test('interpolate between the neighbouring values, whatever the order of the sample', () => {
    expect(quartiles([40, 10, 20, 30])).toEqual({q1: 17.5, median: 25, q3: 32.5});
    expect(quartiles([5, 1, 3, 2, 4])).toEqual({q1: 2, median: 3, q3: 4});
    expect(quartiles([7])).toEqual({q1: 7, median: 7, q3: 7});
    expect(quartiles([])).toBeNull();
  });

  test('have at least a quarter of the values at or beyond q1 and q3, and half on either side of the median', () => {
    fc.assert(
      fc.property(sample, values => {
        const {q1, median, q3} = quartiles(values) ?? {q1: 0, median: 0, q3: 0};
        const share = (holds: (value: number) => boolean) => values.filter(holds).length / values.length;
        expect(share(value => value <= q1)).toBeGreaterThanOrEqual(0.25);
        expect(share(value => value >= q3)).toBeGreaterThanOrEqual(0.25);
        expect(share(value => value <= median)).toBeGreaterThanOrEqual(0.5);
        expect(share(value => value >= median)).toBeGreaterThanOrEqual(0.5);
      }),
    );
  });
});

describe('the interval of the median', () => {
  // Conover, Practical Nonparametric Statistics, table A3: ranks of the 95 % interval
  test.each([
    [6, 1, 6],
    [10, 2, 9],
    [20, 6, 15],
    [100, 40, 61],
  ])('of %i values reaches from the value of rank %i to the value of rank %i', (n, from, to) => {
    expect(medianInterval(upTo(n))).toEqual([from, to]);
  });

  test('does not exist for too few values', () => {
    expect(medianInterval(upTo(5))).toBeNull();
    expect(medianInterval([])).toBeNull();
  });

  test('of a large sample agrees with the normal approximation', () => {
    const [from = 0, to = 0] = medianInterval(upTo(5000)) ?? [];
    // Normal approximation: n / 2 ± 1.96 · √n / 2.
    expect(Math.abs(from - (2500 - 69.3))).toBeLessThan(2);
    expect(from + to).toBe(5001);
  });
});

test('the sign test is a binomial test, and is symmetric', () => {
  // 2 · (1 + 10) / 2^10
  expect(signTestP(9, 1)).toBeCloseTo(22 / 1024, 12);
  expect(signTestP(1, 9)).toBe(signTestP(9, 1));
  expect(signTestP(5, 5)).toBe(1);
  expect(signTestP(0, 0)).toBe(1);
});
