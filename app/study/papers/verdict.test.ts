import {describe, expect, test} from 'vitest';
import type {Measured} from './measured.ts';
import {
  claimVerdict,
  type Judgement,
  judgeEqual,
  judgeMean,
  judgeOneRun,
  judgeOrder,
  judgeTogether,
} from './verdict.ts';

function of(value: number | null, half: number | null, n = 50): Measured {
  return {value, half, n, runs: 50};
}

/** The judgement without its p-value. */
function withoutP({verdict, size}: Judgement) {
  return {verdict, size};
}

describe('a number', () => {
  test('agrees if our interval lies inside the paper’s range, widened by 15 %', () => {
    expect(withoutP(judgeMean(of(6, 0), [6, 6]))).toEqual({verdict: 'agrees', size: ''});
    // 6 · 0.85 = 5.1, 6 · 1.15 = 6.9
    expect(judgeMean(of(6, 0.9), [6, 6]).verdict).toBe('agrees');
    expect(judgeMean(of(5.6, 0.5), [6, 6]).verdict).toBe('agrees');
    expect(judgeMean(of(7, 1.8), [6, 8]).verdict).toBe('agrees');
  });

  test('is open if the interval reaches beyond the range on either side', () => {
    const open = {verdict: 'open', size: 'our interval is ± 1.00: more seeds can decide'};
    expect(withoutP(judgeMean(of(6, 1), [6, 6]))).toEqual(open);
    expect(withoutP(judgeMean(of(4.2, 1), [6, 6]))).toEqual(open);
    expect(withoutP(judgeMean(of(7.8, 1), [6, 6]))).toEqual(open);
    // 3.89 ± 1.30 beside 6: an interval that does not exclude the paper's number need not agree with it
    expect(judgeMean(of(3.89, 1.3), [6, 6]).verdict).toBe('open');
  });

  test('differs if interval and range do not overlap; the size is how far our mean is from the nearer end', () => {
    expect(withoutP(judgeMean(of(4, 1), [6, 8], 's'))).toEqual({
      verdict: 'differs',
      size: '2.00 s less (× 0.667)',
    });
    expect(withoutP(judgeMean(of(12, 1), [6, 8], 's'))).toEqual({
      verdict: 'differs',
      size: '4.00 s more (× 1.50)',
    });
  });

  test('is not reported as a multiple of the paper’s number if the two have different signs', () => {
    expect(withoutP(judgeMean(of(-2, 1), [6, 6], 's'))).toEqual({verdict: 'differs', size: '8.00 s less'});
  });

  test('is compared with a range that is widened on both sides, even if the paper’s number is negative', () => {
    expect([-6.8, -7].map(value => judgeMean(of(value, 0), [-6, -6]).verdict)).toEqual(['agrees', 'differs']);
    expect([-5.2, -5].map(value => judgeMean(of(value, 0), [-6, -6]).verdict)).toEqual(['agrees', 'differs']);
  });

  test('has a p-value by Student’s t, counted from the edge of the widened range', () => {
    expect(judgeMean(of(6, 1), [6, 6]).p).toBe(1);
    // 4.1 and 7.9 are one half-width away from the ends of the widened range, 5.1 and 6.9
    expect(judgeMean(of(4.1, 1), [6, 6]).p).toBeCloseTo(0.05, 10);
    expect(judgeMean(of(7.9, 1), [6, 6]).p).toBeCloseTo(0.05, 10);
    expect(judgeMean(of(4, 0), [6, 6]).p).toBe(0);
  });

  test('is open if no run is complete, or if there is no interval', () => {
    expect(judgeMean(of(null, null, 0), [6, 6])).toEqual({verdict: 'open', size: 'no run is complete', p: null});
    expect(judgeMean(of(6, null, 1), [6, 6]).verdict).toBe('open');
  });
});

describe('an order', () => {
  test('agrees above 0, differs below 0, and is open if the interval includes 0', () => {
    expect(withoutP(judgeOrder(of(1, 0.9), 's'))).toEqual({verdict: 'agrees', size: ''});
    expect(withoutP(judgeOrder(of(-1, 0.9), 's'))).toEqual({
      verdict: 'differs',
      size: 'by 1.00 s in the other direction',
    });
    expect([of(1, 1.1), of(-1, 1.1)].map(ours => withoutP(judgeOrder(ours)))).toEqual([
      {verdict: 'open', size: 'our interval includes 0'},
      {verdict: 'open', size: 'our interval includes 0'},
    ]);
  });

  test('is open if both times are equal, if no run is complete, or if there is no interval', () => {
    expect(withoutP(judgeOrder(of(0, 0)))).toEqual({verdict: 'open', size: 'both are equal'});
    // numbers below half a thousandth are printed as 0
    expect(withoutP(judgeOrder(of(-0.0004, 0)))).toEqual({verdict: 'open', size: 'both are equal'});
    expect([of(null, null), of(1, null)].map(ours => judgeOrder(ours).verdict)).toEqual(['open', 'open']);
  });

  test('is open for times that are or may be practically equal', () => {
    const equal = {verdict: 'open', size: 'both are equal within 1 %'};
    expect(withoutP(judgeOrder(of(0.008, 0.001), 's', 0.01))).toEqual(equal);
    expect(withoutP(judgeOrder(of(-0.009, 0), 's', 0.01))).toEqual(equal);
    const open = {verdict: 'open', size: 'our interval includes differences below 1 %'};
    expect(withoutP(judgeOrder(of(0.011, 0.002), 's', 0.01))).toEqual(open);
    expect(withoutP(judgeOrder(of(-0.011, 0.002), 's', 0.01))).toEqual(open);
    expect(judgeOrder(of(0.013, 0.002), 's', 0.01).verdict).toBe('agrees');
    expect(judgeOrder(of(-0.013, 0.002), 's', 0.01).verdict).toBe('differs');
  });

  test('has a p-value by Student’s t', () => {
    expect(judgeOrder(of(1, 0.9)).p).toBe(1);
    expect(judgeOrder(of(-1, 1)).p).toBeCloseTo(0.05, 10);
    expect(judgeOrder(of(-0.03, 0.02), 's', 0.01).p).toBeCloseTo(0.05, 10);
  });
});

describe('equality', () => {
  test('agrees if the interval is inside the margin, differs if it is outside, and is open otherwise', () => {
    expect(withoutP(judgeEqual(of(-0.006, 0.003), 0.01, 's'))).toEqual({verdict: 'agrees', size: ''});
    expect(withoutP(judgeEqual(of(-0.02, 0.003), 0.01, 's'))).toEqual({verdict: 'differs', size: 'by 0.020 s'});
    expect(withoutP(judgeEqual(of(0.008, 0.003), 0.01, 's'))).toEqual({
      verdict: 'open',
      size: 'our interval includes differences above 1 %',
    });
    expect([of(null, null), of(0, null)].map(ours => judgeEqual(ours, 1).verdict)).toEqual(['open', 'open']);
    expect(judgeEqual(of(0.02, 0.01), 0.01).p).toBeCloseTo(0.05, 10);
  });
});

describe('a statement about a single run', () => {
  const judge = (above: number, below: number, n = 399) => judgeOneRun(of(above, 0, n), of(below, 0, n));

  test('agrees if 95 % of our runs show it; differs if fewer than 2.5 % reach at least or at most its value', () => {
    expect(judge(1, 1)).toEqual({verdict: 'agrees', size: '', p: 1});
    expect([judge(0.97, 0.98), judge(0.95, 0.99)].map(({verdict}) => verdict)).toEqual(['agrees', 'open']);
    expect(withoutP(judge(0.6, 0.7))).toEqual({
      verdict: 'open',
      size: '30.0 % of our runs have the same value: one run cannot decide',
    });
    expect([judge(0.025, 1), judge(1, 0.025)].map(({verdict}) => verdict)).toEqual(['open', 'open']);
    expect(withoutP(judge(0.02, 1))).toEqual({
      verdict: 'differs',
      size: '2.00 % of our runs reach at least this value',
    });
    // together with the paper's run these are 8.98 of 400 runs
    expect(judge(0.02, 1).p).toBeCloseTo(2 * 0.02245, 10);
    expect(judge(1, 0)).toEqual({verdict: 'differs', size: '0 % of our runs reach at most this value', p: 2 / 400});
  });

  test('is not excluded by a few runs, even if none of them shows it', () => {
    // with the paper's run, the shares are 1 of 13, 1 of 40 and 1 of 41
    expect([12, 39, 40].map(n => judge(0, 1, n).verdict)).toEqual(['open', 'open', 'differs']);
  });

  test('is open if none or only one of our runs is complete', () => {
    expect(judgeOneRun(of(null, null, 0), of(null, null, 0)).verdict).toBe('open');
    expect(judgeOneRun(of(1, null, 1), of(1, null, 1)).verdict).toBe('open');
  });
});

describe('a claim', () => {
  test.each([
    ['differs', ['agrees', 'agrees', 'agrees', 'differs', 'open']],
    ['agrees', ['agrees', 'agrees']],
    ['open', ['agrees', 'agrees', 'open']],
    ['open', ['open']],
    ['open', []],
  ] as const)('has the verdict ‘%s’ if its rows have the verdicts %j', (verdict, rows) => {
    expect(claimVerdict(rows.map(each => ({verdict: each})))).toBe(verdict);
  });

  const row = (verdict: Judgement['verdict'], p: number | null): Judgement => ({
    verdict,
    size: '1 s more',
    p,
  });

  test('is open if only one of many rows differs, and its p-value is too large for that many rows', () => {
    const rows = [row('differs', 0.01), row('agrees', 1), row('agrees', 1), row('open', 0.5)];
    expect(judgeTogether(rows)).toEqual(rows);
    const more = [...rows, row('agrees', 1)];
    expect(judgeTogether(more)[0]).toEqual({
      verdict: 'open',
      size: '1 s more; with 5 rows this may be due to chance',
      p: 0.01,
    });
    expect(judgeTogether(more).slice(1)).toEqual(more.slice(1));
  });

  test('differs if the p-value of a row is 0, however many rows there are', () => {
    const rows = [row('differs', 0), ...Array.from({length: 100}, () => row('agrees', 1))];
    expect(judgeTogether(rows)).toEqual(rows);
  });

  test('does not count rows without a test in the correction', () => {
    const rows = [row('differs', 0.02), row('open', null), row('open', null), row('agrees', 1)];
    expect(judgeTogether(rows)[0]?.verdict).toBe('differs');
  });
});
