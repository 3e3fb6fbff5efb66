import {expect, test} from 'vitest';
import {measure} from '../../app/metrics/metrics.ts';
import {smallTrace} from '../../app/trace/smallTrace.ts';
import {metricRows} from './rows.ts';

const whole = measure(smallTrace());
const partial = measure({...smallTrace(), outcome: 'partial', reason: '1 of 2 objects failed'});

test('every time says from when it counts', () => {
  const froms = metricRows([whole], [null]).map(({name, from}) => [name, from]);
  expect(froms).toEqual(
    expect.arrayContaining([
      ['set-up', 'first packet'],
      ['page time T', 'first GET'],
      ['25 %Page', 'first GET'],
      ['100 %Ren', 'second GET'],
      ['packets', ''],
    ]),
  );
});

test('a pane that is not complete has no times of the page, and no ratio on either side', () => {
  const cells = (name: string, panes = [whole, partial]) =>
    metricRows(panes, [null, null])
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
