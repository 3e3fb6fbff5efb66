import {describe, expect, test} from 'vitest';
import type {Json} from '../../../app/base/json.ts';
import type {SeedRow} from '../../../app/host/contract.ts';
import {syntheticPage} from '../../../app/page/synthetic.ts';
import {parseScenario, type Scenario} from '../../../app/run/scenario/scenario.ts';
import {adviceOf, answersOf, candidatePanes, questionsOf} from '../../../app/study/advice/advice.ts';
import {advisedPane, candidatesOf} from '../../../app/study/advice/candidates.ts';
import {helpedBy, helpPlan, panesOf} from '../../../app/study/advice/helps.ts';
import {freshSeeds, paneGrid} from '../../../app/study/advice/paneGrid.ts';
import {cellCount, cellScenario, type Grid} from '../../../app/study/experiment/grid.ts';
import {load} from '../../engine/load.ts';
import {takeSnapshot} from '../../pages/base/pageSnapshot.ts';
import {seedRow} from '../../workers/seedRow.ts';
import {sideLoads} from './adviseLoads.ts';

// These tests compare the advice with loads that simpler code computes here.

const SEEDS = [1, 2, 3, 4, 5, 6];
const PAGE = {indexBytes: 800, objects: 3, objectBytes: 6000, headerBytes: 250, requestBytes: 200};
const page = takeSnapshot(syntheticPage(PAGE), []);

const CASES: readonly (readonly [string, {readonly [key: string]: Json}])[] = [
  ['losses on a long path', {path: {rttMs: 400, loss: 0.08}}],
  ['a slow path', {path: {rateBps: 60_000, rttMs: 300, loss: 0.04}}],
  ['no loss', {path: {rttMs: 100}}],
  ['whole responses in one message', {path: {loss: 0.05}, panes: [{pipeline: 'sctp', fragmentation: false}]}],
  ['a server that interleaves', {path: {loss: 0.06}, panes: [{pipeline: 'sctp', server: 'interleaving'}]}],
  ['loads that are not complete', {path: {loss: 0.12}, timeLimitMs: 2500}],
];

describe.each(CASES)('with %s', (_, document) => {
  const scenario = parsed(document);
  const {pane} = advisedPane(scenario);
  const candidates = candidatesOf(pane, PAGE.objects);
  const rows = rowsOf(
    paneGrid(
      scenario,
      candidates.map(each => each.pane),
      SEEDS,
    ),
  );
  const advice = adviceOf(candidates, rows, {pane, timeLimitMs: scenario.timeLimitMs});

  test('the advice for the first picture and for the page time is the setting with the smallest mean', () => {
    expect(advice.aims.map(({aim}) => aim.name)).toEqual(['firstPicture', 'complete', 'pageTime']);
    for (const {aim, best, standings} of advice.aims) {
      if (aim.name === 'complete') continue;
      const found = bruteForce(scenario, aim.name === 'pageTime');
      expect(candidates[best]).toMatchObject({streams: found.streams, scheduler: found.scheduler});
      expect(standings[best]?.meanMs).toBeCloseTo(found.meanMs, 6);
    }
  });
});

test('the advice says how much a newer stack shortens the loads with other seeds', () => {
  const scenario = parsed({path: {rttMs: 400, loss: 0.05}});
  const {timeLimitMs} = scenario;
  const questions = questionsOf(scenario, PAGE.objects);
  const asked = rowsOf(paneGrid(scenario, candidatePanes(questions), SEEDS));
  const {streams: advice, ...answers} = answersOf(questions, asked, {timeLimitMs});
  const plan = helpPlan(scenario, {...answers, streams: advice});
  const fresh = freshSeeds(SEEDS);
  expect(fresh).toEqual([7, 8, 9, 10, 11, 12]);
  const aims = advice.aims.map(({aim}) => aim);
  const helped = helpedBy(plan, rowsOf(paneGrid(scenario, panesOf(plan), fresh)), aims, timeLimitMs);
  const newer = helped.find(({side, help, aim}) => side === 0 && help === 'stack' && aim.name === 'pageTime');
  expect(newer?.label).toBe('a newer stack');
  const mean = (profile: string) => {
    const one = parsed({path: {rttMs: 400, loss: 0.05}, panes: [{pipeline: 'tcp', profile}]});
    return fresh.reduce((sum, seed) => sum + pageTimeOf(one, seed), 0) / fresh.length;
  };
  expect(newer?.savedMs).toBeCloseTo(mean('classic') - mean('modern'), 5);
  expect(newer?.ofMs).toBeCloseTo(mean('classic'), 5);
});

test('the loads that explain the advice can be aborted while they are computed', async () => {
  const scenario = parsed({path: {loss: 0.05}});
  const abort = new AbortController();
  const loads = sideLoads({page, scenario, signal: abort.signal}, SEEDS);
  setImmediate(() => abort.abort(new Error('stopped')));
  await expect(loads).rejects.toThrow('stopped');
  const all = await sideLoads({page, scenario, signal: new AbortController().signal}, SEEDS);
  expect(all).toHaveLength(SEEDS.length * scenario.panes.length);
});

/** Computes every setting, one load after the other, directly from the traces. */
function bruteForce(scenario: Scenario, isPageTime: boolean) {
  const own = scenario.panes.find(({pipeline}) => pipeline === 'sctp');
  let found = {streams: 0, scheduler: '', meanMs: Number.POSITIVE_INFINITY};
  for (const streams of [1, 2, 3, 10]) {
    for (const scheduler of ['round-robin', 'first-come', 'weighted', 'scan-aware']) {
      const one = parsed({...document(scenario), panes: [{...own, streams, scheduler}]});
      let sum = 0;
      for (const seed of SEEDS) sum += isPageTime ? pageTimeOf(one, seed) : firstObjectOf(one, seed);
      if (sum / SEEDS.length < found.meanMs - 1e-6) found = {streams, scheduler, meanMs: sum / SEEDS.length};
    }
  }
  return found;
}

function pageTimeOf(scenario: Scenario, seed: number): number {
  const [trace] = load(page, scenario, seed).panes;
  if (trace?.outcome !== 'complete') return scenario.timeLimitMs;
  const [index, ...others] = trace.objects;
  const ends = [index, ...others].map(object => object?.completeNs ?? 0);
  return (Math.max(...ends) - (index?.requestNs ?? 0)) / 1e6;
}

function firstObjectOf(scenario: Scenario, seed: number): number {
  const [trace] = load(page, scenario, seed).panes;
  const ends = (trace?.objects ?? []).slice(1).map(({completeNs}) => completeNs ?? Number.POSITIVE_INFINITY);
  const first = Math.min(...ends);
  return first === Number.POSITIVE_INFINITY ? scenario.timeLimitMs : first / 1e6;
}

function rowsOf(grid: Grid): readonly (readonly SeedRow[])[] {
  return Array.from({length: cellCount(grid)}, (_, cell) => {
    const scenario = cellScenario(grid, cell);
    return grid.seeds.map(seed => seedRow(page, scenario, seed, {eye: null}));
  });
}

function document({path, timeLimitMs}: Scenario): {readonly [key: string]: Json} {
  const {rateBps, rttMs, loss} = path;
  return {
    path: {
      rateBps: rateBps.down,
      rttMs: rttMs.down,
      loss: loss.down.model === 'bernoulli' ? loss.down.rate : 0,
    },
    timeLimitMs,
  };
}

function parsed(document: Json): Scenario {
  const answer = parseScenario({page: {synthetic: PAGE}, ...(document as object)});
  if (!answer.ok) throw new Error(answer.problems[0]?.message);
  return answer.scenario;
}
