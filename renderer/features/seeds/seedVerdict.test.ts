import fc from 'fast-check';
import {describe, expect, test} from 'vitest';
import type {SeedRow} from '../../../app/host/contract.ts';
import {measuresOf} from './measures.ts';
import {placeOf, verdict} from './seedVerdict.ts';
import {someRows} from './testing/someRows.ts';

const [pageTime] = measuresOf([], 0, 'first-request');
if (pageTime === undefined) throw new Error('T is always there');
const names = ['TCP', 'SCTP'];
const say = (rows: readonly SeedRow[], of = names) => verdict(rows, of, pageTime);
const times = (count: number, row: readonly (number | null)[]) => Array.from({length: count}, () => row);

describe('the verdict', () => {
  test('names the side that is first far more often than by chance, with the medians', () => {
    const rows = someRows(...times(71, [24_700, 11_900]), ...times(29, [20_000, 30_000]));
    expect(say(rows)).toBe('In 71 of 100 runs SCTP had the shorter page time T; median 11.9 s against 24.7 s.');
    const other = rows.map(row => ({...row, panes: [...row.panes].reverse()}));
    expect(say(other)).toBe('In 71 of 100 runs TCP had the shorter page time T; median 11.9 s against 24.7 s.');
  });

  test('names no side as better if chance could explain the difference', () => {
    // the sign test's p is 0.057 for 60 of 100 runs, and 0.035 for 61
    const even = someRows(...times(60, [10_000, 20_000]), ...times(40, [40_000, 30_000]));
    expect(say(even)).toBe(
      'Neither is clearly ahead: TCP had the shorter page time T in 60 of 100 runs, SCTP in 40; median 10.0 s against 20.0 s.',
    );
    const ahead = someRows(...times(61, [10_000, 20_000]), ...times(39, [40_000, 30_000]));
    expect(say(ahead)).toMatch(/^In 61 of 100 runs TCP had/);
  });

  test('counts a side without the event as slower, and reports ties and runs in which no side has the event', () => {
    const rows = someRows(...times(8, [null, 5000]), [null, null], [null, null], [7000, 7000]);
    expect(say(rows)).toBe(
      'In 8 of 11 runs SCTP had the shorter page time T; median 5.0 s against never. In 1 of these runs the first place was shared. ' +
        'In 2 of these runs no side has a value.',
    );
  });

  test('has the median of a single side, the number of wins of three sides, and is empty for a single run', () => {
    expect(say(someRows([3000], [4000], [9000]), ['TCP'])).toBe('Over 3 runs the median of TCP is 4.0 s.');
    expect(say(someRows([3000, 1000, 2000], [1000, 4000, 2000], [2000, 1000, 2000]), ['a', 'b', 'c'])).toBe(
      'Of 3 runs, b was first in 2 (median 1.0 s), a in 1 (median 2.0 s), the other in none.',
    );
    expect(say(someRows([1000, 1000, 1000], [2000, 2000, 2000]), ['a', 'b', 'c'])).toBe(
      'Of 2 runs, no side was first in any. In 2 of these runs the first place was shared.',
    );
    expect(say(someRows([3000, 1000]))).toBe('');
  });

  test('is symmetric: in both orders of the sides, it names the same side as better', () => {
    const row = fc.tuple(fc.option(fc.integer({min: 1, max: 9})), fc.option(fc.integer({min: 1, max: 9})));
    fc.assert(
      fc.property(fc.array(row, {minLength: 2, maxLength: 60}), drawn => {
        const ms = drawn.map(pair => pair.map(each => each && each * 1000));
        const there = say(someRows(...ms));
        const back = say(someRows(...ms.map(pair => [...pair].reverse())), ['SCTP', 'TCP']);
        const isSaid = (text: string) => /^In \d+ of/.test(text);
        expect(isSaid(back)).toBe(isSaid(there));
        if (isSaid(there)) expect(back).toBe(there);
      }),
    );
  });
});

test('the position of one run is the number of later runs', () => {
  const rows = someRows([1000, 4000], [2000, 3000], [3000, 2000], [4000, null]);
  expect(placeOf(rows, names, pageTime, rows[1] as SeedRow)).toBe(
    'Seed 2: TCP sooner than in 2 of 4, SCTP sooner than in 2 of 4.',
  );
  expect(placeOf(rows, names, pageTime, rows[3] as SeedRow)).toMatch(/SCTP never\.$/);
  expect(placeOf(rows.slice(0, 1), names, pageTime, rows[0] as SeedRow)).toBe('');
  expect(placeOf(rows, ['a', 'b', 'c'], pageTime, rows[0] as SeedRow)).toBe('');
});

test('the measures are those that the rows contain, visual ones first', () => {
  // recognisable, good, Speed Index, 85 % and 100 % visually complete
  const seen = someRows([3000]).map(row => ({
    ...row,
    panes: row.panes.map(pane => ({...pane, values: [...pane.values, 5, 6, 7, 8, 9]})),
  }));
  const of = (rows: readonly SeedRow[], pictures: number) =>
    measuresOf(rows, pictures, 'first-request').map(({title, pick}) => [title, pick(seen[0]?.panes[0] as never)]);
  expect(of(seen, 10)).toEqual([
    ['all ten pictures recognisable', 5],
    ['Speed Index', 7],
    ['whole page, T from the first request', 3000],
  ]);
  expect(of(seen, 0).map(([title]) => title)).toEqual(['Speed Index', 'whole page, T from the first request']);
  expect(of(someRows([3000]), 10).map(([title]) => title)).toEqual(['whole page, T from the first request']);
});

test('the whole page counts from navigation or from the first request, as the clock says', () => {
  const rows = someRows([3000, 1000]).map(row => {
    // finishMs is the last metric; the second side has a longer set-up, which T leaves out
    const panes = row.panes.map((pane, i) => ({...pane, values: pane.values.with(-1, i === 0 ? 3100 : 4000)}));
    return {...row, panes};
  });
  const measured = (clock: 'navigation' | 'first-request') =>
    measuresOf(rows, 0, clock).map(({title, pick}) => [title, ...(rows[0]?.panes ?? []).map(pick)]);
  expect(measured('navigation')).toEqual([['whole page, from navigation', 3100, 4000]]);
  expect(measured('first-request')).toEqual([['whole page, T from the first request', 3000, 1000]]);
});
