import {afterAll, beforeAll, expect, test, vi} from 'vitest';
import type {Json} from '../../app/base/json.ts';
import type {Host, LiveAnswer} from '../../app/host/contract.ts';
import {scenarioLink} from '../../app/run/scenario/link.ts';
import {parseScenario, type Scenario} from '../../app/run/scenario/scenario.ts';
import {decodeRun, encodeRun} from '../../app/run/trace/runFile.ts';
import {smallTrace} from '../../app/run/trace/testing/smallTrace.ts';
import type {TraceData} from '../../app/run/trace/traceData.ts';
import {openFeatures} from '../features/feature.ts';
import {FEATURES} from '../features/list.ts';
import {STORY_PLAYER} from '../features/story/sessionStoryPlayer.ts';
import {closeFront} from '../window/closeFront.ts';
import {NO_MODEL, toggleModel} from '../window/toggleModel.ts';
import {Loads} from './loads.ts';
import {Player} from './player.ts';
import {Session} from './session.ts';
import {nonRepeatableRun} from './traceFiles.ts';

// A live load in a session. The host answers when the test tells it to.

beforeAll(() => {
  vi.stubGlobal('requestAnimationFrame', () => 0);
  vi.stubGlobal('cancelAnimationFrame', () => undefined);
});
afterAll(() => vi.unstubAllGlobals());

const MS = 1e6;

test('a live load grows on screen, and t follows the pane that is loading, up to the end', async () => {
  const {session, answerWith} = live();
  session.screen.load();
  await answerWith([growing(5)], [waiting()]);
  const {scenario} = session.store.getState();
  expect(session.store.getState()).toMatchObject({isComputing: true, run: {scenario}});
  expect(session.player).toMatchObject({tNs: 5 * MS, state: {isPlaying: false, endNs: 5 * MS, speed: 1}});
  await answerWith([growing(30)], [waiting()]);
  expect(session.player.tNs).toBe(30 * MS);
  const {run} = session.store.getState();
  expect(run?.traces[0]?.totalBytesAt(30 * MS)).toBe(200);
  // the next pane has its own time
  await answerWith([smallTrace()], [growing(20)]);
  expect(session.player).toMatchObject({tNs: 20 * MS, state: {endNs: 70 * MS, speed: 1}});
  await answerWith([smallTrace()], [smallTrace()], true);
  expect(session.player.tNs).toBe(70 * MS);
  expect(session.player.state.speed).toBeLessThan(1);
  const over = session.store.getState();
  expect(over).toMatchObject({isComputing: false, before: null, run: {live: {isOver: true}}});
  // the losses of a live load are not known
  expect(over.run?.metrics[0]?.lost).toEqual({down: Number.NaN, up: Number.NaN});
  expect(closeFront(session, FEATURES)).toBeUndefined();
  expect(session.store.getState().run).toBe(over.run);
});

test('a live load has no model, and a notice says so', async () => {
  const {session, answerWith} = live();
  session.screen.load();
  await answerWith([growing(5)], [waiting()]);
  const {view} = session.store.getState();
  toggleModel(session);
  expect(session.store.getState()).toMatchObject({view, notice: {title: NO_MODEL}});
});

test('t stays where the user moved it, and follows the load again after the user moved it to the end', async () => {
  const {session, answerWith} = live();
  session.screen.load();
  await answerWith([growing(5)], [waiting()]);
  await session.player.seek(2 * MS);
  await answerWith([growing(10)], [waiting()]);
  expect(session.player).toMatchObject({tNs: 2 * MS, state: {endNs: 10 * MS}});
  await session.player.seek(10 * MS);
  await answerWith([growing(15)], [waiting()]);
  expect(session.player.tNs).toBe(15 * MS);
});

test('after Escape the received data stays, and nothing more is requested', async () => {
  const {session, answerWith, asked, cancelled} = live();
  session.screen.load();
  await answerWith([growing(30)], [waiting()]);
  const before = asked();
  closeFront(session, FEATURES);
  // the length is known now, so `auto` uses it
  expect(session.player.state.speed).toBeLessThan(1);
  const {run, isComputing} = session.store.getState();
  expect(isComputing).toBe(false);
  expect(run?.traces.map(({data}) => [data.outcome, data.reason])).toEqual([
    ['aborted', 'ended by the user'],
    ['aborted', 'ended by the user'],
  ]);
  expect(run?.traces[0]?.totalBytesAt(30 * MS)).toBe(200);
  await answerWith([growing(40)], [waiting()]);
  expect(cancelled).toHaveLength(1);
  expect(asked()).toBe(before);
  expect(session.store.getState().run).toBe(run);
});

test('a newer load replaces a live load at once, and the last answer of the live load is not shown', async () => {
  const {session, answerWith, cancelled} = live();
  session.screen.load();
  await answerWith([growing(30)], [waiting()]);
  session.history.choose('path.live', 'b:1');
  await expect.poll(() => cancelled).toHaveLength(1);
  expect(session.store.getState().run?.traces[0]?.data.reason).toMatch(/^ended: /);
  await answerWith([growing(35)], [waiting()]);
  expect(session.store.getState().run?.traces[0]?.data.endNs).toBe(30 * MS);
  await expect.poll(() => session.store.getState().isComputing).toBe(true);
});

test('an answer that arrives together with Escape is not shown', async () => {
  const {session, answerWith, answerNow} = live();
  session.screen.load();
  await answerWith([growing(30)], [waiting()]);
  answerNow([growing(40)], [waiting()]);
  closeFront(session, FEATURES);
  for (let i = 0; i < 20; i++) await Promise.resolve();
  expect(session.store.getState().run?.live).toMatchObject({isOver: true});
  expect(session.store.getState().run?.traces[0]?.data).toMatchObject({outcome: 'aborted'});
});

test('an outdated live load is ended at once, because its server may have other clients', async () => {
  const {host, cancelled} = live();
  const loads = new Loads(host, () => undefined, {patienceMs: 2e9});
  loads.request(scenario());
  for (let i = 0; i < 20; i++) await Promise.resolve();
  loads.request(scenario());
  await expect.poll(() => cancelled).toHaveLength(1);
});

test('if the host refuses during the load, the received data stays, and a notice says why', async () => {
  const {session, answerWith, refuse} = live();
  session.screen.load();
  await answerWith([growing(30)], [waiting()]);
  await refuse('a:1 cannot be found');
  const {run, notice, isComputing} = session.store.getState();
  expect([notice?.title, isComputing]).toEqual(['a:1 cannot be found', false]);
  expect(run?.traces[0]?.data).toMatchObject({outcome: 'aborted', reason: 'a:1 cannot be found'});
});

test('a note about the server is shown once', async () => {
  const {session, answerWith} = live();
  session.screen.load();
  await answerWith([growing(5)], [waiting()]);
  expect(session.store.getState().notice).toBeNull();
  await answerWith([growing(6)], [waiting()], false, ['a:1 serves another']);
  expect(session.store.getState().notice).toEqual({title: 'a:1 serves another', lines: []});
  session.notices.dismiss();
  await answerWith([growing(7)], [waiting()], false, ['a:1 serves another']);
  expect(session.store.getState().notice).toBeNull();
});

test('a live load has no other seeds, no panel of seeds, and no bytes of packets', async () => {
  const {session, answerWith} = live();
  session.screen.load();
  await answerWith([smallTrace()], [smallTrace()], true);
  session.anotherSeed();
  expect(session.store.getState()).toMatchObject({scenario: {seed: 1}, past: []});
  expect(session.store.getState().notice?.title).toContain('no seeds');
  session.togglePanel('seeds');
  expect(session.store.getState().view.panel).toBeNull();
  expect(await session.highlights.partsOf({pane: 0, packet: 0})).toMatchObject({ok: false});
});

test('a saved live load contains what had arrived, and is not loading', async () => {
  const {session, answerWith} = live();
  session.screen.load();
  await answerWith([growing(30)], [waiting()]);
  const {run, scenario} = session.store.getState();
  const file = nonRepeatableRun(run, scenario);
  const decoded = decodeRun(encodeRun(file ?? {scenario: {}, panes: []}));
  expect(decoded.ok && decoded.run.panes.map(({outcome}) => outcome)).toEqual(['aborted', 'aborted']);
});

test('a server on another machine in a file, or any server in a link, needs the user’s consent', async () => {
  const panes = [{pipeline: 'tcp'}, {pipeline: 'tcp'}];
  const document = (path: object, own: object = {}) => ({path, panes: [panes[0], {...panes[1], ...own}]});
  const [here, there] = ['127.0.0.1:9', 'far.test:9'];
  for (const [opened, server] of [
    [textOf(document({live: here})), undefined],
    [textOf(document({})), undefined],
    [textOf(document({live: there})), there],
    [textOf(document({live: here}, {path: {live: there}})), there],
    [scenarioLink(document({live: here}) as Json), here],
    [scenarioLink(document({}) as Json), undefined],
  ] as const) {
    const {session, answerWith, asked} = live();
    session.screen.load();
    await answerWith([smallTrace()], [smallTrace()], true);
    const before = asked();
    session.documents.open({name: 'it', text: opened});
    await vi.waitFor(() => expect(session.store.getState().isComputing).toBe(server === undefined));
    const {notice, scenario} = session.store.getState();
    expect(notice?.action?.label).toBe(server && `Load from ${server}`);
    if (server === undefined) continue;
    expect(notice?.title).toBe(`it loads from ${server}`);
    expect([asked(), scenario.path.live]).toEqual([before, 'a:1']);
    notice?.action?.act();
    await expect.poll(asked).toBe(before + 1);
    expect(session.store.getState().notice).toBeNull();
  }
});

test('a server on another machine in a dropped file needs the user’s consent, too', () => {
  const {session, asked} = live();
  session.documents.openFile('it.json', new TextEncoder().encode(textOf({path: {live: 'far.test:9'}})));
  expect(session.store.getState().notice?.action?.label).toBe('Load from far.test:9');
  // a window without a run keeps its first scenario
  expect([asked(), session.screen.wanted.path.live]).toEqual([0, 'a:1']);
});

test('a server on another machine in a step of a story needs consent before the story begins', () => {
  const {session} = live();
  const steps = [{scenario: {}}, {set: {'path.live': 'far.test:9'}}, {}];
  session.documents.open({name: 'it', text: textOf({story: 1, title: 'It', steps})});
  expect(session.stateOf(STORY_PLAYER).store.getState().story).toBeNull();
  const {notice} = session.store.getState();
  expect(notice?.action?.label).toBe('Load from far.test:9');
  notice?.action?.act();
  expect(session.stateOf(STORY_PLAYER).store.getState().story?.title).toBe('It');
});

function textOf(document: object): string {
  return JSON.stringify(document);
}

type Panes = readonly [TraceData];

/** A session with a live scenario of two panes. */
function live() {
  const waitingFor: ((answer: LiveAnswer) => void)[] = [];
  const cancelled: string[] = [];
  let asked = 0;
  const host = {
    openPage: async () => ({
      ok: true,
      page: {name: 'page', objects: [], headerBytes: 0, requestBytes: 0, hash: 'h', leftOut: []},
    }),
    aboutPage: async () => null,
    loadLive: () => {
      asked += 1;
      return new Promise(resolve => waitingFor.push(resolve));
    },
    cancelLoad: async (run: string) => void cancelled.push(run),
    on: () => () => undefined,
  } as unknown as Host;
  const session = new Session(host, new Player(), scenario());
  openFeatures(session, FEATURES);
  const answer = async (value: LiveAnswer) => {
    await expect.poll(() => waitingFor.length).toBeGreaterThan(0);
    waitingFor.shift()?.(value);
    for (let i = 0; i < 20; i++) await Promise.resolve();
  };
  const answerWith = (...parts: Parameters<typeof liveAnswerOf>): Promise<void> => answer(liveAnswerOf(...parts));
  /** Answers at once. The code that waits for the answer continues only when the test waits for something. */
  const answerNow = (...parts: Parameters<typeof liveAnswerOf>): void => {
    expect(waitingFor).toHaveLength(1);
    waitingFor.shift()?.(liveAnswerOf(...parts));
  };
  const refuse = (message: string) => answer({ok: false, problems: [], message});
  return {host, session, answerWith, answerNow, refuse, cancelled, asked: () => asked};
}

function scenario(): Scenario {
  const parsed = parseScenario({path: {live: 'a:1'}, panes: [{pipeline: 'tcp'}, {pipeline: 'tcp'}]});
  if (!parsed.ok) throw new Error(parsed.problems[0]?.message);
  return parsed.scenario;
}

function liveAnswerOf([first]: Panes, [second]: Panes, isOver = false, notes: readonly string[] = []): LiveAnswer {
  const run = encodeRun({scenario: {}, page: {hash: 'h', leftOut: []}, panes: [first, second]});
  return {ok: true, run, isOver, notes};
}

/** The small trace up to this time. */
function growing(ms: number): TraceData {
  const {deliveries, ...trace} = smallTrace();
  const rows = deliveries.atNs.filter(atNs => atNs <= ms * MS).length;
  const {object, atNs, bytes, first} = deliveries;
  return {
    ...trace,
    outcome: 'loading',
    reason: null,
    endNs: ms * MS,
    deliveries: {
      object: object.slice(0, rows),
      atNs: atNs.slice(0, rows),
      bytes: bytes.slice(0, rows),
      first: first.slice(0, rows),
    },
  };
}

function waiting(): TraceData {
  return {...growing(0), reason: 'waits for its turn'};
}
