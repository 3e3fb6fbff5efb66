import {afterAll, beforeAll, describe, expect, test, vi} from 'vitest';
import type {Host} from '../../../app/host/contract.ts';
import {encodeRun} from '../../../app/run/trace/runFile.ts';
import {smallTrace} from '../../../app/run/trace/testing/smallTrace.ts';
import {fakeHost, shown, usualSeconds} from '../../session/grid/testing/gridHost.ts';
import {Player} from '../../session/player.ts';
import {Session} from '../../session/session.ts';
import {findTypicalSeed} from './findTypicalSeed.ts';
import {SEED_RUNS} from './seedRuns.ts';

// The runs are computed in the background: the host answers when the test tells it to.

beforeAll(() => {
  vi.stubGlobal('requestAnimationFrame', () => 0);
  vi.stubGlobal('cancelAnimationFrame', () => undefined);
});
afterAll(() => vi.unstubAllGlobals());

describe('the search for the typical seed', () => {
  test('finds the seed, and shows it as one step of the history', async () => {
    const {session, answerAll} = await opened();
    const found = findTypicalSeed(session, 9);
    await answerAll();
    await found;
    // the times are 1 to 9 s in another order; the median is the 5 s of seed 7
    expect(session.store.getState().scenario).toMatchObject({seed: 7, typicalOf: 9});
    expect(session.store.getState().past).toHaveLength(1);
    await findTypicalSeed(session, 9);
    expect(session.store.getState().past).toHaveLength(1);
    session.history.undo();
    expect(session.store.getState().scenario).toMatchObject({seed: 1, typicalOf: null});
  });

  test('shows nothing if another scenario is on screen by then, or if it was cancelled', async () => {
    const {session, answerAll} = await opened();
    const found = findTypicalSeed(session, 9);
    session.history.choose('path.loss', 0.3);
    await answerAll();
    await found;
    expect(session.store.getState().scenario).toMatchObject({seed: 1, typicalOf: null});
    const other = findTypicalSeed(session, 9);
    session.stateOf(SEED_RUNS).cancel();
    await answerAll();
    await other;
    expect(session.store.getState().scenario).toMatchObject({seed: 1, typicalOf: null});
  });

  test('shows nothing if another scenario is being loaded', async () => {
    for (const act of [
      (session: Session) => session.history.choose('path.loss', 0.3),
      (session: Session) => session.documents.open({name: 'two.json', text: '{"path": {"loss": 0.3}}'}),
    ]) {
      const {session, answerAll, holdLoads} = await opened();
      const found = findTypicalSeed(session, 9);
      const giveLoads = holdLoads();
      act(session);
      await answerAll();
      await found;
      giveLoads();
      await expect.poll(() => session.store.getState().run?.scenario.path.loss.down).toMatchObject({rate: 0.3});
      expect(session.store.getState().run?.scenario).toMatchObject({seed: 1, typicalOf: null});
    }
  });

  test('also uses the Speed Index if the quality is known', async () => {
    const speedIndexMsOf = (seed: number) => usualSeconds(seed) * 1000;
    const {session, answerAll} = await opened({secondsOf: () => 5, speedIndexMsOf});
    const found = findTypicalSeed(session, 9);
    await answerAll();
    await found;
    expect(session.store.getState().scenario.seed).toBe(7);
  });

  test('finds none if no run is complete, and says so', async () => {
    const {session, answerAll} = await opened({secondsOf: () => null});
    const found = findTypicalSeed(session, 3);
    await answerAll();
    await found;
    expect(session.store.getState().notice?.title).toMatch(/^There is no typical seed: none of 3 runs/);
    expect(session.store.getState().past).toEqual([]);
  });
});

/** A session with its run on screen. */
async function opened(options: Parameters<typeof fakeHost>[0] = {}) {
  const fake = fakeHost(options);
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
    keptPages: async () => [],
    openPage: async () => ({ok: true, page: shown().page}),
    load: () => free.then(() => ({ok: true, run: encodeRun({scenario: {}, panes: [smallTrace()]})})),
    on: () => () => undefined,
  } as unknown as Host;
  const session = new Session(host, new Player(), shown().scenario);
  await session.start();
  await expect.poll(() => session.store.getState().run).not.toBeNull();
  return {session, holdLoads, ...fake};
}
