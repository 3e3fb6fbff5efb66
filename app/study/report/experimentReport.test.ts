import {expect, test} from 'vitest';
import {compareAcross} from '../experiment/across.ts';
import {parseGrid} from '../experiment/grid.ts';
import type {Identity} from '../experiment/identity.ts';
import {WHOLE} from '../experiment/shard.ts';
import {compareCell, corrected} from '../experiment/summary.ts';
import {gridFigures} from '../figures/gridFigures.ts';
import {LOSS_GRID, PROFILE_GRID, runsOf, summaryOf} from '../figures/testing/grids.ts';
import {type ExperimentContent, experimentReport} from './experimentReport.ts';
import type {ReportPart, ReportTable} from './report.ts';

function experimentOf(document: object, more: Partial<ExperimentContent> = {}): ExperimentContent {
  const summary = summaryOf(document);
  const {grid, metrics, cells} = summary;
  const identity: Identity = {grid, shard: WHOLE, pages: [['gallery', 'abcdef0123456789']], visual: null};
  const comparisons = cells.flatMap(({cell}) => compareCell(grid, cell, runsOf(grid, cell, metrics), metrics));
  return {
    identity,
    cells,
    options: ' --visual',
    mostCells: 5000,
    metric: 'pageTimeMs',
    leftOut: 0,
    comparisons: corrected(comparisons).filter(({metric}) => metric === 'pageTimeMs'),
    across: corrected([...compareAcross(grid, cell => runsOf(grid, cell, metrics), metrics)]).filter(
      ({metric}) => metric === 'pageTimeMs',
    ),
    figures: gridFigures(summary),
    ...more,
  };
}

test('a report says what was run, shows every figure once, and has a row for each cell and pane', () => {
  const {title, lead, sections} = experimentReport(experimentOf({...LOSS_GRID, name: 'Loss'}));
  expect(title).toBe('Loss');
  expect(lead).toEqual([
    'The experiment has 48 runs: 6 cells, each with the seeds 1-8.',
    '1 of 96 loads is not complete. Incomplete loads are listed below. In means of times, an incomplete load in which ' +
      'the time was not reached counts as the time limit.',
  ]);
  const parts = sections.flatMap(section => section.parts);
  const names = parts.flatMap(part => (part.kind === 'figure' ? [part.figure.name] : []));
  expect(names).toEqual(['page-time-t', 'ppage', 'pren', 'page-time-t-spread', 'page-time-t-distribution']);
  const [axes, numbers, leftOut] = tables(parts);
  expect(axes?.rows).toEqual([
    ['page.synthetic.objectBytes', 'page.synthetic.objectBytes', '3 KB, 15 KB'],
    ['path.loss', 'path.loss', '0 %, 1 %, 10 %'],
  ]);
  expect(numbers?.rows).toHaveLength(12);
  // All eight differences are 1 s. The seeds add 0.45 s in the mean. Eight differences of the same sign have p = 2 /
  // 2^8, which Holm's correction multiplies by the 6 cells.
  expect(numbers?.rows[1]).toEqual([
    '3 KB',
    '0 %',
    'SCTP classic, 10 streams',
    '8',
    '1.450',
    '0.205',
    '1.450',
    expect.stringMatching(/^1\.\d{3} to 1\.\d{3}$/),
    '8',
    '1.000',
    '0.000',
    '0.047',
  ]);
  expect(numbers?.rows[0]?.slice(-4)).toEqual(['', '', '', '']);
  expect(numbers?.rows[10]?.slice(2, 5)).toEqual(['TCP classic', '7 of 8', '≥ 14.60']);
  expect(leftOut?.rows).toEqual([
    ['15 KB, loss each way 10 %', '1 (TCP classic)', '1 of 8', 'time limit of 30 s reached', '8'],
  ]);
});

test('a report compares the points of an axis that chooses pipelines, with all else alike', () => {
  const axes = {'panes.0.pipeline': ['h2', 'h3'], 'path.loss': [0, 0.1]};
  const {sections} = experimentReport(experimentOf({...LOSS_GRID, axes}));
  const own = sections.find(({heading}) => heading.startsWith('Compared'));
  expect(own?.heading).toBe('Compared across panes.0.pipeline: page time T, s');
  const [table] = tables(own?.parts ?? []);
  // T of cell c is 2 (c + 1) s plus 0.1 s · seed. Eight differences of the same sign have p = 2 / 2^8, which Holm's
  // correction multiplies by the 2 comparisons.
  expect(table?.rows).toEqual([
    ['loss each way 0 %', 'h2 − h3', '1', '8', '-4.000', '0.000', '0.016'],
    ['loss each way 10 %', 'h2 − h3', '1', '7', '-4.000', '0.000', '0.016'],
  ]);
  const none = experimentReport(experimentOf(LOSS_GRID)).sections;
  expect(none.some(({heading}) => heading.startsWith('Compared'))).toBe(false);
});

test('a report has what is needed to repeat it: the command, the grid file and the time limit', () => {
  const {sections} = experimentReport(experimentOf({...LOSS_GRID, name: 'Loss'}));
  const [command, document, first] = sections[0]?.parts ?? [];
  expect(command).toEqual({
    kind: 'command',
    command: 'npx interleave experiment grid.json --out DIR --visual',
  });
  if (document?.kind !== 'document') throw new Error('the second part must be the grid');
  expect(parseGrid(JSON.parse(document.text))).toMatchObject({
    ok: true,
    grid: {name: 'Loss', seeds: [1, 2, 3, 4, 5, 6, 7, 8]},
  });
  expect(JSON.stringify(first)).toContain('its time limit is 30 s');
});

test('differences are against the first pane, and small p-values are shown as < 0.001', () => {
  const all = experimentOf(LOSS_GRID);
  const [first] = all.comparisons;
  if (first === undefined) throw new Error('panes are compared');
  const other = {...first, panes: [2, 2] as const, meanDifference: 9999};
  const {sections} = experimentReport({...all, comparisons: [{...first, pHolm: 0.0001}, other]});
  const [, numbers] = tables(sections.flatMap(({parts}) => parts));
  expect(numbers?.rows[1]?.slice(-3)).toEqual(['1.000', '0.000', '< 0.001']);
});

test('a heading is the common part of the titles of several groups', () => {
  const path = ['near: a', 'far'].map((label, i) => ({label, 'path.rttMs': i}));
  const {sections} = experimentReport(experimentOf({...LOSS_GRID, axes: {path, ...LOSS_GRID.axes}}));
  expect(sections.map(({heading}) => heading)).toContain('Page time T against loss each way');
  expect(sections.find(({heading}) => heading.startsWith('PPage'))?.parts).toHaveLength(2);
});

test('a report says if there are too many cells or figures to show', () => {
  const none = experimentReport(experimentOf(LOSS_GRID, {cells: [], comparisons: [], figures: [], mostCells: 5}));
  const texts = none.sections.flatMap(({parts}) => parts.flatMap(part => ('text' in part ? [part.text] : [])));
  expect(texts.join(' ')).toContain(
    'The grid has 6 cells. Figures and tables are only made for grids of at most 5 cells',
  );
  expect(none.lead).toHaveLength(1);
  const fewer = experimentReport(experimentOf(PROFILE_GRID, {leftOut: 3}));
  expect(JSON.stringify(fewer)).toContain('The figures for 3 more combinations of points are not drawn');
});

function tables(parts: readonly ReportPart[]): readonly ReportTable[] {
  return parts.flatMap(part => (part.kind === 'table' ? [part.table] : []));
}
