import {expect, test} from 'vitest';
import type {SeedRow} from '../../../app/host/contract.ts';
import {CAUSE_METRICS, METRICS, VISUAL_METRICS} from '../../../app/study/experiment/metricList.ts';
import {compareCell, summariseCell} from '../../../app/study/experiment/summary.ts';
import {pointsOf} from '../../kit/figure/pointPlaces.ts';
import {shown} from '../../session/grid/testing/gridHost.ts';
import {FIRST_CHOICE, gridOf} from './choice.ts';
import {tipLines, verdict} from './figureText.ts';
import {nextOpening, openingsOf} from './openings.ts';
import {causeFindings, figureOf, runRows, Summaries} from './summaries.ts';

const PANES = [{pipeline: 'tcp'}, {pipeline: 'sctp', streams: 5}];
const chosen = gridOf(
  {...FIRST_CHOICE, x: {key: 'path.loss', isTyped: false, text: '1, 5, 10'}, seeds: 10},
  shown({panes: PANES}).scenario,
);
if (!chosen.ok) throw new Error(chosen.message);
const {grid} = chosen;

/** Every metric has its own values, and one run of TCP was never complete. */
function rowsOf(cell: number, count: number): readonly SeedRow[] {
  return Array.from({length: count}, (_, i) => ({
    seed: i + 1,
    panes: [0, 1].map(pane => {
      const isLost = cell === 2 && pane === 0 && i === 3;
      const values = METRICS.map((_, metric) => {
        return isLost ? null : 1000 * (cell + 1) + 100 * metric + (pane === 0 ? 60 * i : 10 * i);
      });
      return {outcome: isLost ? 'time-limit' : 'complete', reason: isLost ? 'time limit' : null, values};
    }),
    firstPicturesMs: [],
    wholePagesMs: [],
  }));
}

const cells = [rowsOf(0, 10), rowsOf(1, 7), rowsOf(2, 10)];
const metricOf = (name: string) => METRICS.find(metric => metric.name === name) ?? METRICS[0];

test.each(['pageTimeMs', 'silentMs', 'retransmitted'])('%s has the same summary as in an experiment’s folder', name => {
  const metric = metricOf(name);
  if (metric === undefined) throw new Error('no metric');
  const {summary, comparisons} = new Summaries().of(grid, cells, metric);
  for (const [cell, rows] of cells.entries()) {
    const whole = summariseCell(grid, cell, runRows(grid, cell, rows), METRICS);
    const panes = whole.panes.map(pane => ({...pane, metrics: {[name]: pane.metrics[name]}}));
    expect(summary.cells[cell]).toEqual({...whole, panes});
    const own = compareCell(grid, cell, runRows(grid, cell, rows), METRICS).filter(each => each.metric === name);
    expect(comparisons.filter(each => each.cell === cell)).toEqual(own);
  }
});

test('runs beyond the grid’s seeds are not counted', () => {
  const metric = metricOf('pageTimeMs');
  if (metric === undefined) throw new Error('no metric');
  const {summary} = new Summaries().of(grid, [rowsOf(0, 12), [], []], metric);
  expect(summary.cells.map(({cell, panes}) => [cell, panes[0]?.runs])).toEqual([[0, 10]]);
});

test('a grid with fewer seeds gets a new summary of the same runs', () => {
  const metric = metricOf('pageTimeMs');
  if (metric === undefined) throw new Error('no metric');
  const summaries = new Summaries();
  summaries.of(grid, cells, metric);
  const {summary} = summaries.of({...grid, seeds: [1, 2, 3]}, cells, metric);
  expect(summary.cells[0]?.panes[0]?.runs).toBe(3);
});

test('a cell gets a new summary when its runs change', () => {
  const metric = metricOf('pageTimeMs');
  if (metric === undefined) throw new Error('no metric');
  const summaries = new Summaries();
  const before = summaries.of(grid, cells, metric).summary.cells;
  const after = summaries.of(grid, [cells[0] ?? [], rowsOf(1, 8), cells[2] ?? []], metric).summary.cells;
  expect(after[0]).toBe(before[0]);
  expect(after[1]?.panes[0]?.runs).toBe(8);
});

test('the tip of a point has mean, interval, median, the number of runs, and what a click opens', () => {
  const metric = metricOf('pageTimeMs');
  if (metric === undefined) throw new Error('no metric');
  const findings = new Summaries().of(grid, cells, metric);
  const figure = figureOf(findings.summary, 'means');
  if (figure === null) throw new Error('no figure');
  expect(pointsOf(figure)).toHaveLength(6);
  const of = (cell: number, series: number) => {
    const point = pointsOf(figure).find(each => each.cell === cell && each.series === series);
    if (point === undefined) throw new Error('no point');
    const openings = openingsOf(cells[cell] ?? [], series, 'pageTimeMs');
    return tipLines(figure, point, findings, nextOpening(openings, null, 1));
  };
  expect(of(1, 1)).toEqual([
    'SCTP, loss each way 5 %',
    'mean 2.13 ± 0.02 s (95 % interval)',
    'median 2.13 s',
    '7 runs, all complete',
    'Click: a run in the middle, seed 4: 2.13 s',
  ]);
  expect(of(2, 0)).toContain('9 of 10 runs complete');
  expect(verdict(findings, ['TCP', 'SCTP'])).toBe('SCTP is clearly sooner at 3 of 3 points.');
});

test('a side is said to be better only if chance is unlikely', () => {
  const metric = metricOf('pageTimeMs');
  if (metric === undefined) throw new Error('no metric');
  const of = (...all: readonly (readonly SeedRow[])[]) => {
    return verdict(new Summaries().of(grid, all, metric), ['TCP', 'SCTP']);
  };
  // five pairs cannot make chance unlikely: p is at least 1/16
  expect(of(rowsOf(0, 5))).toBe('5 seeds are too few to tell the sides apart.');
  // with seven pairs p is at least 1/64, which for four points is more than 5 % after correction
  expect(of(...[0, 1, 2, 0].map(cell => rowsOf(cell, 7)))).toBe(
    '7 seeds are too few to tell the sides apart at 4 points.',
  );
  expect(of(rowsOf(0, 8), rowsOf(1, 4))).toBe('SCTP is clearly sooner at 1 of 2 points; elsewhere it may be chance.');
  const turned = rowsOf(1, 10).map(row => ({...row, panes: row.panes.toReversed()}));
  expect(of(rowsOf(0, 10), turned, rowsOf(2, 10))).toBe('SCTP is clearly sooner at 2 of 3 points, TCP at 1.');
  // six pairs differ, so p is 1/32: enough for one point, but not for one of three points
  expect(of(rowsOf(0, 7))).toBe('SCTP is clearly sooner.');
  expect(of(rowsOf(0, 7), rowsOf(1, 7), rowsOf(0, 7))).toContain('at any of 3 points');
  expect(verdict(new Summaries().of(grid, cells, metric), ['TCP'])).toBe('');
});

test.each([
  ['silentMs', 'shorter'],
  ['retransmitted', 'less'],
])('a smaller %s is said to be %s', (name, word) => {
  const metric = metricOf(name);
  if (metric === undefined) throw new Error('no metric');
  expect(verdict(new Summaries().of(grid, cells, metric), ['TCP', 'SCTP'])).toContain(`clearly ${word} at`);
});

test('the tip of a bar of causes lists its parts, the largest first, and says which run a click opens', () => {
  const explained = cells.map((rows, cell) => rows.map(row => withCauses(row, cell)));
  const findings = causeFindings(new Summaries(), grid, explained);
  const figure = findings && figureOf(findings.summary, 'causes');
  if (findings === null || figure?.marks.kind !== 'stacks') throw new Error('no figure of causes');
  expect(figure.panels).toEqual(['TCP', 'SCTP']);
  const point = figure.marks.points.find(each => each.cell === 1 && each.pane === 1);
  if (point === undefined) throw new Error('no bar');
  const openings = openingsOf(explained[1] ?? [], point.pane, 'finishMs');
  const lines = tipLines(figure, point, findings, nextOpening(openings, null, 1));
  expect(lines).toEqual([
    'SCTP, loss each way 5 %',
    'mean 3 s',
    'transport’s set-up 2 s',
    'propagation 1 s',
    '7 runs, all complete',
    expect.stringMatching(/^Click: a run in the middle, seed 4: /),
  ]);
  // the sentence is about the time of the whole page
  expect(verdict(findings, ['TCP', 'SCTP'])).toBe('SCTP is clearly sooner at 3 of 3 points.');
});

test('runs without causes have no figure of causes', () => {
  const findings = causeFindings(new Summaries(), grid, cells);
  expect(findings && figureOf(findings.summary, 'causes')).toBeNull();
});

/** The row with times of two causes in every pane: 2 s for the set-up, and `cell` seconds for the propagation. */
function withCauses(row: SeedRow, cell: number): SeedRow {
  const causes = CAUSE_METRICS.map(({cause}) =>
    cause === 'set-up' ? 2000 : cause === 'propagation' ? 1000 * cell : 0,
  );
  const unseen = VISUAL_METRICS.map(() => null);
  return {...row, panes: row.panes.map(pane => ({...pane, values: [...pane.values, ...unseen, ...causes]}))};
}

test('if the values along x are words, quartiles are drawn instead of means', () => {
  const words = gridOf(
    {...FIRST_CHOICE, x: {key: 'panes.0.profile', isTyped: true, text: 'classic modern'}, seeds: 10},
    shown({panes: PANES}).scenario,
  );
  const metric = metricOf('pageTimeMs');
  if (!words.ok || metric === undefined) throw new Error('no grid');
  const {summary} = new Summaries().of(words.grid, cells.slice(0, 2), metric);
  expect(figureOf(summary, 'means')?.marks.kind).toBe('boxes');
});
