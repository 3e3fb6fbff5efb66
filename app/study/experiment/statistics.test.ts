import fc from 'fast-check';
import {describe, expect, test} from 'vitest';
import {quartiles} from '../../run/metrics/quartiles.ts';
import {estimate} from '../../run/metrics/statistics.ts';
import {medianBootstrap} from './bootstrap.ts';
import {holm, signedRankTest} from './significance.ts';

// The expected values are from numpy (np.percentile) and scipy 1.17.1: the interval from stats.t.interval; the
// signed-rank test from stats.wilcoxon, with method='exact' for up to 50 pairs, and with method='approx' and
// correction=True for more; the bootstrap from stats.bootstrap(np.median, method='percentile', n_resamples=400000).
const sample = (n: number, factor: number, modulus: number) => {
  return Array.from({length: n}, (_, i) => (((i + 1) * factor) % modulus) / 8);
};
const differences = (n: number, shift: number) => {
  const second = sample(n, 53, 97);
  return sample(n, 37, 101).map((value, i) => value - (second[i] ?? 0) - shift);
};

describe('the results are those of scipy:', () => {
  test('mean, median, quartiles and the interval of Student’s t', () => {
    const values = sample(50, 37, 101);
    expect(estimate(values)).toMatchObject({
      mean: 6.3325,
      median: 6.1875,
      ci95: expect.closeTo(1.03585087, 8),
    });
    expect(quartiles(values)).toEqual({q1: 3.34375, median: 6.1875, q3: 9.4375});
  });

  test('the signed-rank test of twelve pairs', () => {
    const {w, p} = signedRankTest(differences(12, 0));
    expect([Math.min(w, 78 - w), p]).toEqual([38, 0.9697265625]);
  });

  test('the signed-rank test of fifty pairs, with the exact p', () => {
    const {n, w, p} = signedRankTest(differences(50, 1.5).map((difference, i) => difference + i * 1e-3));
    expect([n, Math.min(w, 1275 - w), p]).toEqual([50, 487, expect.closeTo(0.14874176207, 10)]);
  });

  test.each([
    [51, 51, 493.5, 0.1131614109],
    [120, 119, 2639.5, 0.0136532978],
  ])('the signed-rank test of %i pairs with ties, with p by the normal approximation', (pairs, differing, w, p) => {
    const found = signedRankTest(differences(pairs, 1.5));
    expect(found).toMatchObject({n: differing, p: expect.closeTo(p, 6)});
    expect(Math.min(found.w, (differing * (differing + 1)) / 2 - found.w)).toBe(w);
  });

  test.each([
    [6, 1.875, 9.875],
    [12, 3.125, 8.8125],
    [50, 4.625, 7.875],
    [51, 4.625, 8.25],
  ])('the bootstrap interval of the median of %i values', (n, from, to) => {
    expect(medianBootstrap(sample(n, 37, 101).sort((a, b) => a - b))).toEqual([from, to]);
  });
});

test('the p of the signed-rank test is that over all combinations of signs of the ranks, also with ties', () => {
  const some = fc.array(fc.integer({min: -4, max: 4}), {minLength: 1, maxLength: 9});
  fc.assert(
    fc.property(some, values => {
      const differing = values.filter(value => value !== 0);
      const ranks = differing.map(value => {
        const [less, same] = [-1, 0].map(sign => {
          return differing.filter(other => Math.sign(Math.abs(other) - Math.abs(value)) === sign).length;
        });
        return (less ?? 0) + ((same ?? 0) + 1) / 2;
      });
      const sums = Array.from({length: 2 ** ranks.length}, (_, signs) =>
        ranks.reduce((sum, rank, i) => sum + ((signs >> i) & 1) * rank, 0),
      );
      const w = ranks.reduce((sum, rank, i) => sum + ((differing[i] ?? 0) > 0 ? rank : 0), 0);
      const [below, above] = [sums.filter(sum => sum <= w).length, sums.filter(sum => sum >= w).length];
      const p = Math.min(1, (2 * Math.min(below, above)) / sums.length);
      expect(signedRankTest(values)).toEqual({n: differing.length, w, p: expect.closeTo(p, 12)});
    }),
  );
});

test('the signed-rank test has no p without pairs, and p = 1 for equal pairs', () => {
  expect(signedRankTest([])).toEqual({n: 0, w: 0, p: null});
  expect(signedRankTest([0, 0])).toEqual({n: 0, w: 0, p: 1});
  // all sixteen differences are above 0: 2 / 2^16
  expect(signedRankTest(Array.from({length: 16}, (_, i) => i + 1)).p).toBe(2 / 65536);
});

describe('the bootstrap of the median', () => {
  test('has the 2.5 % and 97.5 % quantiles of the medians of all samples that can be drawn', () => {
    const six = fc.array(fc.integer({min: 0, max: 20}), {minLength: 6, maxLength: 6});
    fc.assert(
      fc.property(six, values => {
        const sorted = values.toSorted((a, b) => a - b);
        const medians = allMedians(sorted);
        const at = (share: number) => medians[Math.ceil(share * medians.length - 1e-6) - 1];
        expect(medianBootstrap(sorted)).toEqual([at(0.025), at(0.975)]);
      }),
      {numRuns: 3},
    );
  });

  test('is null for fewer than six values, and near the normal approximation for very many', () => {
    expect(medianBootstrap([1, 2, 3, 4, 5])).toBeNull();
    const many = Array.from({length: 100_000}, (_, i) => i);
    // median ± 1.96 · √n / 2 = 49,999.5 ± 309.9
    for (const [i, bound] of (medianBootstrap(many) ?? []).entries()) {
      expect(Math.abs(bound - (i === 0 ? 49_689.6 : 50_309.4))).toBeLessThan(2);
    }
  });
});

/** The medians of all n^n samples with repetition. */
function allMedians(sorted: readonly number[]): readonly number[] {
  const n = sorted.length;
  return Array.from({length: n ** n}, (_, code) => {
    const drawn = Array.from({length: n}, (_, i) => Math.floor(code / n ** i) % n).sort((a, b) => a - b);
    const [low, high] = [sorted[drawn[(n - 1) >> 1] ?? 0] ?? 0, sorted[drawn[n >> 1] ?? 0] ?? 0];
    return (low + high) / 2;
  }).sort((a, b) => a - b);
}

test('Holm’s correction multiplies each p by the number of remaining tests, and keeps their order', () => {
  // in ascending order 0.005 · 4, 0.01 · 3, 0.03 · 2; 0.04 · 1 is below 0.06, so it becomes 0.06
  expect(holm([0.01, 0.04, null, 0.03, 0.005])).toEqual([0.03, 0.06, null, 0.06, 0.02]);
  expect(holm([0.9, 0.8])).toEqual([1, 1]);
});
