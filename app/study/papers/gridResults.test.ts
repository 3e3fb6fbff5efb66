import {expect, test} from 'vitest';
import {l06} from './l06.ts';
import {toyResults} from './testing/toyResults.ts';

const results = toyResults(l06, (_, __, pane) => ({mean: 100 * pane, half: pane}));

test('values of axes must identify exactly one cell', () => {
  expect(results.at('table-3', {'path.rttMs': 80}).axes).toEqual({'path.rttMs': 80});
  expect(() => results.at('table-3', {})).toThrow('table-3 has several cells at {}');
  expect(() => results.at('table-3', {'path.rttMs': 81})).toThrow('table-3 has no cells at {"path.rttMs":81}');
  expect(() => results.at('table-5', {})).toThrow(/^no grid table-5 \(there are table-2, /);
  expect(() => results.figure('table-3', 'x')).toThrow(/^no figure x of table-3/);
});

test('panes are numbered from 1 and can be compared in either order', () => {
  const cell = results.at('table-3', {'path.rttMs': 80});
  expect(cell.mean(2, 'pageTimeMs')).toEqual({value: 200, half: 2, n: 100, runs: 100});
  expect(cell.difference(1, 2, 'pageTimeMs')).toEqual({value: -100, half: 1, n: 100, runs: 100});
  expect(cell.difference(2, 1, 'pageTimeMs')).toEqual({value: 100, half: 1, n: 100, runs: 100});
  expect(cell.ratio(2, 1, 'pageTimeMs').value).toBe(2);
  expect(() => cell.mean(5, 'pageTimeMs')).toThrow(/has no pageTimeMs of pane 5$/);
  expect(() => cell.difference(1, 2, 'x')).toThrow(/has no x of panes 1 and 2$/);
});
