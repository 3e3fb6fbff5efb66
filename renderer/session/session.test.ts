import {afterAll, beforeAll, describe, expect, test, vi} from 'vitest';
import type {EngineState, Host, HostEvents, KeptDraft, LoadAnswer, PageAnswer} from '../../app/host/contract.ts';
import {parseScenario, type Scenario} from '../../app/run/scenario/scenario.ts';
import {encodeRun} from '../../app/run/trace/runFile.ts';
import {smallTrace} from '../../app/run/trace/testing/smallTrace.ts';
import {parseStory, type Story} from '../../app/telling/story/story.ts';
import {storyDocument} from '../../app/telling/story/storyDocument.ts';
import {openFeatures} from '../features/feature.ts';
import {FEATURES} from '../features/list.ts';
import {OPENER} from '../features/opening/pageOpener.ts';
import {RECORDER} from '../features/recording/recorder.ts';
import {resumeStory, STORY_PLAYER} from '../features/story/sessionStoryPlayer.ts';
import {stepOnShow} from '../features/story/stepOnShow.ts';
import {closeFront} from '../window/closeFront.ts';
import {type Kept, readKept, storeForReload} from './keptOverReload.ts';
import {Player} from './player.ts';
import {presetOf} from './presetOrigin.ts';
import {Session} from './session.ts';
import {FIRST_VIEW, stageOf} from './viewSettings.ts';

// These tests check a window through openings, refusals, drags and reloads. The host answers when the test tells it to.

beforeAll(() => {
  vi.stubGlobal('requestAnimationFrame', () => 0);
  vi.stubGlobal('cancelAnimationFrame', () => undefined);
});
afterAll(() => vi.unstubAllGlobals());

describe('a document that is opened', () => {
  test('replaces everything at once, and only when its run is loaded', async () => {
    const {session, host, answer} = await opened({seed: 1});
    session.display.set({zoom: [0, 1e7], timeline: 'packets'});
    session.highlights.select(3);
    await session.player.seek(5e6);
    host.isHeld = true;
    session.documents.open({name: 'two.json', text: json({seed: 2})});
    const before = {scenario: {seed: 1}, past: [], selected: 3, view: {zoom: [0, 1e7]}, isComputing: true};
    expect(session.store.getState()).toMatchObject(before);
    expect(session.player.tNs).toBe(5e6);
    await answer();
    expect(session.store.getState()).toMatchObject({
      scenario: {seed: 2},
      run: {scenario: {seed: 2}},
      past: [{seed: 1}],
      selected: null,
      view: {zoom: null, timeline: 'packets'},
    });
    // it plays at once, from the time at which its HTML is there: before, the page is white
    expect(session.player.tNs).toBe(20e6);
    expect(session.player.state.isPlaying).toBe(true);
  });

  test('does not play by itself in presenter mode, where the speaker begins', async () => {
    const {session} = await opened({seed: 1});
    session.display.present(true);
    session.documents.open({name: 'two.json', text: json({seed: 2})});
    await settle();
    expect(session.store.getState().scenario.seed).toBe(2);
    expect(session.player).toMatchObject({tNs: 0, state: {isPlaying: false}});
  });

  test('has the name of its preset, also after an edit; a file has none', async () => {
    const {session} = await opened({seed: 1});
    const shown = () => {
      const origin = presetOf(session.store.getState().scenario);
      return origin === null ? null : [origin.preset.name, origin.isChanged];
    };
    expect(shown()).toBeNull();
    session.documents.open({name: 'lte', text: 'lte'});
    await settle();
    expect(shown()).toEqual(['lte', false]);
    session.history.choose('seed', 5);
    session.history.choose('path.rttMs', 46);
    await settle();
    expect(shown()).toEqual(['lte', true]);
    session.documents.open({name: 'two.json', text: json({seed: 2})});
    await settle();
    expect(shown()).toBeNull();
    session.history.undo();
    expect(shown()).toEqual(['lte', true]);
    session.history.undo();
    session.history.undo();
    expect(shown()).toEqual(['lte', false]);
  });

  test.each([
    ['letter.docx', 'PK\x03\x04 and so on'],
    ['notes.txt', 'Dear reader'],
    ['list.json', '[1, 2]'],
  ])('of another kind, %s, is named, with what can be opened instead', async (name, text) => {
    const {session} = await opened({seed: 1});
    session.documents.openFile(name, new TextEncoder().encode(text));
    expect(session.store.getState().notice).toEqual({
      title: `${name} is not a file that can be opened here; the run on screen stays`,
      lines: [expect.stringContaining('.html, .har, .mhtml or .zip')],
    });
  });

  test('that is damaged JSON says what is wrong', async () => {
    const {session} = await opened({seed: 1});
    session.documents.openFile('a.json', new TextEncoder().encode('\ufeff {"seed": '));
    expect(session.store.getState().notice?.title).toBe('a.json is not a scenario; the run on screen stays');
    expect(session.store.getState().notice?.lines[0]).toMatch(/^it contains no scenario: not JSON/);
  });

  test.each([
    ['a scenario', '{"seed": ', ' is not a scenario'],
    ['a story', '{"story": 1}', ' is not a story'],
    ['of a known kind', 'Dear reader', ' is not a file that can be opened here'],
  ])('that is not %s is refused with the beginning of its name, and with what stays', async (_, text, why) => {
    const name = 'x'.repeat(1000);
    const titleOf = async (isHeld: boolean) => {
      const {session} = await opened({seed: 1}, {opened: null}, null, isHeld);
      session.documents.openFile(name, new TextEncoder().encode(text));
      return session.store.getState().notice?.title;
    };
    const short = `${name.slice(0, 80)}…`;
    expect(await titleOf(false)).toBe(`${short}${why}; the run on screen stays`);
    // nothing is on screen yet
    expect(await titleOf(true)).toBe(`${short}${why}; the demo stays`);
  });

  test('that is a damaged trace file is refused, and the notice says what stays', async () => {
    const titleOf = async (isHeld: boolean) => {
      const {session} = await opened({seed: 1}, {opened: null}, null, isHeld);
      session.documents.openTraces([{name: 'x.trace', bytes: new Uint8Array(9)}]);
      return session.store.getState().notice?.title;
    };
    expect(await titleOf(false)).toMatch(/; the run on screen stays$/);
    expect(await titleOf(true)).toMatch(/; the demo stays$/);
  });

  test('changes nothing if its page cannot be opened, and a notice says why', async () => {
    const {session} = await opened({seed: 1});
    session.history.choose('seed', 5);
    session.history.undo();
    await settle();
    await session.player.seek(5e6);
    const {notice: _, ...before} = session.store.getState();
    session.documents.open({name: 'gone.json', text: json({seed: 2, page: 'gone'})});
    await settle();
    expect(session.store.getState()).toMatchObject(before);
    expect(session.store.getState().notice).toEqual({
      title: 'gone.json cannot be opened: page: gone is not there',
      lines: [],
    });
    expect(session.player.tNs).toBe(5e6);
    // the load is not tried again
    session.screen.load();
    await settle();
    expect(session.store.getState().run?.scenario.seed).toBe(1);
  });

  test('can fetch its page if the page is not kept here, and a notice says if the content has changed', async () => {
    const {session} = await opened({seed: 1});
    session.documents.open({name: 'kept.json', text: json({seed: 2, page: KEPT_ELSEWHERE})});
    await settle();
    const {notice} = session.store.getState();
    expect(notice).toMatchObject({action: {label: 'Fetch https://a.test/'}});
    notice?.action?.act();
    await settle();
    expect(session.store.getState()).toMatchObject({
      scenario: {seed: 2, page: {kind: 'bundle', bundle: KEPT, name: 'https://a.test/'}},
      notice: {title: 'https://a.test/ has changed: the scenario was made with other content'},
    });
  });

  test('offers to fetch a page with an address, and no other page', async () => {
    const {session} = await opened({seed: 1});
    for (const [page, label] of [
      ['gone', undefined],
      [{...KEPT_ELSEWHERE, name: 'trip.zip'}, undefined],
      [KEPT_ELSEWHERE, 'Fetch https://a.test/'],
    ] as const) {
      session.documents.open({name: 'a.json', text: json({page})});
      await settle();
      expect(session.store.getState().notice?.action?.label).toBe(label);
    }
  });

  test('keeps path, panes and seed if it is a page, and is one step of the history', async () => {
    const {session} = await opened({seed: 3, path: {rttMs: 70}});
    session.stateOf(OPENER).openAddress('https://a.test/');
    await settle();
    expect(session.store.getState()).toMatchObject({
      scenario: {seed: 3, page: {bundle: KEPT}, path: {rttMs: {down: 70}}},
      past: [{seed: 3, page: {kind: 'named'}}],
    });
  });

  test('cannot be undone at the start, and is replaced by the demo if it cannot be opened', async () => {
    const {session} = await opened({seed: 4});
    expect(session.store.getState()).toMatchObject({scenario: {seed: 4}, past: []});
    const {session: other} = await opened({page: 'gone'});
    expect(other.store.getState()).toMatchObject({scenario: {seed: 77}, run: {scenario: {seed: 77}}});
    expect(other.store.getState().notice?.title).toMatch(/^opened\.json cannot be opened/);
  });

  test('is given up if the user does something else before it is on screen', async () => {
    const {session, host, answer} = await opened({seed: 1});
    for (const act of [
      () => session.documents.open({name: 'three.json', text: json({seed: 3})}),
      () => session.history.choose('seed', 3),
    ]) {
      host.isHeld = true;
      session.documents.open({name: 'two.json', text: json({seed: 2})});
      await settle();
      act();
      const seeds: unknown[] = [];
      const end = session.store.subscribe(({run}) => seeds.push(run?.scenario.seed));
      await answer();
      end();
      expect(seeds).not.toContain(2);
      expect(session.store.getState()).toMatchObject({scenario: {seed: 3}, run: {scenario: {seed: 3}}});
      session.history.undo();
      await settle();
      expect(session.store.getState().scenario.seed).toBe(1);
    }
  });

  test('stays requested if the engine dies during its load, and is computed on retry', async () => {
    const {session, host, tell} = await opened({seed: 1});
    host.engine = {state: 'restarted', message: 'The engine died (of it).'};
    session.documents.open({name: 'two.json', text: json({seed: 2})});
    tell('engine', host.engine);
    await settle();
    expect(session.store.getState()).toMatchObject({scenario: {seed: 1}, notice: null});
    host.engine = {state: 'ready'};
    session.screen.retry();
    await settle();
    expect(session.store.getState()).toMatchObject({scenario: {seed: 2}, run: {scenario: {seed: 2}}});
  });
});

describe('an edit that cannot be loaded', () => {
  test('restores the scenario on screen, with its history', async () => {
    const {session} = await opened({seed: 1});
    session.history.choose('seed', 2);
    session.history.choose('seed', 3);
    session.history.undo();
    await settle();
    session.history.choose('page', 'gone');
    await settle();
    const state = session.store.getState();
    expect(state).toMatchObject({scenario: {seed: 2}, past: [{seed: 1}], future: [{seed: 3}]});
    expect(state.scenario).toBe(state.run?.scenario);
    expect(state.notice?.title).toBe('page: gone is not there');
  });

  test('is removed completely if a typed number turns out not to be one', async () => {
    const {session} = await opened({seed: 1});
    for (const typed of [2, 23, '23x']) session.history.edit('seed', typed);
    expect(session.store.getState()).toMatchObject({scenario: {seed: 1}, past: []});
    session.history.edit('seed', 23);
    expect(session.store.getState()).toMatchObject({scenario: {seed: 23}, past: [{seed: 1}]});
  });

  test('stays if the engine died during its load', async () => {
    const {session, host, tell} = await opened({seed: 1});
    host.engine = {state: 'restarted', message: 'The engine died (of it).'};
    session.history.choose('seed', 2);
    tell('engine', host.engine);
    await settle();
    expect(session.store.getState()).toMatchObject({scenario: {seed: 2}, run: {scenario: {seed: 1}}});
  });
});

describe('the typical seed', () => {
  const seedOf = ({session}: {session: Session}) => {
    const {seed, typicalOf} = session.store.getState().scenario;
    return [seed, typicalOf];
  };

  test('is one step of the history, with how it was found', async () => {
    const window = await opened({seed: 1});
    window.session.history.chooseAll([
      ['seed', 37],
      ['typicalOf', 200],
    ]);
    await settle();
    expect(seedOf(window)).toEqual([37, 200]);
    expect(window.session.store.getState().run?.scenario.typicalOf).toBe(200);
    window.session.history.undo();
    expect(seedOf(window)).toEqual([1, null]);
    expect(window.session.store.getState().past).toEqual([]);
  });

  test('is no longer called typical after any other edit, and is again after undo', async () => {
    const change = {atMs: 5, path: {loss: {down: 0.5}}};
    const window = await opened({seed: 37, typicalOf: 200, changes: [change]});
    const {session} = window;
    const edits: readonly (() => void)[] = [
      () => session.anotherSeed(),
      () => session.history.choose('path.loss', 0.2),
      () => session.history.choose('panes[0].profile', 'reno'),
      () => session.history.removeChange(0),
    ];
    for (const edit of edits) {
      expect(seedOf(window)).toEqual([37, 200]);
      edit();
      expect(seedOf(window)[1]).toBeNull();
      session.history.undo();
    }
    session.display.set({isFromNow: true});
    await session.player.seek(3e9);
    session.history.choose('path.loss', 0.2);
    expect(session.store.getState().scenario).toMatchObject({
      typicalOf: null,
      changes: [{atMs: 5}, {atMs: 3000}],
    });
  });
});

describe('a drag from t on', () => {
  const rates = ({changes}: Scenario) => changes.map(({atMs, path}) => [atMs, (path.loss.down as {rate: number}).rate]);

  test('dates each change at the t on screen, and is one step', async () => {
    const {session, drag} = await fromNow();
    await drag([3000, 0.1], [3500, 0.2], [9000, 0.3]);
    expect(rates(session.store.getState().scenario)).toEqual([
      [3000, 0.1],
      [3500, 0.2],
      [9000, 0.3],
    ]);
    session.history.undo();
    expect(session.store.getState()).toMatchObject({scenario: {changes: []}, past: []});
  });

  test('makes one change with the newest value if nothing plays', async () => {
    const {session, drag} = await fromNow();
    await drag([3000, 0.1], [3000, 0.2], [3000, 0.3]);
    expect(rates(session.store.getState().scenario)).toEqual([[3000, 0.3]]);
  });

  test('keeps the newest of the changes within 250 ms, without changing what was played already', async () => {
    const {session, drag} = await fromNow();
    await drag([3000, 0.1], [3016, 0.2], [3100, 0.3], [3251, 0.4]);
    expect(rates(session.store.getState().scenario)).toEqual([
      [3000, 0.1],
      [3250, 0.3],
      [3251, 0.4],
    ]);
  });

  test('tells from when its newest value applies, even if t is still earlier', async () => {
    const {session, drag} = await fromNow();
    await drag([3000, 0.1], [3016, 0.2]);
    // while the user holds the control
    session.history.edit('path.loss', 0.1);
    session.history.edit('path.loss', 0.2);
    expect(session.store.getState().setFromMs).toBe(3016);
    await session.player.seek(3030e6);
    session.history.edit('path.loss', 0.3);
    expect(session.store.getState().setFromMs).toBe(3266);
    session.history.endEdit();
    expect(session.store.getState().setFromMs).toBeNull();
    expect(rates(session.store.getState().scenario).at(-1)).toEqual([3030, 0.3]);
  });

  test('does not move its last change if a shorter run moves t back', async () => {
    const {session, host, drag} = await fromNow();
    await drag([3000, 0.1]);
    host.endNs = 2e9;
    session.history.edit('path.loss', 0.2);
    await session.player.seek(3020e6);
    session.history.edit('path.loss', 0.3);
    await settle();
    expect(session.player.tNs).toBe(2e9);
    session.history.endEdit();
    expect(rates(session.store.getState().scenario).at(-1)).toEqual([3250, 0.3]);
  });

  test('keeps the changes that were played already if a number turns out not to be one', async () => {
    const {session} = await fromNow();
    await session.player.seek(3000e6);
    session.history.edit('path.loss', 0.1);
    session.history.edit('path.loss', 'x');
    expect(session.store.getState()).toMatchObject({scenario: {changes: []}, past: []});
    session.history.edit('path.loss', 0.2);
    await session.player.seek(3100e6);
    session.history.edit('path.loss', 'x');
    session.history.endEdit();
    expect(rates(session.store.getState().scenario)).toEqual([[3000, 0.2]]);
    session.history.undo();
    expect(session.store.getState().scenario.changes).toEqual([]);
  });

  test('changes the whole run at t = 0, and is one step', async () => {
    const {session, drag} = await fromNow();
    await drag([0, 0.1], [400, 0.2]);
    const {scenario, past} = session.store.getState();
    expect(scenario.path.loss.down).toMatchObject({rate: 0.1});
    expect(rates(scenario)).toEqual([[400, 0.2]]);
    expect(past).toHaveLength(1);
  });

  async function fromNow() {
    const {session, host} = await opened({});
    session.display.set({isFromNow: true});
    const drag = async (...steps: readonly (readonly [ms: number, rate: number])[]) => {
      for (const [ms, rate] of steps) {
        await session.player.seek(ms * 1e6);
        session.history.edit('path.loss', rate);
      }
      session.history.endEdit();
    };
    return {session, host, drag};
  }
});

describe('a window', () => {
  test('is not told what happened before it was opened', async () => {
    const {session} = await opened(
      {},
      {
        engine: {state: 'restarted', message: 'The engine died and was started again.'},
        recording: {kind: 'done', path: '/movies/old.mp4', canShow: true},
      },
    );
    expect(session.store.getState().engine).toEqual({state: 'ready'});
    expect(session.stateOf(RECORDER).store.getState()).toEqual({kind: 'idle'});
  });

  test('is told what is under way', async () => {
    const recording = {kind: 'busy', done: 1, frames: 9, leftMs: null} as const;
    const engine = {state: 'failed', message: 'The engine cannot start.'} as const;
    const {session} = await opened({}, {engine, recording});
    expect(session.store.getState().engine).toEqual(engine);
    expect(session.stateOf(RECORDER).store.getState()).toEqual(recording);
  });

  test('lists a few of many problems, and their number', async () => {
    const {session} = await opened({});
    const changes = Array.from({length: 900}, () => ({atMs: -1, path: {}}));
    session.documents.openFile('bad.json', new TextEncoder().encode(json({changes})));
    const {lines} = session.store.getState().notice ?? {lines: []};
    expect(lines).toHaveLength(9);
    expect(lines[0]).toMatch(/^changes\[0\]\.atMs is -1/);
    expect(lines[8]).toMatch(/^and \d+ more$/);
  });
});

describe('the black screen', () => {
  test('lets the run continue to its stop afterwards, if it was playing', async () => {
    const {session} = await opened({seed: 1});
    const {player} = session;
    session.display.set({isPresenting: true});
    player.play(3e9);
    session.display.blank(true);
    expect(player.state.isPlaying).toBe(false);
    session.display.blank(false);
    expect(player).toMatchObject({untilNs: 3e9, state: {isPlaying: true}});
    player.pause();
    session.display.blank(true);
    session.display.blank(false);
    expect(player.state.isPlaying).toBe(false);
  });
});

describe('stored stories', () => {
  test('that cannot be read are reported, unless the opened document has a problem', async () => {
    const drafts = [7, {}].map((story, i) => ({id: `${i}`, revision: 1, writer: 'w', story}));
    const {session} = await opened({seed: 1}, {}, null, false, drafts);
    expect(session.store.getState()).toMatchObject({
      run: {scenario: {seed: 1}},
      notice: {
        title: '2 stories written here cannot be read; they stay stored',
        lines: [expect.stringContaining('the document is 7'), expect.stringContaining('story is missing')],
      },
    });
    const {session: other} = await opened({seed: -1}, {}, null, false, drafts);
    expect(other.store.getState().notice?.title).toMatch(/^opened\.json is not a scenario/);
  });
});

describe('a page that is reloaded', () => {
  const view: Kept['view'] = {
    theme: 'dark',
    timeline: 'packets',
    layout: 'overlaid',
    isFromNow: true,
    areControlsOpen: false,
    axis: 'visual',
    thresholds: {recognisable: 0.5, good: 0.9},
    zoom: [1e6, 9e6],
    openSections: ['path'],
    paneShare: 0.4,
    foldedPanes: [1],
    isDrawerHigh: true,
    desk: {
      isUpToT: true,
      hasGhost: true,
      isAxisLocked: false,
      hasCaptions: true,
      hasModel: false,
      freezesAtLosses: true,
    },
    presented: {
      isUpToT: false,
      hasGhost: false,
      isAxisLocked: true,
      hasCaptions: false,
      hasModel: true,
      freezesAtLosses: false,
    },
  };

  test('shows the scenario, its view and t again, and does not play', async () => {
    const {kept} = await leftWindow();
    expect(kept).not.toBeNull();
    const {session} = await opened({seed: 1}, {}, kept);
    expect(session.store.getState()).toMatchObject({scenario: {seed: 9}, run: {scenario: {seed: 9}}, view});
    expect(session.player).toMatchObject({tNs: 4e6, state: {isPlaying: false, speed: 0.25}});
  });

  test('shows a document that was opened meanwhile', async () => {
    const {kept} = await leftWindow();
    const {session} = await opened({seed: 1234}, {}, kept);
    expect(session.store.getState().scenario.seed).toBe(1234);
  });

  test('after a crash shows the scenario, the view, the speed, and t as it was at their last change', async () => {
    const {kept} = await leftWindow({crashes: true});
    const tNs = 20e6;
    expect(kept).toMatchObject({scenario: {seed: 9}, tNs, view, speed: 0.25});
    const {session} = await opened({seed: 1}, {}, kept);
    expect(session.store.getState()).toMatchObject({run: {scenario: {seed: 9}}, view});
    expect(session.player).toMatchObject({tNs, state: {isPlaying: false, speed: 0.25}});
  });

  test('can be reloaded again before its run is on screen', async () => {
    const {kept} = await leftWindow();
    const {session, host} = await opened({seed: 1}, {}, kept, true);
    expect(session.store.getState().run).toBeNull();
    expect(host.isHeld).toBe(true);
    expect(session.keep()).toEqual(kept);
    const unstarted = new Session(
      {on: () => () => undefined} as unknown as Host,
      new Player(),
      session.store.getState().scenario,
    );
    expect(unstarted.keep()).toBeNull();
  });

  test('begins with the first view if nothing valid is stored', () => {
    const read = (text: string | null) => readKept({getItem: () => text});
    expect([read(null), read('{'), read('{"scenario": {"seed": -1}}')]).toEqual([null, null, null]);
    const kept = (view: object) => read(JSON.stringify({openedMark: '', scenario: {}, tNs: 5, view}))?.view;
    expect(kept({...FIRST_VIEW, timeline: 'packets', theme: 'dark'})).toMatchObject({timeline: 'packets'});
    // an older version stored no sizes
    const {paneShare: _share, foldedPanes: _folded, isDrawerHigh: _high, ...older} = FIRST_VIEW;
    expect(kept({...older, theme: 'dark'})).toMatchObject({theme: 'dark', paneShare: null, foldedPanes: []});
    for (const unknown of [
      {timeline: 'spiral'},
      {layout: 'round'},
      {theme: 'sepia'},
      {axis: 'taste'},
      {thresholds: {good: 0.1}},
      {paneShare: 2},
      {foldedPanes: ['first']},
      {isDrawerHigh: 'very'},
    ])
      expect(kept({...FIRST_VIEW, areControlsOpen: true, ...unknown})).toMatchObject({
        timeline: 'percent',
        layout: 'stacked',
        theme: null,
        areControlsOpen: false,
      });
  });

  test('plays at the usual speed if no valid speed is stored', () => {
    const read = (speed?: unknown) =>
      readKept({
        getItem: () => JSON.stringify({openedMark: '', scenario: {}, tNs: 5, speed, view: FIRST_VIEW}),
      })?.speed;
    expect([read(), read('fast'), read(0), read(0.5), read('auto')]).toEqual(['auto', 'auto', 'auto', 0.5, 'auto']);
  });

  /** What is stored by a window that showed seed 9 at 4 ms. */
  async function leftWindow({crashes = false} = {}): Promise<{readonly kept: Kept | null}> {
    const listeners: (() => void)[] = [];
    vi.stubGlobal('window', {
      addEventListener: (_: string, listener: () => void) => listeners.push(listener),
    });
    const items = new Map<string, string>();
    const {session} = await opened({seed: 1});
    storeForReload(session, {setItem: (key, value) => items.set(key, value)}, 0);
    session.history.choose('seed', 9);
    expect(items.size).toBe(0);
    await settle();
    session.display.set(view);
    session.display.openDialog('help');
    session.player.setSpeed(0.25);
    // changes are stored when nothing changes any more
    await settle();
    await session.player.seek(4e6);
    await settle();
    for (const leave of crashes ? [] : listeners) leave();
    return {kept: readKept({getItem: key => items.get(key) ?? null})};
  }
});

/** The hash of the page at every address. */
const KEPT = 'a'.repeat(64);
const KEPT_ELSEWHERE = {bundle: 'b'.repeat(64), name: 'https://a.test/'};

interface FakeHost {
  /** The scenario, page, pane and packet of each request for bytes. */
  readonly packets: unknown[];
  /** The drafts that the host was asked to store: id and story. */
  readonly kept: unknown[];
  engine: EngineState;
  /** While this is true, runs wait until {@link answer} is called. */
  isHeld: boolean;
  /** When the runs end, ns. */
  endNs: number;
}

/** The place of a draft in a window in which nothing was written. */
const NO_PLACE = {revision: 0, writer: ''};

/** A session that was started with the document, with its run on screen. The demo's seed is 77. */
async function opened(
  document: object,
  start: object = {},
  kept: Kept | null = null,
  isHeld = false,
  drafts: readonly KeptDraft[] = [],
) {
  const fake: FakeHost = {engine: {state: 'ready'}, isHeld, endNs: 20e9, packets: [], kept: []};
  const held: (() => void)[] = [];
  const listeners: {[event: string]: (value: never) => void} = {};
  const run = () => encodeRun({scenario: {}, panes: [{...smallTrace(), endNs: fake.endNs}]});
  const load = (): LoadAnswer =>
    fake.engine.state === 'restarted'
      ? {ok: false, problems: [], message: fake.engine.message}
      : {ok: true, run: run()};
  const openPage = (page: unknown): PageAnswer =>
    page === 'gone' || (page as {bundle?: string}).bundle === KEPT_ELSEWHERE.bundle
      ? {ok: false, problems: [], message: 'page: gone is not there'}
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
      opened: {name: 'opened.json', text: json(document)},
      ...start,
    }),
    pageNames: async () => [],
    keptPages: async () => [],
    aboutPage: async () => null,
    openAddress: async (_: string, address: string) => ({ok: true, page: {bundle: KEPT, name: address}}),
    keptDrafts: async () => drafts,
    keepDraft: async (...[id, base, , story]: Parameters<Host['keepDraft']>) => {
      fake.kept.push([id, story]);
      return {ok: true, revision: base + 1};
    },
    openPage: async (page: unknown) => openPage(page),
    packetParts: async (...[scenario, hash, pane, row]: Parameters<Host['packetParts']>) => {
      fake.packets.push([scenario, hash, pane, row]);
      return {ok: true, parts: []};
    },
    load: () =>
      new Promise(resolve => {
        if (fake.isHeld) held.push(() => resolve(load()));
        else resolve(load());
      }),
    on: (event: string, listener: (value: never) => void) => {
      listeners[event] = listener;
      return () => undefined;
    },
  } as unknown as Host;
  const demo = parseScenario({seed: 77, panes: [{pipeline: 'tcp'}]});
  if (!demo.ok) throw new Error('the demo is a scenario');
  // as in a window that was just opened, everything happens while the page's pictures are being measured
  const session = new Session(host, new Player(), demo.scenario, () => new Promise(() => undefined));
  openFeatures(session, FEATURES);
  await session.start(kept);
  await settle();
  const {isPlaying} = session.player.state;
  if (kept === null) session.player.pause();
  return {
    session,
    /** Whether the run played at first. Without a stored session, it is paused now. */
    isPlaying,
    host: fake,
    answer: async () => {
      await settle();
      fake.isHeld = false;
      for (const each of held.splice(0)) each();
      await settle();
    },
    tell: <E extends keyof HostEvents>(event: E, value: HostEvents[E]) =>
      (listeners[event] as ((value: HostEvents[E]) => void) | undefined)?.(value),
  };
}

function json(document: object): string {
  return JSON.stringify({panes: [{pipeline: 'tcp'}], ...document});
}

/** Resolves when all pending promises are settled. */
async function settle(): Promise<void> {
  for (let turn = 0; turn < 3; turn++) await new Promise(resolve => setTimeout(resolve));
}

describe('a window that is opened without a document', () => {
  const start = (remembered: unknown) => opened({}, {opened: null, remembered});

  test('shows the scenario and the settings that the last window showed, and plays', async () => {
    const scenario = {seed: 5, panes: [{pipeline: 'tcp'}]};
    const {session, isPlaying} = await start({scenario, controls: true, theme: 'dark'});
    expect(isPlaying).toBe(true);
    expect(session.store.getState()).toMatchObject({
      scenario: {seed: 5},
      past: [],
      notice: null,
      view: {areControlsOpen: true, theme: 'dark', dialog: null},
    });
  });

  test.each([
    {scenario: {seed: 'five'}, controls: 7, theme: 'pink'},
    {scenario: {seed: 5, page: 'gone', panes: [{pipeline: 'tcp'}]}},
  ])('shows the demo if the last scenario cannot be opened, and a notice says why', async remembered => {
    const {session} = await start(remembered);
    expect(session.store.getState().run?.scenario.seed).toBe(77);
    expect(session.store.getState().view).toMatchObject({areControlsOpen: false, theme: null});
    expect(session.store.getState().notice?.title).toMatch(/^The last scenario cannot be opened[;:]/i);
  });

  test('remembers the scenario on screen from the first change on, but none of a story', async () => {
    const {session} = await start(null);
    const scenario = () => session.remembered.get('scenario');
    session.display.closeDialog('start');
    expect(scenario()).toBeUndefined();
    session.history.choose('seed', 5);
    await settle();
    expect(scenario()).toMatchObject({seed: 5});
    session.store.setState({story: storyOf()});
    session.history.choose('seed', 6);
    await settle();
    expect(scenario()).toMatchObject({seed: 5});
  });

  test('neither undo nor the next window leads to a scenario that was opened aside', async () => {
    const {session} = await start({});
    const {scenario} = session.store.getState();
    const opening = {name: 'it', tNs: 0, zoom: null, isResumed: false};
    session.screen.open({...opening, scenario: {...scenario, seed: 5}, isAside: true});
    await settle();
    expect(session.store.getState()).toMatchObject({scenario: {seed: 5}, past: []});
    expect(session.remembered.get('scenario')).toMatchObject({seed: 77});
    session.screen.open({...opening, scenario: {...scenario, seed: 6}});
    await settle();
    expect(session.store.getState()).toMatchObject({scenario: {seed: 6}, past: []});
    expect(session.remembered.get('scenario')).toMatchObject({seed: 6});
  });

  test('remembers no live load, which would send requests when the next window opens', async () => {
    const {session} = await start({});
    const {run} = session.store.getState();
    const live = parseScenario({seed: 9, path: {live: 'localhost:1'}, panes: [{pipeline: 'tcp'}]});
    if (!live.ok || run === null) throw new Error('the run of a live load');
    session.store.setState({scenario: live.scenario, run: {...run, scenario: live.scenario}});
    expect(session.remembered.get('scenario')).toMatchObject({seed: 77});
  });

  test('remembers whether the settings are open, also in presenter mode and after it', async () => {
    const {session} = await start({});
    session.display.toggleControls();
    expect(session.remembered.get('controls')).toBe(true);
    session.display.present(true);
    expect(session.remembered.get('controls')).toBe(true);
    session.display.present(false);
    expect(session.store.getState().view.areControlsOpen).toBe(true);
    expect(session.remembered.get('controls')).toBe(true);
  });
});

function storyOf(): Story {
  const story = parseStory({story: 1, title: 'A', steps: [{scenario: {panes: [{pipeline: 'tcp'}]}}]});
  if (!story.ok) throw new Error(story.problems[0].message);
  return story.story;
}

describe('a chosen loss', () => {
  // in the small trace, packet 3 is lost at 25 ms, and its data arrives at 70
  const LOSS = {pane: 0, packet: 3};

  test('shows the last moment of its effect, and is cleared by a second choice', async () => {
    const {session} = await opened({seed: 1});
    session.highlights.explainLoss(LOSS);
    expect(session.store.getState().chosenLoss).toEqual(LOSS);
    expect(session.player.tNs).toBe(70e6 - 1);
    expect(session.player.state.isPlaying).toBe(false);
    session.highlights.explainLoss(LOSS);
    expect(session.store.getState().chosenLoss).toBeNull();
    session.highlights.explainLoss({pane: 0, packet: 2});
    expect(session.store.getState().chosenLoss).toBeNull();
  });

  test('can be stepped to the next or previous loss; if there is no such loss, a notice says so', async () => {
    const {session} = await opened({seed: 1});
    const {highlights, player} = session;
    const notice = () => session.store.getState().notice?.title;
    highlights.stepLoss(-1);
    expect([session.store.getState().chosenLoss, notice()]).toEqual([null, 'There is no earlier loss']);
    highlights.stepLoss(1);
    expect([session.store.getState().chosenLoss, notice(), player.tNs]).toEqual([LOSS, undefined, 70e6 - 1]);
    highlights.stepLoss(1);
    // neither t nor the explanation changes
    expect([session.store.getState().chosenLoss, notice(), player.tNs]).toEqual([
      LOSS,
      'There is no later loss',
      70e6 - 1,
    ]);
    // after t was moved, the loss is explained again, at its own t
    await player.seek(30e6);
    highlights.stepLoss(1);
    expect([session.store.getState().chosenLoss, notice(), player.tNs]).toEqual([LOSS, undefined, 70e6 - 1]);
  });

  test('is cleared by Escape first, and the selected object stays', async () => {
    const {session} = await opened({seed: 1});
    session.highlights.select(1);
    session.highlights.explainLoss(LOSS);
    closeFront(session, FEATURES);
    expect(session.store.getState()).toMatchObject({chosenLoss: null, selected: 1});
  });

  test('stays in a run that also lost the packet, and is cleared by another scenario', async () => {
    const {session} = await opened({seed: 1});
    session.highlights.explainLoss(LOSS);
    session.history.choose('seed', 5);
    await settle();
    expect(session.store.getState().run?.scenario.seed).toBe(5);
    expect(session.store.getState().chosenLoss).toEqual(LOSS);
    session.documents.open({name: 'two.json', text: json({seed: 2})});
    await settle();
    expect(session.store.getState().chosenLoss).toBeNull();
  });
});

describe('a chosen packet', () => {
  test('is the one at t first, then the next or previous one', async () => {
    const {session} = await opened({seed: 1});
    const chosen = () => session.store.getState().chosenPacket;
    await session.player.seek(26e6);
    session.highlights.stepPacket(1);
    expect(chosen()).toEqual({pane: 0, packet: 3});
    session.highlights.stepPacket(1);
    expect(chosen()).toEqual({pane: 0, packet: 4});
    session.highlights.stepPacket(-1);
    session.highlights.stepPacket(-1);
    expect(chosen()).toEqual({pane: 0, packet: 2});
    expect(session.player.tNs).toBe(26e6);
  });

  test('is requested with its run’s scenario and page', async () => {
    const {session, host} = await opened({seed: 1});
    await session.highlights.partsOf({pane: 0, packet: 4});
    expect(host.packets).toEqual([[expect.objectContaining({seed: 1}), 'h', 0, 4]]);
  });

  test('is cleared by Escape first of all, and by another scenario, but not by a run that also has it', async () => {
    const {session} = await opened({seed: 1});
    session.highlights.explainLoss({pane: 0, packet: 3});
    session.highlights.choosePacket({pane: 0, packet: 3});
    closeFront(session, FEATURES);
    expect(session.store.getState()).toMatchObject({chosenPacket: null, chosenLoss: {packet: 3}});
    const packet = {pane: 0, packet: 3};
    session.highlights.choosePacket(packet);
    session.history.choose('seed', 5);
    await settle();
    const {chosenPacket} = session.store.getState();
    expect(chosenPacket).toEqual(packet);
    // another object, so that its contents are asked for again
    expect(chosenPacket).not.toBe(packet);
    session.documents.open({name: 'two.json', text: json({seed: 2})});
    await settle();
    expect(session.store.getState().chosenPacket).toBeNull();
  });
});

describe('a what-if', () => {
  // in the small trace, packet 3, the third of the server's packets with data, is lost at 25 ms
  const PATH = {loss: {down: {packets: [2], applies: 'data'}, up: 0}};

  test('drops a packet or delivers it in one step of the history, even if edits apply from t on', async () => {
    const {session} = await opened({seed: 1, path: PATH});
    session.display.set({isFromNow: true});
    const lost = () => session.store.getState().scenario.path.loss.down;
    session.whatIf.apply({pane: 0, packet: 4});
    expect(lost()).toMatchObject({packets: [2, 3]});
    await settle();
    session.whatIf.apply({pane: 0, packet: 3});
    expect(lost()).toMatchObject({packets: [3]});
    expect(session.store.getState().scenario.changes).toEqual([]);
    session.history.undo();
    session.history.undo();
    expect(lost()).toMatchObject({packets: [2]});
  });

  test('by key is about the packet that is shown; if none is shown, a notice says how to show one', async () => {
    const {session} = await opened({seed: 1, path: PATH});
    session.whatIf.applyToChosen();
    expect(session.store.getState().notice?.title).toMatch(/^Choose a packet first/);
    session.highlights.choosePacket({pane: 0, packet: 4});
    session.whatIf.applyToChosen();
    expect(session.store.getState().scenario.path.loss.down).toMatchObject({packets: [2, 3]});
    await settle();
    expect(session.store.getState().chosenPacket).toEqual({pane: 0, packet: 4});
  });

  test('can be about one side only, also by key for the packet that is shown, and undo takes it back', async () => {
    const {session} = await opened({seed: 1, path: PATH});
    const drops = () => session.store.getState().scenario.panes.map(({drop}) => drop);
    session.whatIf.applyOwnToChosen();
    expect(session.store.getState().notice?.title).toMatch(/^Choose a packet first/);
    session.highlights.choosePacket({pane: 0, packet: 4});
    session.whatIf.applyOwnToChosen();
    expect(drops()).toEqual([{down: {packets: [3], applies: 'data'}}]);
    await settle();
    expect(session.store.getState().scenario.path.loss.down).toMatchObject({packets: [2]});
    session.history.undo();
    expect(drops()).toEqual([undefined]);
    await settle();
    session.whatIf.applyOwn({pane: 0, packet: 3});
    expect(session.store.getState().notice?.title).toMatch(/^The packet stays as it is: the path loses this packet/);
  });

  test('is refused with words while a run is computed', async () => {
    const {session} = await opened({seed: 1, path: PATH});
    const why = () => {
      const edit = session.whatIf.editOf({pane: 0, packet: 4});
      return edit.ok ? '' : edit.message;
    };
    expect(why()).toBe('');
    session.history.choose('seed', 7);
    expect(why()).toMatch(/still being computed/);
    session.whatIf.apply({pane: 0, packet: 4});
    expect(session.store.getState().notice?.title).toMatch(/^The packet stays as it is: .*still being computed/);
    await settle();
    expect(why()).toBe('');
  });
});

describe('the comparison with the previous run', () => {
  test('is hidden when it is dismissed, and is there again after the next change', async () => {
    const {session} = await opened({seed: 1});
    const choose = async (seed: number) => {
      session.history.choose('seed', seed);
      await settle();
    };
    await choose(5);
    expect(session.store.getState().before?.scenario.seed).toBe(1);
    session.screen.dismissBefore();
    expect(session.store.getState()).toMatchObject({before: null, run: {scenario: {seed: 5}}});
    session.screen.load();
    await settle();
    expect(session.store.getState().before).toBeNull();
    await choose(6);
    expect(session.store.getState().before?.scenario.seed).toBe(5);
  });
});

describe('a step of a story', () => {
  test('sets the y axis of the window, and a step that is made from the window has the window’s axis', async () => {
    const {session} = await opened({seed: 1});
    session.display.set({axis: 'scans'});
    await tell(session, {view: {axis: 'visual'}});
    expect(session.store.getState().view).toMatchObject({timeline: 'percent', axis: 'visual'});
    expect(stepOnShow(session, null).view.axis).toBe('visual');
    await tell(session, {});
    expect(session.store.getState().view.axis).toBe('bytes');
  });

  test('made from the window shows the timeline as in presenter mode, even if other settings apply now', async () => {
    const {session} = await opened({seed: 1});
    const {view} = session.store.getState();
    for (const isUpToT of [false, true]) {
      session.display.set({desk: {...view.desk, isUpToT: !isUpToT}, presented: {...view.presented, isUpToT}});
      expect(stepOnShow(session, null).view.reveal).toBe(isUpToT);
    }
  });

  test('made from the window can be read again, however short the zoom and long the address', async () => {
    const {session} = await opened({seed: 1});
    const made = (fromNs: number, toNs: number) => {
      session.display.set({zoom: [fromNs, toNs]});
      const story = {title: 'x', steps: [stepOnShow(session, null)]};
      expect(parseStory(storyDocument(story))).toEqual({ok: true, story});
      return story.steps[0]?.view.zoomS;
    };
    expect(made(1.2345678e9, 3.3e9)).toEqual([1.23, 3.3]);
    expect(made(1.2345678e9, 1.2355678e9)).toEqual([1.23457, 1.23557]);
    const {run} = session.store.getState();
    const object = {url: `/${'a'.repeat(2000)}`, contentType: 'image/jpeg', body: null};
    if (run !== null) session.store.setState({run: {...run, page: {...run.page, objects: [object]}}, selected: 0});
    made(0, 1e9);
    expect(stepOnShow(session, null).objects).toEqual([0]);
  });

  // in the small trace, packet 3 is lost at 25 ms; pane 1 has no other loss
  const LOSS = {highlight: {loss: {pane: 1, number: 1}}};

  test('explains its loss at its own t, and a step that is made from the window has the same loss', async () => {
    const {session} = await opened({seed: 1});
    await tell(session, {...LOSS, from: 0.03, to: 0.05});
    expect(session.store.getState()).toMatchObject({chosenLoss: {pane: 0, packet: 3}, notice: null});
    expect(session.player.tNs).toBe(30e6);
    expect(session.player.state.isPlaying).toBe(true);
    expect(stepOnShow(session, null).loss).toEqual({pane: 0, number: 1});
    await tell(session, {});
    expect(session.store.getState().chosenLoss).toBeNull();
    expect(stepOnShow(session, null).loss).toBeNull();
  });

  test('explains its loss again after F5', async () => {
    const {session} = await opened({seed: 1});
    await tell(session, LOSS);
    const {story} = session.stateOf(STORY_PLAYER).store.getState();
    session.highlights.chooseLoss(null);
    resumeStory(session, {story, step: 0, startedMs: 0, draft: null, isPanelOpen: false, place: NO_PLACE});
    expect(session.store.getState().chosenLoss).toEqual({pane: 0, packet: 3});
  });

  test('is sent to the host with its story after F5, if the last change was not sent before', async () => {
    const {session, host} = await opened({seed: 1});
    await tell(session, LOSS);
    const {story} = session.stateOf(STORY_PLAYER).store.getState();
    resumeStory(session, {story, step: 0, startedMs: 0, draft: 'mine', isPanelOpen: true, place: NO_PLACE});
    await settle();
    expect(host.kept).toMatchObject([['mine', {title: story?.title}]]);
  });

  test('shows waiting data without a stop if its view says so; without a story, playing stops at a wait', async () => {
    const {session} = await opened({seed: 1});
    const {display, player} = session;
    const setFreezes = vi.spyOn(player, 'setFreezes');
    // the run takes 20 s, so the start and the end of the wait, 30 ms apart, are one stop
    display.toggleFreezes();
    expect(setFreezes).toHaveBeenLastCalledWith([70e6]);
    expect(session.store.getState().view).toMatchObject({
      desk: {freezesAtLosses: true},
      presented: {freezesAtLosses: true},
    });
    await tell(session, {});
    expect(stageOf(session.store.getState().view).freezesAtLosses).toBe(false);
    await tell(session, {view: {waiting: true}});
    expect(stageOf(session.store.getState().view).freezesAtLosses).toBe(true);
    expect(setFreezes).toHaveBeenLastCalledWith([]);
    expect(stepOnShow(session, null).view.waiting).toBe(true);
    session.stateOf(STORY_PLAYER).end();
    expect(setFreezes).toHaveBeenLastCalledWith([70e6]);
    display.toggleFreezes();
    expect(setFreezes).toHaveBeenLastCalledWith([]);
  });

  test('has its stage settings after F5, and restores the user’s when the story ends', async () => {
    const {session} = await opened({seed: 1});
    const desk = {...FIRST_VIEW.desk, isUpToT: false, hasCaptions: true};
    const presented = {...FIRST_VIEW.presented, isUpToT: false};
    session.display.set({desk, presented});
    session.player.setSpeed(4);
    await tell(session, {view: {reveal: true}, speed: 2});
    const {story} = session.stateOf(STORY_PLAYER).store.getState();
    const stages = (each: Session) => {
      const {view} = each.store.getState();
      return [view.desk, view.presented, each.player.state.chosenSpeed];
    };
    const told = [{...desk, isUpToT: true}, {...presented, isUpToT: true}, 2];
    expect(stages(session)).toEqual(told);
    const {session: next} = await opened({seed: 1}, {}, session.keep());
    // the user's settings apply until the story is restored, and if it is not
    expect(stages(next)).toEqual([desk, presented, 4]);
    resumeStory(next, {story, step: 0, startedMs: 0, draft: null, isPanelOpen: false, place: NO_PLACE});
    expect(stages(next)).toEqual(told);
    next.stateOf(STORY_PLAYER).end();
    expect(stages(next)).toEqual([desk, presented, 4]);
  });

  test('clears its loss when the story ends; a loss that the user chose stays', async () => {
    const {session} = await opened({seed: 1});
    await tell(session, LOSS);
    session.stateOf(STORY_PLAYER).end();
    expect(session.store.getState().chosenLoss).toBeNull();
    await tell(session, {});
    session.highlights.chooseLoss({pane: 0, packet: 3});
    session.stateOf(STORY_PLAYER).end();
    expect(session.store.getState().chosenLoss).toEqual({pane: 0, packet: 3});
  });

  test('that names a loss which the run does not have is reported, and explains none', async () => {
    const {session} = await opened({seed: 1});
    await tell(session, {highlight: {loss: {pane: 1, number: 9}}});
    expect(session.store.getState()).toMatchObject({
      chosenLoss: null,
      notice: {
        title: 'Step 1 cannot be shown',
        lines: ['steps[0].highlight.loss.number is 9: must be a loss of pane 1, which loses 1 packet'],
      },
    });
  });

  test('stays when Escape closes the menu in front of it', async () => {
    const {session} = await opened({seed: 1});
    await tell(session, {});
    const {story, step} = session.stateOf(STORY_PLAYER).store.getState();
    session.stateOf(STORY_PLAYER).openMenu();
    expect(session.store.getState().view.dialog).toBe('stories');
    closeFront(session, FEATURES);
    expect(session.store.getState().view.dialog).toBeNull();
    expect(session.stateOf(STORY_PLAYER).store.getState()).toMatchObject({story, step});
    closeFront(session, FEATURES);
    expect(session.stateOf(STORY_PLAYER).store.getState().story).toBeNull();
  });

  /** Opens a story with only this step, and waits until it is on screen. */
  async function tell(session: Session, step: object): Promise<void> {
    const scenario = {panes: [{pipeline: 'tcp'}], seed: 3};
    const parsed = parseStory({story: 1, title: 'x', steps: [{scenario, ...step}]});
    if (!parsed.ok) throw new Error(parsed.problems[0].message);
    session.stateOf(STORY_PLAYER).open(parsed.story);
    await settle();
  }
});
