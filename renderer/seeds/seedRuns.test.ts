import {afterAll, beforeAll, describe, expect, test, vi} from 'vitest';
import type {Host, SeedPane, SeedRow, SeedsAnswer} from '../../app/ipc/contract.ts';
import {parseScenario} from '../../app/scenario/scenario.ts';
import {encodeRun} from '../../app/trace/runFile.ts';
import {smallTrace} from '../../app/trace/smallTrace.ts';
import {Player} from '../player.ts';
import type {ShownRun} from '../store/loads.ts';
import {Session} from '../store/session.ts';
import {findTypicalSeed} from './findTypicalSeed.ts';
import {hasToAsk, SeedRuns, subjectOf} from './seedRuns.ts';

// Runs in the background: the host answers when it is told to.

beforeAll(() => {
  vi.stubGlobal('requestAnimationFrame', () => 0);
  vi.stubGlobal('cancelAnimationFrame', () => undefined);
});
afterAll(() => vi.unstubAllGlobals());

describe('runs of many seeds', () => {
  test('are asked for a few at a time, and shown as they come', async () => {
    const {seeds, asked, answer} = started();
    const all = seeds.ask(shown(), null, 12);
    const lengths: number[] = [];
    seeds.store.subscribe(({rows}) => lengths.push(rows.length));
    for (let i = 0; i < 3; i++) await answer();
    expect(asked).toEqual([
      [1, 2, 3, 4, 5],
      [6, 7, 8, 9, 10],
      [11, 12],
    ]);
    expect([...new Set(lengths)]).toEqual([5, 10, 12]);
    expect((await all)?.map(({seed}) => seed)).toEqual(Array.from({length: 12}, (_, i) => i + 1));
    expect(seeds.store.getState()).toMatchObject({isBusy: false, wanted: 12, problem: null});
  });

  test('that are there are not asked for again, whatever seed is on show', async () => {
    const {seeds, asked, answer} = started();
    const all = seeds.ask(shown(), null, 5);
    await answer();
    await all;
    const more = seeds.ask(shown({seed: 3, typicalOf: 5}), null, 7);
    await answer();
    await more;
    expect(asked).toEqual([
      [1, 2, 3, 4, 5],
      [6, 7],
    ]);
    const fewer = await seeds.ask(shown(), null, 4);
    expect(fewer).toHaveLength(4);
    expect(seeds.store.getState().rows).toHaveLength(7);
  });

  test('of another scenario begin anew, and what comes late of the one before is nothing', async () => {
    const {seeds, answer} = started();
    const before = seeds.ask(shown(), null, 10);
    const after = seeds.ask(shown({path: {loss: 0.2}}), null, 5);
    await answer();
    expect(await before).toBeNull();
    expect(await after).toHaveLength(5);
    expect(seeds.store.getState().rows).toHaveLength(5);
  });

  test('that are cancelled keep what is there, and go on from it', async () => {
    const {seeds, asked, answer, cancelled} = started();
    const all = seeds.ask(shown(), null, 20);
    await answer();
    seeds.cancel();
    expect(seeds.store.getState()).toMatchObject({isBusy: false, problem: null});
    expect(seeds.store.getState().rows).toHaveLength(5);
    await answer();
    expect(await all).toBeNull();
    expect(seeds.store.getState().rows).toHaveLength(5);
    // what was under way was done before the engine had to end it
    expect(cancelled).toEqual([]);
    void seeds.ask(shown(), null, 20);
    expect(asked.at(-1)).toEqual([6, 7, 8, 9, 10]);
  });

  test('that go on long after they were cancelled are ended', async () => {
    const {seeds, cancelled} = started(0);
    void seeds.ask(shown(), null, 20);
    seeds.cancel();
    await expect.poll(() => cancelled).toHaveLength(1);
  });

  test('are tried again where the engine dies of one, and lose nothing where it dies twice', async () => {
    const {seeds, asked, answer, refuse} = started();
    const all = seeds.ask(shown(), null, 10);
    await answer();
    await refuse('The engine died.');
    expect(seeds.store.getState()).toMatchObject({isBusy: true, problem: null});
    await refuse('The engine died.');
    expect(await all).toBeNull();
    expect(seeds.store.getState()).toMatchObject({isBusy: false, problem: 'The engine died.'});
    expect(seeds.store.getState().rows).toHaveLength(5);
    const rest = seeds.ask(shown(), null, 10);
    expect(seeds.store.getState().problem).toBeNull();
    await answer();
    expect(await rest).toHaveLength(10);
    expect(asked.slice(1)).toEqual(Array(3).fill([6, 7, 8, 9, 10]));
  });
});

describe('seeds of a subject have to be asked for', () => {
  const subject = subjectOf(shown(), null);

  test('when their count changes while they run, until the new one is there', async () => {
    const {seeds, asked, answer} = started();
    const isToAsk = (count: number) => hasToAsk(seeds.store.getState(), subject, count);
    expect(isToAsk(10)).toBe(true);
    void seeds.ask(shown(), null, 10);
    expect([isToAsk(10), isToAsk(20), isToAsk(5)]).toEqual([false, true, true]);
    await answer();
    // more: it goes on past the old count
    const more = seeds.ask(shown(), null, 15);
    await answer();
    await answer();
    expect(await more).toHaveLength(15);
    expect([isToAsk(15), isToAsk(20)]).toEqual([false, true]);
    // fewer: it stops
    void seeds.ask(shown(), null, 30);
    expect(await seeds.ask(shown(), null, 10)).toHaveLength(10);
    expect(seeds.store.getState()).toMatchObject({isBusy: false, wanted: 10});
    expect(isToAsk(10)).toBe(false);
    await answer();
    expect(seeds.store.getState().rows).toHaveLength(15);
    expect(asked.at(-1)).toEqual([16, 17, 18, 19, 20]);
  });

  test('when they were cancelled, but not while the typical one of them is looked for', async () => {
    const {seeds, answer} = started();
    const isToAsk = (count: number) => hasToAsk(seeds.store.getState(), subject, count);
    void seeds.ask(shown(), null, 10, 'typical');
    expect([isToAsk(5), isToAsk(20)]).toEqual([false, false]);
    expect(hasToAsk(seeds.store.getState(), subjectOf(shown({path: {loss: 0.5}}), null), 10)).toBe(true);
    await answer();
    seeds.cancel();
    expect(isToAsk(10)).toBe(true);
  });
});

describe('the typical seed', () => {
  test('is found among the seeds, and is one step of the history', async () => {
    const {session, answerAll} = await opened();
    const found = findTypicalSeed(session, 9);
    await answerAll();
    await found;
    // times are 1 to 9 s in another order: the median is 5 s, of seed 7
    expect(session.store.getState().scenario).toMatchObject({seed: 7, typicalOf: 9});
    expect(session.store.getState().past).toHaveLength(1);
    await findTypicalSeed(session, 9);
    expect(session.store.getState().past).toHaveLength(1);
    session.undo();
    expect(session.store.getState().scenario).toMatchObject({seed: 1, typicalOf: null});
  });

  test('is not shown where meanwhile another scenario is, or it was cancelled', async () => {
    const {session, answerAll} = await opened();
    const found = findTypicalSeed(session, 9);
    session.choose('path.loss', 0.3);
    await answerAll();
    await found;
    expect(session.store.getState().scenario).toMatchObject({seed: 1, typicalOf: null});
    const other = findTypicalSeed(session, 9);
    session.seeds.cancel();
    await answerAll();
    await other;
    expect(session.store.getState().scenario).toMatchObject({seed: 1, typicalOf: null});
  });

  test('is not shown where another scenario is on its way', async () => {
    for (const act of [
      (session: Session) => session.choose('path.loss', 0.3),
      (session: Session) => session.openDocument({name: 'two.json', text: '{"path": {"loss": 0.3}}'}),
    ]) {
      const {session, answerAll, holdLoads} = await opened();
      const found = findTypicalSeed(session, 9);
      const giveLoads = holdLoads();
      act(session);
      await answerAll();
      await found;
      giveLoads();
      await expect
        .poll(() => session.store.getState().run?.scenario.path.loss.down)
        .toMatchObject({rate: 0.3});
      expect(session.store.getState().run?.scenario).toMatchObject({seed: 1, typicalOf: null});
    }
  });

  test('is by Speed Index, too, where the eye is known', async () => {
    const visualOf = (seed: number) => ({
      ...{recognisableMs: 1, goodMs: 1, visuallyCompleteMs: {85: 1, 100: 1}},
      speedIndexMs: (usualSeconds(seed) ?? 0) * 1000,
    });
    const {session, answerAll} = await opened(() => 5, visualOf);
    const found = findTypicalSeed(session, 9);
    await answerAll();
    await found;
    expect(session.store.getState().scenario.seed).toBe(7);
  });

  test('is none where no run is complete, and that is told', async () => {
    const {session, answerAll} = await opened(() => null);
    const found = findTypicalSeed(session, 3);
    await answerAll();
    await found;
    expect(session.store.getState().notice?.title).toMatch(/^No run of 3 is complete on every side/);
    expect(session.store.getState().past).toEqual([]);
  });
});

/** Seconds of a seed's run; 9 seeds have 1 to 9 s. */
function usualSeconds(seed: number): number | null {
  return (seed * 2) % 9 || 9;
}

function rowOf(
  seed: number,
  secondsOf: (seed: number) => number | null,
  visualOf: (seed: number) => SeedPane['visual'],
): SeedRow {
  const seconds = secondsOf(seed);
  const times = seconds === null ? null : {pageTimeMs: seconds * 1000};
  const outcome = seconds === null ? 'time-limit' : 'complete';
  return {seed, panes: [{outcome, reason: null, visual: visualOf(seed), times}]};
}

/** Its calls wait until {@link answer}. */
function fakeHost(
  secondsOf = usualSeconds as (seed: number) => number | null,
  visualOf: (seed: number) => SeedPane['visual'] = () => null,
) {
  const asked: (readonly number[])[] = [];
  const cancelled: string[] = [];
  const waiting: ((answer: SeedsAnswer) => void)[] = [];
  const host = {
    loadSeeds: (_scenario: unknown, _hash: string, seeds: readonly number[]) => {
      asked.push(seeds);
      return new Promise<SeedsAnswer>(resolve => {
        const good = {ok: true, rows: seeds.map(seed => rowOf(seed, secondsOf, visualOf))} as const;
        waiting.push(answer => resolve(answer.ok ? good : answer));
      });
    },
    cancelLoad: async (run: string) => void cancelled.push(run),
  };
  const tell = async (answer: SeedsAnswer) => {
    for (const resolve of waiting.splice(0)) resolve(answer);
    await new Promise(resolve => setTimeout(resolve));
  };
  const answer = () => tell({ok: true, rows: []});
  const answerAll = async () => {
    await new Promise(resolve => setTimeout(resolve));
    while (waiting.length > 0) await answer();
  };
  return {
    host,
    asked,
    cancelled,
    answer,
    answerAll,
    refuse: (message: string) => tell({ok: false, problems: [], message}),
  };
}

function started(patienceMs = 60_000) {
  const {host, ...rest} = fakeHost();
  return {seeds: new SeedRuns(host as unknown as Host, {patienceMs}), ...rest};
}

function shown(document: object = {}): Pick<ShownRun, 'scenario' | 'page'> {
  const parsed = parseScenario({panes: [{pipeline: 'tcp'}], ...document});
  if (!parsed.ok) throw new Error(parsed.problems[0]?.message);
  return {scenario: parsed.scenario, page: PAGE};
}

const PAGE = {name: 'page', objects: [], headerBytes: 0, requestBytes: 0, hash: 'h', leftOut: []};

/** A session with its run on show. */
async function opened(...rows: Parameters<typeof fakeHost>) {
  const fake = fakeHost(...rows);
  let free: Promise<void> = Promise.resolve();
  const holdLoads = () => {
    let giveLoads = () => {};
    free = new Promise(resolve => {
      giveLoads = resolve;
    });
    return () => giveLoads();
  };
  const host = {
    ...fake.host,
    start: async () => ({engine: {state: 'ready'}, recording: {kind: 'idle'}, opened: null}),
    pageNames: async () => [],
    openPage: async () => ({ok: true, page: PAGE}),
    load: () => free.then(() => ({ok: true, run: encodeRun({scenario: {}, panes: [smallTrace()]})})),
    on: () => () => undefined,
  } as unknown as Host;
  const session = new Session(host, new Player(), shown().scenario);
  await session.start();
  await expect.poll(() => session.store.getState().run).not.toBeNull();
  return {session, holdLoads, ...fake};
}
