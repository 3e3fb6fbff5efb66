import {describe, expect, test} from 'vitest';
import type {Measured} from './measured.ts';
import {claimVerdict, judgeMean, judgeOneRun, judgeOrder} from './verdict.ts';

function of(value: number | null, half: number | null, n = 50): Measured {
  return {value, half, n, runs: 50};
}

describe('a number', () => {
  test('agrees where the paper’s, widened by 15 %, meets our interval', () => {
    expect(judgeMean(of(6, 0), [6, 6])).toEqual({verdict: 'agrees', size: ''});
    // 6 · 0.85 = 5.1, 6 · 1.15 = 6.9
    expect(judgeMean(of(4.2, 1), [6, 6]).verdict).toBe('agrees');
    expect(judgeMean(of(7.8, 1), [6, 6]).verdict).toBe('agrees');
  });

  test('differs beyond, by what the mean is away from the nearer end of theirs', () => {
    expect(judgeMean(of(4, 1), [6, 8], 's')).toEqual({verdict: 'differs', size: '2.00 s less (× 0.667)'});
    expect(judgeMean(of(12, 1), [6, 8], 's')).toEqual({verdict: 'differs', size: '4.00 s more (× 1.50)'});
  });

  test('on the other side of 0 is no multiple of theirs', () => {
    expect(judgeMean(of(-2, 1), [6, 6], 's')).toEqual({verdict: 'differs', size: '8.00 s less'});
  });

  test('below 0 is widened away from it', () => {
    expect([-6.8, -7].map(value => judgeMean(of(value, 0), [-6, -6]).verdict)).toEqual(['agrees', 'differs']);
    expect([-5.2, -5].map(value => judgeMean(of(value, 0), [-6, -6]).verdict)).toEqual(['agrees', 'differs']);
  });

  test('is open where it meets an interval whose half is more than a quarter of theirs', () => {
    expect(judgeMean(of(6, 1.5), [6, 6]).verdict).toBe('agrees');
    expect(judgeMean(of(6, 1.6), [6, 6])).toEqual({
      verdict: 'open',
      size: 'our interval is ± 1.60: more seeds can tell',
    });
    // of a range the larger end counts
    expect(judgeMean(of(6, 3), [6, 15]).verdict).toBe('agrees');
    // an interval as wide that does not meet it tells
    expect(judgeMean(of(20, 10), [6, 6]).verdict).toBe('differs');
  });

  test('is open without a complete run, and without an interval', () => {
    expect(judgeMean(of(null, null, 0), [6, 6])).toEqual({verdict: 'open', size: 'no run is complete'});
    expect(judgeMean(of(6, null, 1), [6, 6]).verdict).toBe('open');
  });
});

describe('an order', () => {
  test('agrees above 0, differs below, is open around it', () => {
    expect(judgeOrder(of(1, 0.9), 's')).toEqual({verdict: 'agrees', size: ''});
    expect(judgeOrder(of(-1, 0.9), 's')).toEqual({verdict: 'differs', size: 'by 1.00 s the other way'});
    expect([of(1, 1.1), of(-1, 1.1)].map(ours => judgeOrder(ours))).toEqual([
      {verdict: 'open', size: 'the interval holds 0'},
      {verdict: 'open', size: 'the interval holds 0'},
    ]);
  });

  test('is open of two that are equal, without a complete run and without an interval', () => {
    expect(judgeOrder(of(0, 0))).toEqual({verdict: 'open', size: 'they are equal'});
    // less than half a thousandth
    expect(judgeOrder(of(-0.0004, 0))).toEqual({verdict: 'open', size: 'they are equal'});
    expect([of(null, null), of(1, null)].map(ours => judgeOrder(ours).verdict)).toEqual(['open', 'open']);
  });
});

describe('what is told of one run', () => {
  test('agrees unless less than 2.5 % of ours come to as much, or to as little', () => {
    const judge = (above: number, below: number) => judgeOneRun(of(above, 0), of(below, 0));
    expect(judge(0.5, 0.5)).toEqual({verdict: 'agrees', size: ''});
    expect([judge(0.025, 1), judge(1, 0.025)].map(({verdict}) => verdict)).toEqual(['agrees', 'agrees']);
    expect(judge(0.02, 1)).toEqual({verdict: 'differs', size: '2.00 % of our runs have as much'});
    expect(judge(1, 0)).toEqual({verdict: 'differs', size: '0 % of our runs have as little'});
  });

  test('is open of no complete run, and of a single one', () => {
    expect(judgeOneRun(of(null, null, 0), of(null, null, 0)).verdict).toBe('open');
    expect(judgeOneRun(of(1, null, 1), of(1, null, 1)).verdict).toBe('open');
  });
});

test.each([
  ['differs', ['agrees', 'agrees', 'agrees', 'differs', 'open']],
  ['agrees', ['agrees', 'agrees', 'open']],
  ['open', ['agrees', 'open']],
  ['open', ['open']],
  ['open', []],
] as const)('a claim %s with rows that are %j', (verdict, rows) => {
  expect(claimVerdict(rows.map(each => ({verdict: each})))).toBe(verdict);
});

test('an order of what is as good as equal is open', () => {
  expect(judgeOrder(of(0.009, 0.001), 's', 0.01)).toEqual({
    verdict: 'open',
    size: 'they are equal within 1 %',
  });
  expect(judgeOrder(of(-0.009, 0), 's', 0.01).verdict).toBe('open');
  expect(judgeOrder(of(0.011, 0.001), 's', 0.01).verdict).toBe('agrees');
});
