import {afterAll, beforeAll, expect, test, vi} from 'vitest';
import type {Host, PageAnswer} from '../../app/host/contract.ts';
import {scenarioDocument} from '../../app/run/scenario/document.ts';
import {parseScenario, type Scenario} from '../../app/run/scenario/scenario.ts';
import type {TraceFile} from '../../app/run/trace/joinRuns.ts';
import {encodeRun} from '../../app/run/trace/runFile.ts';
import {smallTrace} from '../../app/run/trace/testing/smallTrace.ts';
import {Player} from './player.ts';
import {Session} from './session.ts';

// These tests check a window with trace files. They count what is computed.

beforeAll(() => {
  vi.stubGlobal('requestAnimationFrame', () => 0);
  vi.stubGlobal('cancelAnimationFrame', () => undefined);
});
afterAll(() => vi.unstubAllGlobals());

function scenarioOf(settings: object, panes = 1): Scenario {
  const parsed = parseScenario({...settings, panes: Array.from({length: panes}, () => ({pipeline: 'tcp'}))});
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.problems));
  return parsed.scenario;
}

function fileOf(name: string, settings: object, panes = 1): TraceFile {
  const scenario = scenarioDocument(scenarioOf(settings, panes));
  const page = {hash: 'h', leftOut: []};
  return {name, bytes: encodeRun({scenario, page, panes: Array.from({length: panes}, smallTrace)})};
}

const [a, b] = [fileOf('a.trace', {seed: 1}), fileOf('b.trace', {seed: 2}, 2)];

async function opened() {
  const asked = {loads: 0, packets: [] as unknown[]};
  const openPage = async (page: unknown): Promise<PageAnswer> =>
    page === 'https://gone.test/'
      ? {ok: false, problems: [], message: 'it is gone'}
      : {
          ok: true,
          page: {name: 'page', objects: [], headerBytes: 0, requestBytes: 0, hash: 'h', leftOut: []},
        };
  const host = {
    start: async () => ({
      shell: 'web',
      version: '',
      engine: {state: 'ready'},
      recording: {kind: 'idle'},
      opened: null,
      remembered: null,
    }),
    pageNames: async () => [],
    keptPages: async () => [],
    aboutPage: async () => null,
    openPage,
    packetParts: async (...args: Parameters<Host['packetParts']>) => {
      asked.packets.push(args.slice(0, 4));
      return {ok: true, parts: []};
    },
    load: async () => {
      asked.loads += 1;
      return {ok: true, run: encodeRun({scenario: {}, panes: [smallTrace()]})};
    },
    on: () => () => undefined,
  } as Partial<Host> as Host;
  const session = new Session(host, new Player(), scenarioOf({seed: 77}));
  await session.start();
  await settle();
  session.player.pause();
  return {session, asked, state: () => session.store.getState()};
}

/** Resolves when everything that was requested has arrived. */
function settle(): Promise<void> {
  return new Promise(resolve => setTimeout(resolve, 5));
}

test('trace files are shown without a load, and are steps for undo and redo', async () => {
  const {session, asked, state} = await opened();
  const {loads} = asked;
  session.documents.openTraces([a, b]);
  await settle();
  expect(state().run?.sources?.map(({file, pane}) => [file, pane])).toEqual([
    ['a.trace', 0],
    ['b.trace', 0],
    ['b.trace', 1],
  ]);
  expect(asked.loads).toBe(loads);
  session.history.undo();
  await settle();
  expect(state().run).toMatchObject({scenario: {seed: 77}});
  expect(state().run?.sources).toBeUndefined();
  const after = asked.loads;
  session.history.redo();
  await settle();
  expect(state().run?.sources).toHaveLength(3);
  session.screen.reload();
  await settle();
  expect([asked.loads, state().run?.sources?.length]).toEqual([after, 3]);
});

test('the settings of trace files cannot be changed, and a notice says so', async () => {
  const {session, asked, state} = await opened();
  session.documents.openTraces([a]);
  await settle();
  const {loads} = asked;
  const shown = state().scenario;
  for (const act of [
    () => session.history.choose('seed', 5),
    () => session.history.chooseAll([['seed', 5]]),
    () => session.anotherSeed(),
    () => session.history.removeChange(0),
    () => session.togglePanel('seeds'),
    () => session.togglePanel('experiment'),
  ]) {
    session.notices.dismiss();
    act();
    await settle();
    expect(state().notice?.title).toBe('These are trace files, whose settings cannot be changed');
    expect([state().scenario, state().view.panel, asked.loads]).toEqual([shown, null, loads]);
  }
});

test('a packet of trace files cannot be dropped, and a notice says why', async () => {
  const {session, state} = await opened();
  session.documents.openTraces([a]);
  await settle();
  const {scenario} = state();
  session.whatIf.apply({pane: 0, packet: 4});
  expect(state().notice?.title).toBe(
    'The packet stays as it is: these are trace files: their packets cannot be dropped',
  );
  expect(state().scenario).toBe(scenario);
});

test('trace files are not stored over a reload of the page', async () => {
  const {session} = await opened();
  expect(session.keep()).toMatchObject({scenario: {seed: 77}});
  session.documents.openTraces([a]);
  await settle();
  expect(session.keep()).toBeNull();
});

test('a file that cannot be opened is reported, and the run on screen stays', async () => {
  const {session, state} = await opened();
  session.documents.openTraces([a]);
  await settle();
  const {run} = state();
  session.documents.openTraces([a, {name: 'x.trace', bytes: new Uint8Array(9)}]);
  await settle();
  expect(state().notice?.title).toBe('x.trace: not a trace file: it cannot be opened; the run on screen stays');
  session.documents.openTraces([fileOf('c.trace', {page: 'https://gone.test/'})]);
  await settle();
  expect(state().notice?.title).toBe('c.trace cannot be opened: the page of c.trace: it is gone');
  // if it were fetched, it would be another page than the file's
  expect(state().notice?.action).toBeUndefined();
  expect(state().run).toBe(run);
});

test('the contents of a packet are requested for the run of its pane', async () => {
  const {session, asked} = await opened();
  session.documents.openTraces([a, b]);
  await settle();
  await session.highlights.partsOf({pane: 2, packet: 4});
  expect(asked.packets).toEqual([[scenarioDocument(scenarioOf({seed: 2}, 2)), 'h', 1, 4]]);
});

test('a notice says if there is no room for all panes', async () => {
  const {session, state} = await opened();
  session.documents.openTraces([b, fileOf('many.trace', {}, 5)]);
  await settle();
  expect(state().run?.sources?.map(({file}) => file)).toEqual(['b.trace', 'many.trace']);
  expect(state().notice?.title).toContain('7 panes are more than 6');
});

test('a single trace file is computed again, and files that are added are shown as recorded', async () => {
  const {session, asked, state} = await opened();
  const {loads} = asked;
  session.documents.openFile(a.name, a.bytes);
  await settle();
  expect([state().run?.sources, asked.loads]).toEqual([undefined, loads + 1]);
  session.documents.addTraces([b]);
  await settle();
  expect(state().run?.sources?.map(({file}) => file)).toEqual(['on screen', 'b.trace', 'b.trace']);
  expect(asked.loads).toBe(loads + 1);
});
