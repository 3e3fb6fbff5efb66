import {expect, test} from 'vitest';
import {HEADLINES} from '../../run/metrics/clock.ts';
import {METRICS} from '../experiment/metricList.ts';
import type {RunRow} from '../experiment/row.ts';
import {summariseCell} from '../experiment/summary.ts';
import {cellValues, mainMetric} from './cellValues.ts';
import {gridOf, LOSS_GRID} from './testing/grids.ts';

const metrics = METRICS.filter(({name}) => name === 'pageTimeMs' || name === 'silentMs');

const DONE = (pageTimeMs: number, silentMs: number) =>
  ({outcome: 'complete', reason: null, values: [pageTimeMs, silentMs]}) as const;

test('steps count complete runs only, and in boxes of a time an incomplete run counts as the time limit', () => {
  const runs: readonly RunRow[] = [
    {run: 0, panes: [DONE(900, 30)]},
    {run: 1, panes: [{outcome: 'time-limit', reason: 'limit', values: [null, 5000]}]},
    {run: 2, panes: [DONE(800, 20)]},
  ];
  const grid = gridOf({...LOSS_GRID, seeds: '1-3'});
  const of = (metric: number) => cellValues(grid, 0, runs, metrics, metric).panes[0];
  expect(of(0)?.steps).toEqual([
    {value: 800, count: 1},
    {value: 900, count: 2},
  ]);
  expect(of(0)).toMatchObject({n: 2, runs: 3, box: {q1: 850, median: 900, q3: 15_450, medianInterval: null}});
  // silent time is not the time of an event, so incomplete runs are left out
  expect(of(1)).toMatchObject({n: 2, runs: 3, box: {median: 25}, steps: [{value: 20}, {value: 30}]});
  expect(cellValues(grid, 0, runs.slice(1, 2), metrics, 1).panes[0]).toMatchObject({
    n: 0,
    steps: [],
    box: null,
  });
});

test('in boxes, an incomplete run counts with the time of the event if it happened, as in restricted means', () => {
  const runs: readonly RunRow[] = [
    {run: 0, panes: [{outcome: 'complete', reason: null, values: [100]}]},
    {run: 1, panes: [{outcome: 'time-limit', reason: 'limit', values: [300]}]},
    {run: 2, panes: [{outcome: 'time-limit', reason: 'limit', values: [null]}]},
    // a complete load without the event cannot have it later
    {run: 3, panes: [{outcome: 'complete', reason: null, values: [null]}]},
  ];
  const grid = gridOf({...LOSS_GRID, seeds: '1-4'});
  const setUp = METRICS.filter(({name}) => name === 'setupMs');
  const box = cellValues(grid, 0, runs, setUp, 0).panes[0]?.box;
  const summary = summariseCell(grid, 0, runs, setUp).panes[0]?.metrics['setupMs']?.restricted;
  expect(box).toMatchObject({q1: 200, median: 300, q3: 15_150});
  expect(summary).toMatchObject({n: 3, mean: (100 + 300 + 30_000) / 3});
});

test('only some of many steps are kept, including the first and the last, but boxes are over all runs', () => {
  const runs = Array.from({length: 999}, (_, i): RunRow => ({run: i, panes: [DONE(999 - i, 0)]}));
  const [pane] = cellValues(gridOf({...LOSS_GRID, seeds: '1-999'}), 0, runs, metrics, 0).panes;
  expect(pane?.n).toBe(999);
  expect(pane?.steps).toHaveLength(200);
  expect([0, 100, 199].map(i => pane?.steps[i])).toEqual([
    {value: 1, count: 1},
    {value: 503, count: 503},
    {value: 999, count: 999},
  ]);
  expect(pane?.box).toMatchObject({q1: 250.5, median: 500, q3: 749.5});
  expect(pane?.box?.low).toBeCloseTo(50.9);
  expect(pane?.box?.high).toBeCloseTo(949.1);
  expect(pane?.box?.medianInterval?.[0]).toBeCloseTo(500 - 31, -1);
});

test('the main metric is the page time, else the first metric that is a time, else the first metric', () => {
  const named = (...names: readonly string[]) => METRICS.filter(({name}) => names.includes(name));
  expect(mainMetric(named('setupMs', 'pageTimeMs', 'silentMs'), HEADLINES['first-request'])).toBe(1);
  expect(mainMetric(named('lostDown', 'p50PageMs', 'silentMs'), HEADLINES['first-request'])).toBe(0);
  expect(mainMetric([...named('lostDown'), ...named('p50PageMs')], HEADLINES['first-request'])).toBe(1);
  expect(mainMetric(named('lostDown', 'silentMs'), HEADLINES['first-request'])).toBe(0);
});
