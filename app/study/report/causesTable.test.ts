import {expect, test} from 'vitest';
import {CAUSE_METRICS, METRICS} from '../experiment/metricList.ts';
import {figureTable} from '../figures/figureTable.ts';
import {gridFigures} from '../figures/gridFigures.ts';
import {CAUSES_GRID, gridOf, LOSS_GRID, summaryOf} from '../figures/testing/grids.ts';
import {causesSection} from './causesTable.ts';

const summary = summaryOf(CAUSES_GRID);
const figure = gridFigures(summary).find(({name}) => name === 'causes');
if (figure?.marks.kind !== 'stacks') throw new Error('there is no figure of causes');
const {points} = figure.marks;

test('the name ‘causes’ stands for the metrics of all causes, which are otherwise not kept', () => {
  const names = CAUSE_METRICS.map(({name}) => name);
  expect(gridOf(CAUSES_GRID).metrics).toEqual(['pageTimeMs', ...names]);
  expect(names).toContain('whyRecoveryTimeoutMs');
  expect(METRICS.some(({name}) => names.includes(name))).toBe(false);
  expect(() => gridOf({...CAUSES_GRID, metrics: ['causes', 'whyDnsMs']})).toThrow('without duplicates');
});

test('each pane has a panel, and its bars have a part for each cause that occurs, in the order of causes', () => {
  expect(figure.panels).toEqual(['TCP', 'SCTP']);
  expect(figure.series.map(({cause}) => cause)).toEqual(['set-up', 'own-bytes', 'blocking']);
  for (const panel of [0, 1]) {
    for (const x of ['0', '2', '10']) {
      const parts = points.filter(point => point.panel === panel && point.x === x);
      expect(parts.map(({series}) => series)).toEqual([0, 1, 2]);
      expect(parts[0]?.from).toBe(0);
      expect(parts.slice(1).map(({from}) => from)).toEqual(parts.slice(0, -1).map(({to}) => to));
    }
  }
});

test('the height of a bar is the mean of the whole time, and each part has its own interval', () => {
  // with cell 1 and pane 1 the mean over eight seeds is 2000 + 450 ms
  const parts = points.filter(({cell, panel}) => cell === 1 && panel === 1);
  expect(parts.at(-1)?.to).toBeCloseTo(2.45, 6);
  const [setUp, own] = parts;
  expect(setUp?.to).toBeCloseTo(0.2 * 2.45, 6);
  expect((own?.half ?? 0) / (setUp?.half ?? 1)).toBeCloseTo(0.5 / 0.2, 6);
});

test('loads that are not complete have no causes', () => {
  const [part] = points.filter(({cell, panel}) => cell === 2 && panel === 0);
  expect([part?.n, part?.runs]).toEqual([7, 8]);
});

test('a grid without causes has no such figure and no such table', () => {
  const other = summaryOf(LOSS_GRID);
  expect(gridFigures(other).map(({name}) => name)).not.toContain('causes');
  expect(causesSection(other).parts).toEqual([]);
});

test('the table of the figure has the mean of each cause', () => {
  const [head, first] = figureTable(figure).split('\n');
  expect(head).toContain('mean');
  expect(first).toMatch(/^,TCP,transport’s set-up,0,0\.49/);
});

test('the report has a row for each cell and pane, and a sentence about each cell', () => {
  const [table, ...texts] = causesSection(summary).parts;
  if (table?.kind !== 'table') throw new Error('there is no table');
  expect(table.table.columns.map(({name}) => name)).toEqual([
    'path.loss',
    'pane',
    'transport’s set-up',
    'link: own bytes',
    'head-of-line blocking',
  ]);
  expect(table.table.rows).toHaveLength(6);
  expect(table.table.rows[0]?.slice(2)).toEqual(['0.490 ± 0.041', '1.225 ± 0.102', '0.735 ± 0.061']);
  expect(texts).toHaveLength(3);
  expect(texts[0]).toMatchObject({
    text: expect.stringMatching(
      /^0 %: HTTP over SCTP is 1\.00 s ahead of HTTP\/1\.1 over TCP: 500 ms less of the link/,
    ),
  });
});
