import {expect, test} from 'vitest';
import {layOutChart} from './chart.ts';
import {chartText, rowText} from './chartText.ts';
import {measuresOf} from './measures.ts';
import {middleOf} from './middle.ts';
import {verdict} from './seedVerdict.ts';
import {someRows} from './testing/someRows.ts';

const NEVER = Number.POSITIVE_INFINITY;

test.each([
  [[null, 3, 1, 2], {q1: 1.75, median: 2.5, q3: NEVER}],
  [[1, 2, 3, 4, null], {q1: 2, median: 3, q3: 4}],
  [[1, 2, null, null], {q1: 1.75, median: NEVER, q3: NEVER}],
  [[1, null, null, null], {q1: NEVER, median: NEVER, q3: NEVER}],
])('a run without the event counts as later than any time: %j', (times, middle) => {
  expect(middleOf(times)).toEqual({...middle, interval: null});
});

test('the interval of the median, too, counts a run without the event as later than any time', () => {
  // with seven values, the interval is from the first to the last
  expect(middleOf([1, 2, 3, 4, 5, 6, null])?.interval).toEqual([1, NEVER]);
  expect(middleOf([])).toBeNull();
});

test('verdict and chart show the same median', () => {
  const rows = someRows([1000, 500], [null, 600], [null, 700], [null, 800]);
  const [measure] = measuresOf(rows, 0, 'first-request');
  const [shown] = rows;
  if (measure === undefined || shown === undefined) throw new Error('T and a run are always there');
  const names = ['TCP', 'SCTP'];
  const size = {width: 600, height: 300, fontPx: 13};
  const chart = layOutChart(rows, shown, measure, size);
  expect(chart.rows.map(row => rowText(row))).toEqual(['median never, 3 never', 'median 0.7 s']);
  expect(chartText(chart, names, measure)).toBe(
    'whole page, T from the first request; TCP: median never of 4 runs; SCTP: median 0.7 s of 4 runs',
  );
  expect(verdict(rows, names, measure)).toContain('median never against 0.7 s');
  const none = layOutChart([], shown, measure, size);
  expect(none.rows.map(row => rowText(row))).toEqual(['', '']);
  expect(chartText(none, names, measure)).toBe('whole page, T from the first request; TCP: 0 runs; SCTP: 0 runs');
});
