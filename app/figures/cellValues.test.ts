import {expect, test} from 'vitest';
import {METRICS} from '../experiment/metricList.ts';
import type {RunRow} from '../experiment/row.ts';
import {cellValues, mainMetric} from './cellValues.ts';
import {gridOf, LOSS_GRID} from './goldens/models.ts';

const metrics = METRICS.filter(({name}) => name === 'pageTimeMs' || name === 'silentMs');

test('values are of the runs that are complete, also where others have one', () => {
  const runs: readonly RunRow[] = [
    {run: 0, panes: [{outcome: 'complete', reason: null, values: [900, 30]}]},
    {run: 1, panes: [{outcome: 'time-limit', reason: 'limit', values: [null, 5000]}]},
    {run: 2, panes: [{outcome: 'complete', reason: null, values: [800, 20]}]},
  ];
  const grid = gridOf({...LOSS_GRID, seeds: '1-3'});
  const of = (metric: number) => cellValues(grid, 0, runs, metrics, metric).panes[0];
  expect(of(0)).toEqual({sorted: [800, 900], n: 2, runs: 3, limitMs: 30_000});
  // silent time is no time until something: what is not complete counts as nothing
  expect(of(1)).toEqual({sorted: [20, 30], n: 2, runs: 3, limitMs: null});
});

test('of many some are kept, evenly spread, the first and the last among them', () => {
  const runs = Array.from({length: 999}, (_, i): RunRow => {
    return {run: i, panes: [{outcome: 'complete', reason: null, values: [999 - i, 0]}]};
  });
  const [pane] = cellValues(gridOf({...LOSS_GRID, seeds: '1-999'}), 0, runs, metrics, 0).panes;
  expect(pane?.n).toBe(999);
  expect(pane?.sorted).toHaveLength(200);
  expect([pane?.sorted[0], pane?.sorted[100], pane?.sorted.at(-1)]).toEqual([1, 503, 999]);
});

test('the main metric is page time, else the first time until something, else the first', () => {
  const named = (...names: readonly string[]) => METRICS.filter(({name}) => names.includes(name));
  expect(mainMetric(named('setupMs', 'pageTimeMs', 'silentMs'))).toBe(1);
  expect(mainMetric(named('lostDown', 'p50PageMs', 'silentMs'))).toBe(0);
  expect(mainMetric([...named('lostDown'), ...named('p50PageMs')])).toBe(1);
  expect(mainMetric(named('lostDown', 'silentMs'))).toBe(0);
});
