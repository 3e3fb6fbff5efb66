import {beforeEach, describe, expect, test, vi} from 'vitest';
import type {Json} from '../../app/base/json.ts';
import type {Host, LoadAnswer, PageAnswer} from '../../app/host/contract.ts';
import {parseScenario, type Scenario} from '../../app/run/scenario/scenario.ts';
import {encodeRun} from '../../app/run/trace/runFile.ts';
import {smallTrace} from '../../app/run/trace/testing/smallTrace.ts';
import {parseStory} from '../../app/telling/story/story.ts';
import {openFeatures} from '../features/feature.ts';
import {FEATURES} from '../features/list.ts';
import {STORY_PLAYER} from '../features/story/sessionStoryPlayer.ts';
import {type LoadResult, Loads} from './loads.ts';
import {Player} from './player.ts';
import {Session} from './session.ts';

const PAGE_GONE: LoadAnswer = {ok: false, problems: [], message: 'no longer held', isPageGone: true};

describe('the page of a run', () => {
  test('is opened once, and every pane uses it', async () => {
    const {host, opened, loaded} = fakeHost();
    const {loads, results} = loading(host);
    loads.request(scenario());
    await expect.poll(() => results).toHaveLength(1);
    loads.request(scenario({seed: 2}));
    await expect.poll(() => results).toHaveLength(2);
    expect(opened).toEqual(['gallery']);
    expect(loaded.map(({hash}) => hash)).toEqual(Array(4).fill('page 1'));
    expect(results.map(result => result.ok && result.run.page.hash)).toEqual(['page 1', 'page 1']);
  });

  test('needs no waiting if it is open: the panes are requested at once', async () => {
    const {host, loaded} = fakeHost();
    const {loads, results} = loading(host);
    loads.request(scenario());
    await expect.poll(() => results).toHaveLength(1);
    loads.request(scenario({seed: 2}));
    expect(loaded).toHaveLength(4);
  });

  test('is loaded in one call if its panes share the network path', async () => {
    const panes = [smallTrace(), smallTrace()];
    const file = encodeRun({scenario: {}, page: {hash: 'page 1', leftOut: []}, panes});
    const {host, loaded} = fakeHost(async () => ({ok: true, run: file}));
    const {loads, results} = loading(host);
    loads.request(scenario({path: {atOnce: true}}));
    await expect.poll(() => results).toHaveLength(1);
    expect(loaded).toHaveLength(1);
    expect(loaded[0]?.document).toMatchObject({panes: [{pipeline: 'tcp'}, {pipeline: 'sctp'}]});
    expect(results).toMatchObject([{ok: true, run: {traces: [{}, {}], metrics: [{}, {}]}}]);
  });

  test('is loaded without a result if the answer has fewer panes than the scenario', async () => {
    const {host} = fakeHost();
    const {loads, results} = loading(host);
    loads.request(scenario({path: {atOnce: true}}));
    await expect.poll(() => results).toHaveLength(1);
    expect(results).toMatchObject([{ok: false, message: 'the run lacks a pane'}]);
  });

  test('is replaced if the next run has another page, and is opened again on request', async () => {
    const {host, opened} = fakeHost();
    const {loads, results} = loading(host);
    loads.request(scenario());
    await expect.poll(() => results).toHaveLength(1);
    loads.request(scenario({page: 'r02'}));
    await expect.poll(() => results).toHaveLength(2);
    loads.requestAnew(scenario({page: 'r02'}));
    await expect.poll(() => results).toHaveLength(3);
    expect(opened).toEqual(['gallery', 'r02', 'r02']);
    expect(results.at(-1)).toMatchObject({run: {page: {hash: 'page 3'}}});
  });

  test('is opened with the conversions of its panes, and again if the conversions change', async () => {
    const fake = fakeHost();
    const wanted: (readonly string[])[] = [];
    const openPage: Host['openPage'] = (page, run, conversions) => {
      wanted.push(conversions);
      return fake.host.openPage(page, run, conversions);
    };
    const {loads, results} = loading({...fake.host, openPage});
    const panes = (...conversions: readonly string[]) => ({
      panes: conversions.map(conversion => ({pipeline: 'tcp', conversion})),
    });
    const wishes = [panes('none'), panes('webp', 'progressive'), panes('progressive', 'webp')];
    for (const [i, wish] of wishes.entries()) {
      loads.request(scenario(wish));
      await expect.poll(() => results).toHaveLength(i + 1);
    }
    expect(wanted).toEqual([[], ['progressive', 'webp']]);
  });

  test('is opened again on request, even if another request arrives before that is done', async () => {
    const {host, opened} = fakeHost();
    const {loads, results} = loading(host);
    loads.request(scenario());
    loads.requestAnew(scenario());
    loads.request(scenario({seed: 2}));
    await expect.poll(() => results).toHaveLength(2);
    expect(opened).toEqual(['gallery', 'gallery']);
    expect(results.at(-1)).toMatchObject({run: {scenario: {seed: 2}, page: {hash: 'page 2'}}});
  });

  test('is opened again on request, even if a run of this scenario was computed in advance', async () => {
    const {host, opened} = fakeHost();
    const results: LoadResult[] = [];
    const prepared = () => {
      const [first] = results;
      return first?.ok === true ? Promise.resolve(first.run) : undefined;
    };
    const loads = new Loads(host, result => results.push(result), {prepared});
    for (const length of [1, 2]) {
      loads.request(scenario());
      await expect.poll(() => results).toHaveLength(length);
    }
    expect(opened).toEqual(['gallery']);
    loads.requestAnew(scenario());
    await expect.poll(() => results.at(-1)).toMatchObject({run: {page: {hash: 'page 2'}}});
  });

  test('is opened again for all panes if the host no longer keeps it', async () => {
    const {host, opened, loaded} = fakeHost(async ({hash, nth}) => (nth === 4 ? PAGE_GONE : answerOf(hash)));
    const {loads, results} = loading(host);
    for (const seed of [1, 2]) {
      loads.request(scenario({seed}));
      await expect.poll(() => results).toHaveLength(seed);
    }
    expect(opened).toEqual(['gallery', 'gallery']);
    expect(loaded.slice(-2).map(({hash}) => hash)).toEqual(['page 2', 'page 2']);
    expect(results.at(-1)).toMatchObject({ok: true, run: {page: {hash: 'page 2'}}});
  });

  test('is not opened a second time if the host has lost the page that it has just opened: the load is refused', async () => {
    const {host, opened} = fakeHost(async () => PAGE_GONE);
    const {loads, results} = loading(host);
    loads.request(scenario());
    await expect.poll(() => results).toEqual([PAGE_GONE]);
    expect(opened).toEqual(['gallery']);
  });

  test('can be a page that the host already keeps, named by its hash', async () => {
    const {host, opened, loaded} = fakeHost();
    const {loads, results} = loading(host);
    loads.requestHeld(scenario(), 'held');
    await expect.poll(() => results).toHaveLength(1);
    expect(opened).toEqual([]);
    expect(loaded.map(({hash}) => hash)).toEqual(['held', 'held']);
    loads.requestHeld(scenario(), 'gone');
    await expect.poll(() => results.at(-1)).toEqual(PAGE_GONE);
  });
});

describe('the newest request', () => {
  test('ends a load that takes too long', async () => {
    const {host, cancelled, loaded} = fakeHost(({document, hash}) =>
      (document as {seed: number}).seed === 1 ? new Promise(() => undefined) : answerOf(hash),
    );
    const {loads, results} = loading(host, 50);
    loads.request(scenario());
    await expect.poll(() => loaded).toHaveLength(2);
    for (const seed of [2, 3]) loads.request(scenario({seed}));
    await expect.poll(() => results).toHaveLength(1);
    expect(results[0]).toMatchObject({ok: true, run: {scenario: {seed: 3}}});
    expect(cancelled).toEqual([loaded[0]?.run]);
    // all calls for one request have the same `run`, and calls for other requests have another
    expect(new Set(loaded.map(({run}) => run)).size).toBe(2);
    expect(loaded[1]?.run).toBe(loaded[0]?.run);
  });

  test('waits for a load that is done soon, which is shown', async () => {
    const {host, cancelled} = fakeHost(async ({hash}) => {
      await new Promise(resolve => setTimeout(resolve, 20));
      return answerOf(hash);
    });
    const {loads, results} = loading(host, 60_000);
    for (const seed of [1, 2, 3]) loads.request(scenario({seed}));
    await expect.poll(() => results).toHaveLength(2);
    expect(results.map(result => result.ok && result.run.scenario.seed)).toEqual([1, 3]);
    expect(cancelled).toEqual([]);
  });

  test('is loaded even if the previous run cannot be shown, which is reported as a refusal', async () => {
    const {host} = fakeHost();
    const results: LoadResult[] = [];
    const loads = new Loads(host, result => {
      results.push(result);
      if (result.ok && result.run.scenario.seed === 1) throw new Error('no such view');
    });
    loads.request(scenario());
    await expect.poll(() => results).toHaveLength(2);
    expect(results[1]).toMatchObject({ok: false, message: 'no such view'});
    loads.request(scenario({seed: 2}));
    await expect.poll(() => results.at(-1)).toMatchObject({ok: true, run: {scenario: {seed: 2}}});
  });

  test('is loaded even after a refusal that cannot be shown', async () => {
    const {host} = fakeHost();
    const [errors, results]: [unknown[], LoadResult[]] = [[], []];
    const onError = (error: unknown): void => void errors.push(error);
    // vitest's own listeners would report a failure of the test
    const listeners = process.listeners('unhandledRejection');
    process.removeAllListeners('unhandledRejection').on('unhandledRejection', onError);
    const loads = new Loads(host, result => {
      results.push(result);
      if (!result.ok || result.run.scenario.seed === 1) throw new Error('no window');
    });
    loads.request(scenario());
    await expect.poll(() => errors).toHaveLength(1);
    process.off('unhandledRejection', onError);
    for (const listener of listeners) process.on('unhandledRejection', listener);
    loads.request(scenario({seed: 2}));
    await expect.poll(() => results.at(-1)).toMatchObject({ok: true, run: {scenario: {seed: 2}}});
  });

  test('is not affected by a page that arrives too late', async () => {
    let answerLate: (answer: PageAnswer) => void = () => undefined;
    const fake = fakeHost();
    const openPage: Host['openPage'] = (page, run) =>
      page === 'slow' ? new Promise(resolve => (answerLate = resolve)) : fake.host.openPage(page, run, []);
    const {loads, results} = loading({...fake.host, openPage}, 10);
    loads.request(scenario({page: 'slow'}));
    loads.request(scenario());
    await expect.poll(() => results).toHaveLength(1);
    answerLate({ok: true, page: pageOf('slow page')});
    await new Promise(resolve => setTimeout(resolve));
    loads.request(scenario());
    await expect.poll(() => results).toHaveLength(2);
    expect(fake.opened).toEqual(['gallery']);
  });
});

describe('a window', () => {
  beforeEach(() => {
    vi.stubGlobal('requestAnimationFrame', () => 0);
    vi.stubGlobal('cancelAnimationFrame', () => undefined);
    return () => vi.unstubAllGlobals();
  });

  test('reports what is not loaded of a page, once each time the page is opened', async () => {
    const {host} = fakeHost(undefined, ['index.html: it is cut at byte 3']);
    const session = new Session(host, new Player(), scenario());
    openFeatures(session, FEATURES);
    const state = () => session.store.getState();
    const told = {title: 'Some parts of the page “gallery” are not loaded', lines: ['index.html: it is cut at byte 3']};
    session.screen.load();
    await expect.poll(() => state().notice).toEqual(told);
    session.notices.dismiss();
    session.anotherSeed();
    await expect.poll(() => state().run?.scenario.seed).toBe(2);
    expect(state().notice).toBeNull();
    session.screen.reload();
    await expect.poll(() => state().notice).toEqual(told);
  });

  test('that shows a story uses newly opened content after a reload, even in steps that were computed in advance', async () => {
    const {host, opened} = fakeHost();
    const session = new Session(host, new Player(), scenario());
    openFeatures(session, FEATURES);
    const hash = () => session.store.getState().run?.page.hash;
    const parsed = parseStory({
      story: 1,
      title: 'x',
      steps: [{scenario: {}}, {set: {seed: 2}}, {set: {seed: 3}}],
    });
    if (!parsed.ok) throw new Error(parsed.problems[0].message);
    session.stateOf(STORY_PLAYER).open(parsed.story);
    // the page is opened for the step, and for the next step, which is computed in advance
    await expect.poll(() => opened).toHaveLength(2);
    await expect.poll(hash).toBe('page 1');
    session.screen.reload();
    await expect.poll(hash).toBe('page 3');
    for (const seed of [2, 3]) {
      session.stateOf(STORY_PLAYER).go(seed - 1);
      await expect.poll(() => session.store.getState().run?.scenario.seed).toBe(seed);
      expect(hash()).toBe(seed === 2 ? 'page 3' : 'page 4');
    }
  });
});

function scenario(document: unknown = {}): Scenario {
  const parsed = parseScenario(document);
  if (!parsed.ok) throw new Error(parsed.problems[0]?.message);
  return parsed.scenario;
}

function loading(host: Host, patienceMs = 60_000) {
  const results: LoadResult[] = [];
  return {loads: new Loads(host, result => results.push(result), {patienceMs}), results};
}

interface AskedLoad {
  readonly document: Json;
  readonly hash: string;
  readonly run: string;
  /** The number of the load, from 1. */
  readonly nth: number;
}

/** A host. Each opening of a page returns another content, with the hash `page 1`, `page 2` and so on. */
function fakeHost(load = async ({hash}: AskedLoad) => answerOf(hash), leftOut: readonly string[] = []) {
  const opened: Json[] = [];
  const loaded: AskedLoad[] = [];
  const cancelled: string[] = [];
  const host = {
    openPage: async page => {
      opened.push(page);
      return {ok: true, page: {...pageOf(`page ${opened.length}`), leftOut}};
    },
    heldPage: async hash => (hash === 'gone' ? (PAGE_GONE as PageAnswer) : {ok: true, page: pageOf(hash)}),
    load: (document, hash, run) => {
      const asked = {document, hash, run, nth: loaded.length + 1};
      loaded.push(asked);
      return load(asked);
    },
    cancelLoad: async run => void cancelled.push(run),
    on: () => () => undefined,
  } satisfies Partial<Host>;
  return {host: host as Partial<Host> as Host, opened, loaded, cancelled};
}

function pageOf(hash: string) {
  return {name: 'gallery', hash, leftOut: [], objects: [], headerBytes: 0, requestBytes: 0};
}

async function answerOf(hash: string): Promise<LoadAnswer> {
  return {ok: true, run: encodeRun({scenario: {}, page: {hash, leftOut: []}, panes: [smallTrace()]})};
}
