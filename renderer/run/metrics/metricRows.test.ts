import {expect, test} from 'vitest';
import {measure} from '../../../app/run/metrics/metrics.ts';
import {smallTrace} from '../../../app/run/trace/testing/smallTrace.ts';
import {metricRows} from './metricRows.ts';

const whole = measure(smallTrace());
const partial = measure({...smallTrace(), outcome: 'partial', reason: '1 of 2 objects failed'});

test('a time has the event from which it is measured, and a count has none', () => {
  const froms = metricRows([whole], 'first-request', [null]).map(({name, from}) => [name, from]);
  expect(froms).toEqual(
    expect.arrayContaining([
      ['set-up', 'navigation'],
      ['page time T', 'first request'],
      ['25 %Page', 'first request'],
      ['100 %Ren', 'second request'],
      ['packets', ''],
    ]),
  );
});

test('visual metrics have values if they are known, otherwise dashes', () => {
  const seen = {
    recognisableMs: 11_700,
    goodMs: null,
    speedIndexMs: 8300,
    visuallyCompleteMs: {85: 10_000, 100: 20_000},
  };
  const cells = (name: string) =>
    metricRows([whole, whole], 'first-request', [seen, {...seen, recognisableMs: 23_400}])
      .find(row => row.name === name)
      ?.cells.map(({text, ratio}) => `${text} ${ratio}`.trim());
  expect(cells('recognisable')).toEqual(['11.70 s', '23.40 s × 2.00']);
  expect(cells('good')).toEqual(['–', '–']);
  expect(cells('Speed Index')).toEqual(['8.30 s', '8.30 s × 1.00']);
  expect(cells('visually 85 %')?.[0]).toBe('10.00 s');
  expect(cells('visually 100 %')?.[0]).toBe('20.00 s');
  const unknown = metricRows([whole], 'first-request', [null]).find(({name}) => name === 'recognisable');
  expect(unknown?.cells[0]?.text).toBe('–');
});

test('an incomplete pane has no page times, and no ratio in either direction', () => {
  const cells = (name: string, panes = [whole, partial]) =>
    metricRows(panes, 'first-request', [null, null])
      .find(row => row.name === name)
      ?.cells.map(({text, ratio}) => [text, ratio]);
  expect(cells('page time T')).toEqual([
    ['0.06 s', ''],
    ['–', ''],
  ]);
  expect(cells('packets')).toEqual([
    ['6', ''],
    ['6', ''],
  ]);
  expect(cells('packets', [partial, whole])?.[1]).toEqual(['6', '']);
  expect(cells('packets', [whole, whole])?.[1]).toEqual(['6', '× 1.00']);
});

test('the row of predictions follows the row of T if there are predictions', () => {
  const predicted = {ok: true, completeMs: 30_000, pageTimeMs: 29_000} as const;
  const rows = metricRows([whole, whole], 'first-request', [null, null], [predicted, {ok: false, reason: 'none'}]);
  const place = rows.findIndex(({name}) => name === 'model T (L06)');
  expect(rows[place - 1]?.name).toBe('page time T');
  expect(rows[place]?.cells).toEqual([
    {text: '29.00 s', ratio: ''},
    {text: '–', ratio: ''},
  ]);
  expect(metricRows([whole], 'first-request', [null]).map(({name}) => name)).not.toContain('model T (L06)');
});
