import fc from 'fast-check';
import {afterAll, beforeAll, describe, expect, test, vi} from 'vitest';
import type {Host, LoadAnswer, OpenedDocument} from '../../app/host/contract.ts';
import type {Pane} from '../../app/pipelines/index.ts';
import {commandLine} from '../../app/run/scenario/commandLine.ts';
import {scenarioDocument} from '../../app/run/scenario/document.ts';
import {linkText, scenarioLink} from '../../app/run/scenario/link.ts';
import {applyOverride} from '../../app/run/scenario/override.ts';
import {DEFAULT_PANES} from '../../app/run/scenario/pane.ts';
import {findPreset, PRESETS} from '../../app/run/scenario/presets.ts';
import {parseScenario, pathAt, type Scenario} from '../../app/run/scenario/scenario.ts';
import {anyScenario} from '../../app/run/scenario/testing/anyScenario.ts';
import {encodeRun} from '../../app/run/trace/runFile.ts';
import {smallTrace} from '../../app/run/trace/testing/smallTrace.ts';
import {FEATURES} from '../features/list.ts';
import {linearScale, logScale} from '../kit/scale.ts';
import {shortcutsOf} from '../window/keyboard.ts';
import {editFromNow, editWholeRun} from './editScenario.ts';
import {type LoadResult, Loads} from './loads.ts';
import {parseFile, parseOpened} from './parseOpened.ts';
import {Player} from './player.ts';
import {Session} from './session.ts';

const scenario = (document: unknown = {}): Scenario => {
  const parsed = parseScenario(document);
  if (!parsed.ok) throw new Error(parsed.problems[0]?.message);
  return parsed.scenario;
};

describe('an edit', () => {
  test('sets the path for the whole run, or adds a timed change from now on', () => {
    const whole = editWholeRun(scenario(), 'path.loss', 0.1);
    expect(whole.ok && whole.scenario.path.loss.up).toEqual({model: 'bernoulli', rate: 0.1, applies: 'all'});
    const later = editFromNow(scenario(), 'path.loss.down', 0.1, 3200);
    expect(later.ok && later.scenario.changes).toEqual([
      {
        atMs: 3200,
        path: expect.objectContaining({loss: {down: {model: 'bernoulli', rate: 0.1, applies: 'all'}}}),
      },
    ]);
  });

  test('at the same instant is added to the previous one', () => {
    const first = editFromNow(scenario(), 'path.loss', 0.1, 500);
    if (!first.ok) throw new Error('a valid edit');
    const second = editFromNow(first.scenario, 'path.rttMs', 80, 500);
    if (!second.ok) throw new Error('a valid edit');
    expect(second.scenario.changes).toHaveLength(1);
    expect(pathAt(second.scenario, 499e6).rttMs.down).toBe(350);
    expect(pathAt(second.scenario, 500e6)).toMatchObject({rttMs: {down: 80}, loss: {up: {rate: 0.1}}});
  });

  test('from now on changes one key of the loss that applies then', () => {
    const bursts = scenario({path: {loss: {p: 0.01, r: 0.25, h: 0.5, k: 1, applies: 'data'}}});
    const first = editFromNow(bursts, 'path.loss.r', 0.75, 500);
    if (!first.ok) throw new Error(first.problems[0]?.message);
    const second = editFromNow(first.scenario, 'path.loss.down.p', 0.1, 500);
    if (!second.ok) throw new Error(second.problems[0]?.message);
    const later = editFromNow(second.scenario, 'path.loss.applies', 'all', 900);
    if (!later.ok) throw new Error(later.problems[0]?.message);
    const loss = (atMs: number) => pathAt(later.scenario, atMs * 1e6).loss;
    const parameters = {model: 'gilbert-elliott', r: 0.75, h: 0.5, k: 1};
    expect(loss(499)).toEqual(bursts.path.loss);
    expect(loss(500)).toEqual({
      down: {...parameters, p: 0.1, applies: 'data'},
      up: {...parameters, p: 0.01, applies: 'data'},
    });
    expect(loss(900)).toEqual({
      down: {...parameters, p: 0.1, applies: 'all'},
      up: {...parameters, p: 0.01, applies: 'all'},
    });
    const rate = editFromNow(scenario({path: {loss: {rate: 0.1, applies: 'data'}}}), 'path.loss.rate', 0.2, 5);
    expect(rate.ok && pathAt(rate.scenario, 5e6).loss.up).toMatchObject({rate: 0.2, applies: 'data'});
    const down = editFromNow(bursts, 'path.loss.down.r', 0.75, 5);
    expect(down.ok && Object.keys(down.scenario.changes[0]?.path.loss ?? {})).toEqual(['down']);
    expect(editFromNow(bursts, 'path.loss.r', 7, 5).ok).toBe(false);
  });

  test('with an invalid value is refused with the limit', () => {
    const parsed = editWholeRun(scenario(), 'panes[1].streams', 65);
    expect(parsed.ok ? '' : parsed.problems[0]?.message).toMatch(/panes\[1\]\.streams is 65.*64/);
  });
});

describe('loads', () => {
  test('are computed one at a time, and only the newest of those that wait', async () => {
    const answers: ((answer: LoadAnswer) => void)[] = [];
    const asked: unknown[] = [];
    const shown: LoadResult[] = [];
    const host = fakeHost(document => {
      asked.push((document as {seed: number}).seed);
      return new Promise(resolve => answers.push(resolve));
    });
    const loads = new Loads(host, result => shown.push(result));
    for (const seed of [1, 2, 3, 4]) loads.request(scenario({seed, panes: [{pipeline: 'tcp'}]}));
    const run = encodeRun({scenario: {}, panes: [smallTrace()]});
    await expect.poll(() => answers.length).toBe(1);
    answers[0]?.({ok: true, run});
    await expect.poll(() => answers.length).toBe(2);
    answers[1]?.({ok: true, run});
    await expect.poll(() => shown.length).toBe(2);
    expect(asked).toEqual([1, 4]);
    expect(shown.map(result => result.ok && result.run.scenario.seed)).toEqual([1, 4]);
  });

  test('request all panes at once', async () => {
    const panes: Pane[][] = [];
    const shown: LoadResult[] = [];
    const answers: (() => void)[] = [];
    const host = fakeHost(document => {
      const parsed = scenario(document);
      panes.push([...parsed.panes]);
      const run = encodeRun({scenario: {}, panes: [{...smallTrace(), streams: panes.length}]});
      return new Promise(resolve => answers.push(() => resolve({ok: true, run})));
    });
    new Loads(host, result => shown.push(result)).request(scenario());
    await expect.poll(() => answers.length).toBe(2);
    for (const answer of answers.reverse()) answer();
    await expect.poll(() => shown).toHaveLength(1);
    expect(panes).toEqual(DEFAULT_PANES.map(pane => [pane]));
    const [result] = shown;
    expect(result?.ok && result.run.traces.map(({data}) => data.streams)).toEqual([1, 2]);
  });

  test('are refused if the host fails to answer', async () => {
    const shown: LoadResult[] = [];
    const host = fakeHost(() => Promise.reject(new Error('gone')));
    new Loads(host, result => shown.push(result)).request(scenario());
    await expect.poll(() => shown).toEqual([{ok: false, problems: [], message: 'gone'}]);
  });
});

describe('a window starts', () => {
  beforeAll(() => {
    vi.stubGlobal('requestAnimationFrame', () => 0);
    vi.stubGlobal('cancelAnimationFrame', () => undefined);
  });
  afterAll(() => vi.unstubAllGlobals());
  const at = (seed: number): OpenedDocument => ({name: `${seed}.json`, text: `{"seed": ${seed}}`});

  test.each([
    ['before the answer to `start`, which has an older document', 'start'],
    ['after the answer to `start`, but before the names of the pages', 'pageNames'],
  ] as const)('with the document that was opened last, if it is opened %s', async (_, meanwhile) => {
    let open: (document: OpenedDocument) => void = () => undefined;
    const answers = {start: (): void => undefined, pageNames: (): void => undefined};
    const run = encodeRun({scenario: {}, panes: [smallTrace()]});
    const host: Host = {
      ...fakeHost(() => Promise.resolve({ok: true, run})),
      start: () =>
        new Promise(resolve => {
          const start = {
            shell: 'web',
            version: '',
            opened: at(1),
            engine: {state: 'ready'},
            recording: {kind: 'idle'},
            remembered: null,
          } as const;
          answers.start = () => resolve(start);
        }),
      pageNames: () => new Promise(resolve => (answers.pageNames = () => resolve(['gallery']))),
      on: (event, listener) => {
        if (event === 'opened') open = listener as typeof open;
        return () => undefined;
      },
    };
    const session = new Session(host, new Player(), scenario());
    const started = session.start();
    for (const call of ['start', 'pageNames'] as const) {
      if (call === meanwhile) open(at(2));
      answers[call]();
      await new Promise(resolve => setTimeout(resolve));
    }
    await started;
    await expect.poll(() => session.store.getState().isComputing).toBe(false);
    expect(session.store.getState()).toMatchObject({scenario: {seed: 2}, pageNames: ['gallery']});
  });
});

describe('the timeline’s zoom', () => {
  beforeAll(() => {
    vi.stubGlobal('requestAnimationFrame', () => 0);
    vi.stubGlobal('cancelAnimationFrame', () => undefined);
  });
  afterAll(() => vi.unstubAllGlobals());

  test('and the selected object stay if the opened document is not a scenario', () => {
    const session = new Session(fakeHost(notAsked), new Player(), scenario());
    session.display.set({zoom: [1e9, 2e9], timeline: 'packets'});
    session.highlights.select(3);
    session.documents.open({name: 'bad.json', text: '{"seed": -1}'});
    expect(session.store.getState()).toMatchObject({selected: 3, view: {zoom: [1e9, 2e9]}});
  });

  test('stays if some of the new run is in it', async () => {
    const trace = smallTrace();
    const run = encodeRun({scenario: {}, panes: [trace]});
    const session = new Session(
      fakeHost(() => Promise.resolve({ok: true, run})),
      new Player(),
      scenario({panes: [{pipeline: 'tcp'}]}),
    );
    const shown = async (fromNs: number) => {
      session.display.set({zoom: [fromNs, fromNs + 1e9]});
      session.screen.load();
      await expect.poll(() => session.store.getState().isComputing).toBe(false);
      return session.store.getState().view.zoom;
    };
    expect(await shown(trace.endNs - 1)).toEqual([trace.endNs - 1, trace.endNs - 1 + 1e9]);
    expect(await shown(trace.endNs)).toBeNull();
  });
});

describe('a scenario can be passed on', () => {
  test('as a link', () => {
    fc.assert(
      fc.property(anyScenario, document => {
        const text = linkText(scenarioLink(document));
        expect(JSON.parse(text.ok ? text.text : '')).toEqual(JSON.parse(JSON.stringify(document)));
      }),
    );
    expect(open('interleave://scenario/%%').ok).toBe(false);
    // a loss list of 700 KB
    const packets = Array.from({length: 100_000}, (_, i) => i * 7);
    const long = scenario({path: {loss: {packets}}});
    const link = scenarioLink(scenarioDocument(long));
    expect(link.length).toBeGreaterThan(700_000);
    expect(open(link)).toEqual({ok: true, scenario: long});
  });

  test('as a command line, which is short for a preset', () => {
    expect(commandLine('run', scenario(findPreset('n07-movie')?.scenario))).toBe(
      'npx interleave run --scenario n07-movie',
    );
    const movie = findPreset('n07-movie')?.scenario;
    for (const typicalOf of [null, 200]) {
      for (const seed of [1, 1_000_007]) {
        const wanted = scenario({...movie, seed, typicalOf});
        expect(scenarioOfCommand(commandLine('run', wanted))).toEqual(wanted);
      }
    }
    fc.assert(
      fc.property(anyScenario, document => {
        const wanted = scenario(document);
        expect(scenarioOfCommand(commandLine('run', wanted))).toEqual(wanted);
      }),
      {numRuns: 40},
    );
  });

  test('as a file, a trace file or a preset’s name', () => {
    const bytes = (text: string) => new TextEncoder().encode(text);
    expect(open('\ufeff{"seed": 5}')).toMatchObject({ok: true, scenario: {seed: 5}});
    expect(parseFile(bytes('\ufeff{"seed": 5}'))).toMatchObject({ok: true, scenario: {seed: 5}});
    expect(parseFile(bytes('{"seed": 5}'))).toMatchObject({ok: true, scenario: {seed: 5}});
    const trace = encodeRun({scenario: {seed: 6}, panes: []});
    expect(parseFile(trace)).toMatchObject({ok: true, scenario: {seed: 6}});
    expect(open('r02')).toMatchObject({ok: true, scenario: {page: {name: 'r02'}}});
    expect(parseFile(trace.subarray(0, 30)).ok).toBe(false);
    expect(parseFile(bytes('GIF89a')).ok).toBe(false);
  });

  test('by the name of an existing preset; otherwise the most similar name is suggested', () => {
    const messages = (text: string, name = text) => {
      const parsed = parseOpened({name, text});
      return parsed.ok ? [] : parsed.problems.map(({message}) => message);
    };
    expect(messages('n07-moovie')).toEqual(['no preset, file or link n07-moovie; did you mean n07-movie?']);
    expect(messages('/elsewhere/mine.json')).toEqual([
      'no preset, file or link /elsewhere/mine.json; the command ‘interleave presets’ lists them',
    ]);
    // a file with other content, and a document without a name
    expect(messages('n07-moovie', 'notes.txt')).toEqual([expect.stringMatching(/it contains no scenario: not JSON/)]);
    expect(parseOpened({name: 'cut.trace', text: '', problem: 'why'})).toMatchObject({
      problems: [{message: 'why'}],
    });
    expect(messages('{"seed": ')).toEqual([expect.stringMatching(/it contains no scenario: not JSON/)]);
    expect(messages('interleave://scenario/%%')).toEqual([
      'it contains no scenario: the link is incomplete or damaged; copy all of it',
    ]);
  });
});

test('a slider’s position and the document’s number can be converted in both directions', () => {
  const percent = linearScale({from: 0, to: 20, factor: 0.01, digits: 3});
  expect([percent.fromSlider(215), percent.toSlider(0.043), percent.format(0.043)]).toEqual([0.043, 215, '4.3']);
  expect(percent.toSlider(0.9)).toBe(1000);
  const rate = logScale({from: 10, to: 1e6, factor: 1000, digits: 3, isInteger: true});
  expect([rate.fromSlider(0), rate.fromSlider(1000), rate.toSlider(1e8)]).toEqual([10_000, 1e9, 800]);
});

test('no key has two meanings', () => {
  const keys = shortcutsOf(FEATURES).map(({key}) => key);
  expect(new Set(keys).size).toBe(keys.length);
});

/** Opens a document as a shell does. */
function open(text: string) {
  return parseOpened({name: text, text});
}

function fakeHost(load: (document: unknown) => Promise<LoadAnswer>): Host {
  const page = {name: 'page', hash: 'hash', leftOut: [], objects: [], headerBytes: 0, requestBytes: 0};
  return {
    start: notAsked,
    pageNames: () => Promise.resolve([]),
    openPage: () => Promise.resolve({ok: true, page}),
    remember: () => Promise.resolve(),
    keptDrafts: () => Promise.resolve([]),
    keepDraft: () => Promise.resolve({ok: true, revision: 1}),
    removeDraft: () => Promise.resolve({ok: true, revision: 1}),
    heldPage: notAsked,
    load,
    loadSeeds: notAsked,
    packetParts: notAsked,
    capture: notAsked,
    loadLive: notAsked,
    askPath: notAsked,
    cancelLoad: notAsked,
    holdRun: notAsked,
    heldRun: notAsked,
    record: notAsked,
    cancelRecording: notAsked,
    showRecorded: notAsked,
    takePicture: notAsked,
    setFullScreen: notAsked,
    sendPiece: notAsked,
    openSent: notAsked,
    openCaptures: notAsked,
    openAddress: notAsked,
    cancelOpening: notAsked,
    keptPages: () => Promise.resolve([]),
    aboutPage: notAsked,
    savePage: notAsked,
    on: () => () => undefined,
  };
}

function notAsked(): Promise<never> {
  return Promise.reject(new Error('not asked'));
}

/** The scenario that the command line reads from a command. */
function scenarioOfCommand(command: string): Scenario {
  const words = [...command.matchAll(/'([^']*)'|(\S+)/g)].map(([, quoted, bare]) => quoted ?? bare ?? '');
  const preset = PRESETS.find(({name}) => name === words[words.indexOf('--scenario') + 1]);
  const start = scenarioDocument(scenario(words.includes('--scenario') ? preset?.scenario : {}));
  const settings = words.filter((_, i) => words[i - 1] === '--set');
  return scenario(settings.reduce<ReturnType<typeof applyOverride>>(applyOverride, start));
}
