import {expect, test} from 'vitest';
import {DEFAULT_THRESHOLDS} from '../../../app/run/quality/states.ts';
import {parseGrid} from '../../../app/study/experiment/grid.ts';
import {CAUSE_METRICS, METRICS, NAMED_METRICS} from '../../../app/study/experiment/metricList.ts';
import {planOf} from '../../session/grid/gridPlan.ts';
import {shown} from '../../session/grid/testing/gridHost.ts';
import {someRows} from '../seeds/testing/someRows.ts';
import {FIRST_CHOICE, gridOf} from './choice.ts';
import {captioned, gridCommand, gridText, resultsText} from './files.ts';
import {figureOf, Summaries} from './summaries.ts';

const {scenario, page} = shown();
const chosen = gridOf({...FIRST_CHOICE, x: {key: 'path.loss', isTyped: false, text: '1, 2'}, seeds: 10}, scenario);
if (!chosen.ok) throw new Error(chosen.message);
const {grid} = chosen;
const eyeOf = (thresholds: typeof DEFAULT_THRESHOLDS) => {
  return {quality: {screen: {width: 1, height: 1}, objects: []}, thresholds};
};
const [blind, seen] = [null, eyeOf(DEFAULT_THRESHOLDS)].map(eye => planOf(grid, {scenario, page}, eye));

test('the command measures quality if the window does, with the window’s thresholds', () => {
  if (blind === undefined || seen === undefined) throw new Error('no plan');
  const plain = 'npx interleave experiment interleave-grid.json --out results';
  expect(gridCommand(blind)).toBe(plain);
  expect(gridCommand(seen)).toBe(`${plain} --visual`);
  const strict = {...seen, eye: eyeOf({...DEFAULT_THRESHOLDS, good: 0.99})};
  expect(gridCommand(strict)).toBe(`${plain} --visual --good 0.99`);
});

test('the results have a line for each computed run, and a column for each measured metric', () => {
  if (blind === undefined || seen === undefined) throw new Error('no plan');
  const cells = [someRows([1000], [2000]), someRows([3000])];
  const [header = '', ...lines] = resultsText(blind, {cells}).trimEnd().split('\n');
  expect(header.split(',')).toHaveLength(1 + 4 + METRICS.length + 2);
  expect(lines.map(line => line.split(',').slice(0, 5).join())).toEqual([
    '0.01,1,1,tcp,complete',
    '0.01,2,1,tcp,complete',
    '0.02,1,1,tcp,complete',
  ]);
  expect(resultsText(seen, {cells: []})).toContain('speedIndexMs');
});

test('if causes are shown, the grid file keeps them, and the results have a column for each', () => {
  if (blind === undefined || seen === undefined) throw new Error('no plan');
  const explained = parseGrid(JSON.parse(gridText({...blind, hasCauses: true}, 'interleave')));
  const all = [...METRICS, ...CAUSE_METRICS].map(({name}) => name);
  expect(explained).toMatchObject({ok: true, grid: {metrics: all}});
  const visual = parseGrid(JSON.parse(gridText({...seen, hasCauses: true}, 'interleave')));
  expect(visual).toMatchObject({ok: true, grid: {metrics: NAMED_METRICS.map(({name}) => name)}});
  expect(gridText(blind, 'interleave')).toContain('"metrics": null');
  expect(resultsText({...blind, hasCauses: true}, {cells: []})).toContain(',whyDnsMs,');
});

test('a figure that is saved before all runs are computed says how many have been computed', () => {
  const metric = METRICS.find(({name}) => name === 'pageTimeMs');
  if (blind === undefined || metric === undefined) throw new Error('no plan');
  const cells = [someRows(...Array.from({length: 10}, (_, i) => [1000 + i])), someRows([3000])];
  const figure = figureOf(new Summaries().of(grid, cells, metric).summary, 'means');
  if (figure === null) throw new Error('no figure');
  expect(captioned(figure, {plan: blind, cells}).caption[0]).toBe('So far 11 of 20 runs.');
  const [first = []] = cells;
  expect(captioned(figure, {plan: blind, cells: [first, first]})).toBe(figure);
});
