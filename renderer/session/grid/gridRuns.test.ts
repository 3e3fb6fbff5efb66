import {describe, expect, test} from 'vitest';
import type {Json} from '../../../app/base/json.ts';
import type {Host} from '../../../app/host/contract.ts';
import {DEFAULT_THRESHOLDS} from '../../../app/run/quality/states.ts';
import {smallQuality} from '../../../app/run/quality/testing/smallQuality.ts';
import {scenarioDocument} from '../../../app/run/scenario/document.ts';
import {parseGrid} from '../../../app/study/experiment/grid.ts';
import {coarseToFine, planOf, seedsPlan} from './gridPlan.ts';
import {doneRuns, GridRuns, wantedRuns} from './gridRuns.ts';
import {fakeHost, shown} from './testing/gridHost.ts';

// The runs are computed in the background: the host answers when the test tells it to.

describe('runs of many seeds', () => {
  test('are requested a few at a time, and shown as they arrive', async () => {
    const {seeds, asked, answer} = started();
    const all = seeds.ask(seedsPlan(shown(), null, 12));
    const lengths: number[] = [];
    seeds.store.subscribe(({cells}) => lengths.push(cells[0]?.length ?? 0));
    for (let i = 0; i < 3; i++) await answer();
    expect(asked.map(({seeds}) => seeds)).toEqual([
      [1, 2, 3, 4, 5],
      [6, 7, 8, 9, 10],
      [11, 12],
    ]);
    expect([...new Set(lengths)]).toEqual([5, 10, 12]);
    expect((await all)?.[0]?.map(({seed}) => seed)).toEqual(Array.from({length: 12}, (_, i) => i + 1));
    expect(seeds.store.getState()).toMatchObject({isBusy: false, problem: null});
    expect([doneRuns, wantedRuns].map(of => of(seeds.store.getState()))).toEqual([12, 12]);
  });

  test('are not requested again if they are computed, whatever seed is on screen', async () => {
    const {seeds, asked, answer} = started();
    const all = seeds.ask(seedsPlan(shown(), null, 5));
    await answer();
    await all;
    const more = seeds.ask(seedsPlan(shown({seed: 3, typicalOf: 5}), null, 7));
    await answer();
    await more;
    expect(asked.map(({seeds}) => seeds)).toEqual([
      [1, 2, 3, 4, 5],
      [6, 7],
    ]);
    const fewer = await seeds.ask(seedsPlan(shown(), null, 4));
    expect(fewer?.[0]).toHaveLength(4);
    expect(seeds.store.getState().cells[0]).toHaveLength(7);
    expect(doneRuns(seeds.store.getState())).toBe(4);
  });

  test('begin again for another scenario, and late answers for the previous one are ignored', async () => {
    const {seeds, answer} = started();
    const before = seeds.ask(seedsPlan(shown(), null, 10));
    const after = seeds.ask(seedsPlan(shown({path: {loss: 0.2}}), null, 5));
    await answer();
    expect(await before).toBeNull();
    expect((await after)?.[0]).toHaveLength(5);
    expect(seeds.store.getState().cells[0]).toHaveLength(5);
  });

  test('keep the computed runs when they are cancelled, and continue from there', async () => {
    const {seeds, asked, answer, cancelled} = started();
    const all = seeds.ask(seedsPlan(shown(), null, 20));
    await answer();
    seeds.cancel();
    expect(seeds.store.getState()).toMatchObject({isBusy: false, problem: null});
    expect(seeds.store.getState().cells[0]).toHaveLength(5);
    await answer();
    expect(await all).toBeNull();
    expect(seeds.store.getState().cells[0]).toHaveLength(5);
    // the call under way was done before the host had to end it
    expect(cancelled).toEqual([]);
    void seeds.ask(seedsPlan(shown(), null, 20));
    await expect.poll(() => asked.at(-1)?.seeds).toEqual([6, 7, 8, 9, 10]);
  });

  test('are not ended by the host if they are done soon after the cancellation', async () => {
    const {seeds, answer, cancelled} = started(20);
    const all = seeds.ask(seedsPlan(shown(), null, 20));
    seeds.cancel();
    await answer();
    await all;
    await new Promise(resolve => setTimeout(resolve, 30));
    expect(cancelled).toEqual([]);
  });

  test('are ended by the host if they continue long after the cancellation', async () => {
    const {seeds, cancelled} = started(0);
    void seeds.ask(seedsPlan(shown(), null, 20));
    seeds.cancel();
    await expect.poll(() => cancelled).toHaveLength(1);
  });

  test('are tried again if the engine dies, and keep the computed runs if it dies twice', async () => {
    const {seeds, asked, answer, refuse} = started();
    const all = seeds.ask(seedsPlan(shown(), null, 10));
    await answer();
    await refuse('The engine died.');
    expect(seeds.store.getState()).toMatchObject({isBusy: true, problem: null});
    await refuse('The engine died.');
    expect(await all).toBeNull();
    expect(seeds.store.getState()).toMatchObject({isBusy: false, problem: 'The engine died.'});
    expect(seeds.store.getState().cells[0]).toHaveLength(5);
    const rest = seeds.ask(seedsPlan(shown(), null, 10));
    expect(seeds.store.getState().problem).toBeNull();
    await answer();
    expect((await rest)?.[0]).toHaveLength(10);
    expect(asked.slice(1).map(({seeds}) => seeds)).toEqual(Array(3).fill([6, 7, 8, 9, 10]));
  });
});

function started(patienceMs = 60_000, atOnce = 1) {
  const {host, ...rest} = fakeHost();
  const seeds = new GridRuns(host as unknown as Host, {patienceMs, atOnce, nowMs: () => 0});
  return {seeds, ...rest};
}

describe('runs of a grid', () => {
  test('begin with distant cells, and compute a few seeds of each cell before more of any', async () => {
    const {seeds: runs, asked, answerAll} = started();
    const all = runs.ask(gridPlan({'path.loss': [0, 0.01, 0.02, 0.03]}, '1-7'));
    await answerAll();
    expect((await all)?.map(rows => rows.map(({seed}) => seed))).toEqual(Array(4).fill([1, 2, 3, 4, 5, 6, 7]));
    const order = asked.map(({scenario, seeds}) => [lossOf(scenario), seeds.length]);
    expect(order).toEqual([5, 2].flatMap(count => [0, 0.02, 0.01, 0.03].map(loss => [loss, count])));
    expect([0, 1, 2, 5].map(coarseToFine)).toEqual([[], [0], [0, 1], [0, 4, 2, 1, 3]]);
  });

  test('continue if seeds are added, and begin again with another first seed or other cells', async () => {
    const {seeds: runs, asked, answerAll} = started();
    const losses = {'path.loss': [0.01, 0.02]};
    for (const plan of [gridPlan(losses, '1-5'), gridPlan(losses, '1-6'), gridPlan(losses, '2-6')]) {
      const all = runs.ask(plan);
      await answerAll();
      expect((await all)?.map(rows => rows.map(({seed}) => seed))).toEqual(Array(2).fill(plan.grid.seeds));
    }
    const seeds = asked.map(each => each.seeds);
    expect(seeds).toEqual([[1, 2, 3, 4, 5], [6], [2, 3, 4, 5, 6]].flatMap(each => [each, each]));
    void runs.ask(gridPlan({'path.loss': [0.01, 0.03]}, '1-5'));
    expect(doneRuns(runs.store.getState())).toBe(0);
  });

  test('open the page of each cell once, and keep its content', async () => {
    const {seeds: runs, asked, opened, answerAll} = started();
    const all = runs.ask(gridPlan({page: ['gallery', 'text']}, '1-6'));
    await answerAll();
    await all;
    expect(opened).toEqual(['text']);
    expect(asked.map(({hash}) => hash)).toEqual(['h', '"text"', 'h', '"text"']);
    // the runs of another grid open their pages again
    void runs.ask(gridPlan({page: ['text'], 'path.loss': [0.01]}, '1-6'));
    expect(opened).toEqual(['text', 'text']);
  });

  test('open a page with each cell’s conversions, and have a quality only if each conversion is measured', async () => {
    const {seeds: runs, asked, opened, answerAll} = started();
    const parsed = parseGrid({
      base: {panes: [{pipeline: 'tcp'}]},
      seeds: '1',
      axes: {'panes.0.conversion': ['none', 'progressive']},
    });
    if (!parsed.ok) throw new Error(parsed.problems[0]?.message);
    const eye = {quality: smallQuality(), thresholds: DEFAULT_THRESHOLDS};
    const plan = planOf(parsed.grid, shown(), eye);
    expect(plan.eye).toBeNull();
    const converted = [{conversion: 'progressive', objects: eye.quality.objects}] as const;
    const knowing = {...eye, quality: {...eye.quality, converted}};
    expect(planOf(parsed.grid, shown(), knowing).eye).toBe(knowing);
    const all = runs.ask(plan);
    await answerAll();
    await all;
    expect(opened).toEqual(['gallery']);
    expect(asked.map(({hash}) => hash)).toEqual(['h', '"gallery"']);
  });

  test('open a page again that the host no longer keeps, and stop if its content has changed', async () => {
    const {seeds: runs, asked, opened, answer, answerGone} = started();
    void runs.ask(gridPlan({page: ['text']}, '1-5'));
    await answerGone();
    expect(opened).toEqual(['text', 'text']);
    await answer();
    expect(doneRuns(runs.store.getState())).toBe(5);
    // when this page is opened again, the fake host gives it another hash
    void runs.ask(gridPlan({}, '1-5'));
    await answerGone();
    await answerGone();
    expect(runs.store.getState()).toMatchObject({
      isBusy: false,
      problem: 'the page page has changed since the first of its runs',
    });
    expect(asked).toHaveLength(4);
  });

  test('are requested in several pieces at once if there are threads, and keep their order', async () => {
    const {seeds: runs, asked, answerLast, answer} = started(60_000, 2);
    const all = runs.ask(gridPlan({}, '1-15'));
    await answerLast();
    expect(asked.map(({seeds}) => seeds[0])).toEqual([1, 6]);
    expect(doneRuns(runs.store.getState())).toBe(0);
    await answer();
    await answer();
    expect((await all)?.[0]?.map(({seed}) => seed)).toEqual(Array.from({length: 15}, (_, i) => i + 1));
  });

  test('are all given up when one of several pieces fails', async () => {
    const {seeds: runs, refuseFirst, cancelled, answer} = started(0, 2);
    const all = runs.ask(gridPlan({}, '1-15'));
    await refuseFirst('died');
    expect(await all).toBeNull();
    expect(runs.store.getState()).toMatchObject({isBusy: false, problem: 'died'});
    // the other piece is still being computed
    await expect.poll(() => cancelled).toHaveLength(1);
    await answer();
    expect(doneRuns(runs.store.getState())).toBe(0);
  });

  test('estimate the remaining time from the computed runs', async () => {
    const {host, answer} = fakeHost();
    let nowMs = 0;
    const runs = new GridRuns(host as unknown as Host, {atOnce: 1, nowMs: () => nowMs});
    void runs.ask(gridPlan({'path.loss': [0.01, 0.02]}, '1-10'));
    expect(runs.store.getState().leftMs).toBeNull();
    nowMs = 50;
    await answer();
    expect(runs.store.getState().leftMs).toBe(150);
    nowMs = 200;
    await answer();
    expect(runs.store.getState().leftMs).toBe(200);
  });
});

test('a trial measures the time of a run, and keeps nothing', async () => {
  const {host, asked, answerAll} = fakeHost();
  let nowMs = 0;
  const runs = new GridRuns(host as unknown as Host, {atOnce: 1, nowMs: () => nowMs});
  const tried = runs.tryOut(gridPlan({'path.loss': [0.01, 0.02, 0.03]}, '1-10'));
  nowMs = 60;
  await answerAll();
  expect(await tried).toBe(10);
  expect(asked.map(({scenario, seeds}) => [lossOf(scenario), seeds])).toEqual([
    [0.01, [1, 2, 3]],
    [0.03, [1, 2, 3]],
  ]);
  expect(runs.store.getState()).toMatchObject({plan: null, isBusy: false});
});

function gridPlan(axes: object, seeds: string) {
  const run = shown({page: 'gallery'});
  const parsed = parseGrid({base: scenarioDocument(run.scenario), axes, seeds});
  if (!parsed.ok) throw new Error(parsed.problems[0]?.message);
  return planOf(parsed.grid, run, null);
}

function lossOf(scenario: Json): unknown {
  return (scenario as {readonly path: {readonly loss: number}}).path.loss;
}
