import {expect, test} from 'vitest';
import {withSeed} from '../../../app/run/scenario/scenario.ts';
import {cellScenario, parseGrid} from '../../../app/study/experiment/grid.ts';
import {planOf, subjectOf} from '../../session/grid/gridPlan.ts';
import {shown} from '../../session/grid/testing/gridHost.ts';
import {readAxis} from './axisText.ts';
import {type ExperimentChoice, FIRST_CHOICE, gridOf, shownMetric} from './choice.ts';
import {gridText} from './files.ts';

const {scenario} = shown({path: {loss: 0.043, rttMs: 100}, seed: 146});
const axis = (key: string, text: string) => ({key, isTyped: false, text});

function grid(change: Partial<ExperimentChoice>, of = scenario) {
  const chosen = gridOf({...FIRST_CHOICE, ...change}, of);
  if (!chosen.ok) throw new Error(chosen.message);
  return chosen.grid;
}

test.each([
  ['path.loss', '0..10 step 2.5', {from: 0, to: 0.1, step: 0.025}],
  ['path.loss', ' 3, 4.3;5 7 ', [0.03, 0.043, 0.05, 0.07]],
  ['path.rateBps', '0.056, 1', [56_000, 1_000_000]],
  ['path.rttMs', '50 to 200 by 50', {from: 50, to: 200, step: 50}],
  ['panes.0.profile', 'classic, modern', ['classic', 'modern']],
  ['panes.0.sendBuffer', 'null 4096', [null, 4096]],
])('%s: the values %s have the unit that figures show', (key, text, values) => {
  expect(readAxis(key, text)).toEqual({ok: true, values});
});

test.each([
  ['path.loss', 'a lot', 'a is not a number'],
  ['path.loss', ' ', 'write values such as 1, 2, 5 or 0..10 step 1'],
  ['path.loss', '0..10', 'write the step, too: 0..10 step 1'],
  ['path.loss', '1, 1', 'axes.path.loss[1] is 0.01: must be a value that the list does not have yet'],
  ['path.loss', '99, 101', /^axes at path\.loss=1\.01: path\.loss.* is 1\.01: must be/],
  ['path.los', '1', /path\.los/],
  ['path.rttMs', '1..9999 step 1', /^9999 points are too many for the window \(at most 500\)/],
])('%s: %s is refused with a reason', (key, text, message) => {
  const chosen = gridOf({...FIRST_CHOICE, x: axis(key, text)}, scenario);
  expect(chosen).toMatchObject({
    ok: false,
    message: typeof message === 'string' ? message : expect.stringMatching(message),
  });
});

test('a problem is reported for the axis that causes it', () => {
  const of = (x: string, panels: string) => {
    return gridOf({...FIRST_CHOICE, x: axis('path.loss', x), panels: axis('path.rttMs', panels)}, scenario);
  };
  expect(of('1', 'x')).toMatchObject({of: 'panels'});
  expect(of('x', '1')).toMatchObject({of: 'x'});
  expect(of('1', '5, 5')).toMatchObject({of: 'panels'});
  expect(of('1', '-5')).toMatchObject({of: 'panels'});
  expect(of('1', '5')).toMatchObject({ok: true});
  expect(gridOf({...FIRST_CHOICE, panels: axis('path.loss', '1')}, scenario)).toMatchObject({of: 'panels'});
});

test('a grid does not depend on which of its runs is on screen, but on the scenario', () => {
  const run = {scenario, page: shown().page};
  const choice = {x: axis('path.loss', '1, 2'), panels: axis('page.synthetic.objects', '3, 5')};
  const own = grid(choice);
  const others = [0, 1, 2, 3].map(cell => withSeed(cellScenario(own, cell), 7));
  for (const other of others) {
    expect(grid(choice, other)).toEqual(own);
    const page = {...run.page, hash: 'of that cell'};
    const plan = planOf(grid(choice, other), {scenario: other, page}, null);
    expect(subjectOf(plan)).toBe(subjectOf(planOf(own, run, null)));
  }
  const {scenario: farther} = shown({path: {loss: 0.043, rttMs: 101}});
  expect(grid(choice, farther)).not.toEqual(own);
});

test('the measured quality is not used if cells load other pages', () => {
  const eye = {
    quality: {screen: {width: 1, height: 1}, objects: []},
    thresholds: {recognisable: 0.6, good: 0.8},
  };
  const run = {scenario, page: shown().page};
  expect(planOf(grid({}), run, eye).eye).toBe(eye);
  const strict = {...eye, thresholds: {recognisable: 0.7, good: 0.8}};
  expect(subjectOf(planOf(grid({}), run, strict))).not.toBe(subjectOf(planOf(grid({}), run, eye)));
  expect(planOf(grid({x: axis('page', 'gallery, text')}), run, eye).eye).toBeNull();
  expect(planOf(grid({panels: axis('page.synthetic.objects', '1, 2')}), run, eye).eye).toBeNull();
});

test('a grid file contains the grid', () => {
  const own = grid({panels: axis('path.rttMs', '50, 100')});
  const parsed = parseGrid(JSON.parse(gridText(planOf(own, {scenario, page: shown().page}, null), 'interleave 0.1.0')));
  expect(parsed).toEqual({ok: true, grid: own});
});

test('the metric is the chosen one, or the time by which the whole experiment compares runs', () => {
  const papers = shown({discovery: 'complete'}).scenario;
  const metricOf = (change: Partial<ExperimentChoice>) => {
    const choice = {...FIRST_CHOICE, ...change};
    return shownMetric(choice, gridOf(choice, papers), papers);
  };
  expect(metricOf({})).toBe('pageTimeMs');
  expect(metricOf({metric: 'fcpMs'})).toBe('fcpMs');
  // T would hide the set-up in which these cells differ
  expect(metricOf({x: axis('discovery', 'complete, streaming')})).toBe('finishMs');
  expect(metricOf({x: axis('path.loss', 'no number')})).toBe('pageTimeMs');
});
