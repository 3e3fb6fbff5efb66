import {expect, test} from 'vitest';
import {parseScenario} from '../../../app/run/scenario/scenario.ts';
import {Trace} from '../../../app/run/trace/trace.ts';
import {nsOf, sumNs} from '../../../app/run/why/causeTotals.ts';
import type {ShownRun} from '../../session/loads.ts';
import {sctpLoad, tcpLoad} from '../timeline/testing/handmadeLoads.ts';
import {objectsOf, rowsOf, sideOf} from './whyTable.ts';

const MS = 1e6;
const parsed = parseScenario({panes: [{pipeline: 'tcp'}, {pipeline: 'sctp'}]});
if (!parsed.ok) throw new Error('the scenario is not valid');
const run = {scenario: parsed.scenario, traces: [tcpLoad(), sctpLoad()]} as unknown as ShownRun;
const side = (pane: number, object: number | null) => sideOf(run, pane, 'object', null, object);

test('the causes of a side add up to the time when the chosen object was complete', () => {
  for (const pane of [0, 1]) {
    const {totals, totalNs, absence} = side(pane, 2);
    expect(absence).toBe('');
    expect(totalNs).toBe(run.traces[pane]?.objects[2]?.completeNs);
    expect(sumNs(totals)).toBe(totalNs);
  }
});

test('rows have the causes of both sides, and the sum of the rows’ differences is the difference of the totals', () => {
  const sides = [side(0, 2), side(1, 2)] as const;
  const rows = rowsOf(sides);
  expect(rows.length).toBeGreaterThan(3);
  expect(rows.every(({ns}) => ns[0] > 0 || ns[1] > 0)).toBe(true);
  expect(rows.reduce((sum, {moreNs}) => sum + moreNs, 0)).toBe(sides[1].totalNs - sides[0].totalNs);
  expect(sides[1].totalNs).toBeLessThan(sides[0].totalNs - 100 * MS);
});

test('the objects are those that a path of one of the sides goes through', () => {
  expect(objectsOf([side(0, 1)])).toEqual([0, 1]);
  expect(objectsOf([side(0, 1), side(1, 2)])).toEqual([0, 1, 2]);
});

test('a side for which the moment is not known says why', () => {
  expect(side(0, null).absence).toBe('no object is chosen');
  expect(side(0, 3).absence).toBe('/img/d.gif was never complete');
  expect(sideOf(run, 0, 'recognisable', null, null).absence).toBe('the pictures are not measured yet');
});

test('a live side has the causes that its client saw', () => {
  const path = {...parsed.scenario.path, live: '127.0.0.1:9899'};
  const live = {...run, scenario: {...parsed.scenario, path}} as unknown as ShownRun;
  const {totals, totalNs} = sideOf(live, 0, 'object', null, 2);
  expect(sumNs(totals)).toBe(totalNs);
  expect(nsOf(totals, 'unknown')).toBeGreaterThan(0);
  const seen = ['set-up', 'request-wait', 'blocking', 'unknown'];
  expect(totals.filter(({name}) => !seen.includes(name))).toEqual([]);
});

test('a captured side whose file shows no paint does not say that nothing was painted', () => {
  const milestones = {fcpNs: null, lcpNs: null, lcpObject: null, dclNs: null, loadNs: null};
  const traces = run.traces.map(({data}) => new Trace({...data, milestones}));
  const path = {...parsed.scenario.path, captured: 'har'};
  const absences = [parsed.scenario, {...parsed.scenario, path}].map(scenario => {
    return sideOf({...run, scenario, traces} as unknown as ShownRun, 0, 'lcp', null, null).absence;
  });
  expect(absences).toEqual(['nothing was painted', 'it is not known when the page was painted']);
});
