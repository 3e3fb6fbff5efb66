import {expect, test} from 'vitest';
import {WHOLE} from '../../../app/study/experiment/shard.ts';
import {compareCell, corrected} from '../../../app/study/experiment/summary.ts';
import {LOSS_GRID, runsOf, summaryOf} from '../../../app/study/figures/testing/grids.ts';
import {experimentContent} from './presentExperiment.ts';

const metrics = ['silentMs', 'pageTimeMs', 'lostDown'];
const summary = summaryOf({...LOSS_GRID, metrics});
const {grid, cells, values} = summary;
const identity = {grid, shard: WHOLE, pages: [], visual: null};
const comparisons = corrected(
  cells.flatMap(({cell}) => compareCell(grid, cell, runsOf(grid, cell, summary.metrics), summary.metrics)),
);

test('a report compares panes only in the metric that its figures show', () => {
  expect(new Set(comparisons.map(({metric}) => metric))).toEqual(new Set(metrics));
  const told = experimentContent(identity, '', {cells, values, comparisons, across: []});
  expect(told.metric).toBe('pageTimeMs');
  expect(told.comparisons).toHaveLength(cells.length);
  expect(new Set(told.comparisons.map(({metric}) => metric))).toEqual(new Set(['pageTimeMs']));
  expect(told.cells).toEqual(cells);
  expect(told.figures.length).toBeGreaterThan(0);
});

test('a report of too many cells, or without a metric, only says what was run', () => {
  const nothing = {cells: [], comparisons: [], across: [], figures: [], leftOut: 0};
  expect(experimentContent(identity, ' --visual', null)).toMatchObject({...nothing, options: ' --visual'});
  const none = {...identity, grid: {...grid, metrics: []}};
  expect(experimentContent(none, '', {cells, values, comparisons, across: []})).toMatchObject({
    ...nothing,
    metric: '',
  });
});
