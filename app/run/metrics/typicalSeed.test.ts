import fc from 'fast-check';
import {describe, expect, test} from 'vitest';
import {smallTrace} from '../trace/testing/smallTrace.ts';
import {measure} from './metrics.ts';
import {figuresOf, findTypical, type SeedFigures, timesOf} from './typicalSeed.ts';

/** One row for each seed: the time of each pane, or null for an incomplete run. */
function runs(rows: {readonly [seed: number]: readonly (number | null)[]}): readonly SeedFigures[] {
  return Object.entries(rows).map(([seed, times]) => ({
    seed: Number(seed),
    panes: times.map(pageTimeMs => (pageTimeMs === null ? null : {pageTimeMs})),
  }));
}

describe('the typical seed', () => {
  test('is the seed nearest to the medians of all panes, measured in interquartile ranges', () => {
    // Pane 1: q1 20, median 30, q3 40. Pane 2: q1 200, median 300, q3 400.
    const typical = findTypical(runs({1: [10, 300], 2: [20, 500], 3: [30, 200], 4: [40, 400], 5: [50, 100]}));
    // Seed 3: 0² + (−100 / 200)². Seed 4: (10 / 20)² + (100 / 200)².
    expect(typical).toEqual({
      seed: 3,
      seeds: 5,
      complete: 5,
      isInside: true,
      distance: 0.25,
      panes: [
        {pageTimeMs: {value: 30, q1: 20, median: 30, q3: 40}},
        {pageTimeMs: {value: 200, q1: 200, median: 300, q3: 400}},
      ],
    });
  });

  test('lies within all quartiles if any seed does, even if a seed outside them is nearer', () => {
    // The quartiles of both panes are −10 and 10. Seed 1 is nearer, by 0.25, but above q3 in its second pane.
    const all = runs({1: [0, 10.001], 2: [-10, -10], 3: [20, 0], 4: [-20, 10], 5: [10, -50]});
    expect(findTypical(all)).toMatchObject({seed: 2, isInside: true, distance: 0.5});
  });

  test('is the nearest seed if no seed lies within all quartiles, and isInside is false', () => {
    const typical = findTypical(runs({1: [0, 50], 2: [50, 0], 3: [100, 50], 4: [50, 100]}));
    // q1 37.5, q3 62.5: every seed is outside the quartiles in one pane, and all are equally near.
    expect(typical).toMatchObject({seed: 1, isInside: false, distance: 4});
  });

  test('is complete in every pane; the other seeds only count in `seeds`', () => {
    const typical = findTypical(runs({1: [20, null], 2: [10, 10], 3: [20, 20], 4: [30, 30], 5: [null, null]}));
    expect(typical).toMatchObject({seed: 3, seeds: 5, complete: 3});
    expect(findTypical(runs({1: [null], 2: [null]}))).toBeNull();
    expect(findTypical([])).toBeNull();
    // A complete load of nothing: no object of the page can be loaded.
    expect(findTypical([{seed: 1, panes: [{pageTimeMs: null}]}])).toBeNull();
  });

  test('considers the Speed Index if any run has one', () => {
    const seen = (speedIndexMs: number | null) => ({
      recognisableMs: null,
      goodMs: null,
      visuallyCompleteMs: {85: null, 100: null},
      speedIndexMs,
    });
    const times = {pageTimeMs: 20};
    const of = (...indices: readonly (number | null)[]) =>
      figuresOf(indices.map((ms, i) => ({seed: i + 1, panes: [{times, visual: seen(ms)}]})));
    expect(findTypical(of(10, 30, 90))).toMatchObject({seed: 2, panes: [{speedIndexMs: {value: 30}}]});
    // A seed without the value is excluded. If no seed has it, the page shows nothing.
    expect(findTypical(of(10, null, 10))).toMatchObject({seeds: 3, complete: 2});
    expect(findTypical(of(null, null))).toMatchObject({complete: 2, panes: [{pageTimeMs: {value: 20}}]});
    expect(figuresOf([{seed: 1, panes: [{times: null, visual: seen(3)}, {times}]}])).toEqual([
      {seed: 1, panes: [null, {pageTimeMs: 20, speedIndexMs: null}]},
    ]);
  });

  test('is the smallest seed if all values are equal; if most are equal, the range is the unit of distance', () => {
    expect(findTypical(runs({7: [5], 3: [5], 4: [5]}))).toMatchObject({seed: 3, distance: 0, isInside: true});
    const mostly = runs({1: [9, 10], 2: [5, 20], 3: [5, 20], 4: [5, 20], 5: [5, 20], 6: [5, 60]});
    expect(findTypical(mostly)).toMatchObject({seed: 2, distance: 0});
    const three = runs({1: [9, 30, 30], 2: [5, 10, 20], 3: [5, 50, 40], 4: [5, 20, 10], 5: [5, 40, 50]});
    expect(findTypical(three)).toMatchObject({seed: 1, distance: 1, isInside: false});
  });

  const times = fc.array(fc.tuple(fc.integer({min: 1, max: 50}), fc.option(fc.integer({min: 1, max: 50}), {freq: 9})), {
    minLength: 1,
    maxLength: 40,
  });

  test('does not depend on the order of the seeds, and no other seed is nearer', () => {
    fc.assert(
      fc.property(times, rows => {
        const all = runs(Object.fromEntries(rows.map((row, seed) => [seed, row])));
        const typical = findTypical(all);
        expect(findTypical([...all].reverse())).toEqual(typical);
        const complete = all.filter(({panes}) => panes.every(pane => pane !== null));
        expect(typical?.complete ?? 0).toBe(complete.length);
        if (typical === null) return;
        const figures = typical.panes.map(pane => pane['pageTimeMs']);
        const own = complete.map(({seed, panes}) => {
          const places = panes.map((pane, i) => {
            const {q1 = 0, median = 0, q3 = 0} = figures[i] ?? {};
            const value = pane?.['pageTimeMs'] ?? 0;
            return {isIn: value >= q1 && value <= q3, far: q3 > q1 ? ((value - median) / (q3 - q1)) ** 2 : 0};
          });
          const isDegenerate = figures.some(figure => figure?.q1 === figure?.q3);
          const distance = places.reduce((sum, {far}) => sum + far, 0);
          return {seed, isIn: places.every(({isIn}) => isIn), distance, isDegenerate};
        });
        const inside = own.filter(({isIn}) => isIn);
        expect(typical.isInside).toBe(inside.length > 0);
        if (own[0]?.isDegenerate) return;
        const [nearest] = (inside.length > 0 ? inside : own).sort((a, b) => a.distance - b.distance || a.seed - b.seed);
        expect(typical).toMatchObject({seed: nearest?.seed, distance: nearest?.distance});
      }),
    );
  });
});

test('T and the page’s 25, 50 and 75 % are compared, for complete panes', () => {
  const metrics = measure(smallTrace());
  expect(timesOf(metrics, 'first-request')).toEqual({pageTimeMs: 60, p25PageMs: 20, p50PageMs: 60, p75PageMs: 60});
  expect(timesOf({...metrics, outcome: 'aborted'}, 'navigation')).toBeNull();
});
