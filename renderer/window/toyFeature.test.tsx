// @vitest-environment jsdom
import {act, type ReactNode} from 'react';
import {createRoot} from 'react-dom/client';
import {afterEach, beforeEach, describe, expect, test, vi} from 'vitest';
import {createStore, type StoreApi} from 'zustand/vanilla';
import type {Host} from '../../app/host/contract.ts';
import {parseScenario} from '../../app/run/scenario/scenario.ts';
import {type Feature, openFeatures} from '../features/feature.ts';
import {FEATURES} from '../features/list.ts';
import {start} from '../features/start/index.tsx';
import {SessionProvider, useStateOf} from '../session/context.tsx';
import type {FeatureState} from '../session/extension.ts';
import type {ShownRun} from '../session/loads.ts';
import {Player} from '../session/player.ts';
import {Session} from '../session/session.ts';

// These tests check what the window makes of a feature that is added to the list. run/panes/toyPipeline.test.tsx does
// the same for pipelines.

vi.hoisted(() => {
  // jsdom has none of these functions
  const query = {matches: false, addEventListener: () => undefined, removeEventListener: () => undefined};
  vi.stubGlobal('matchMedia', () => query);
  class Observer {
    observe(): void {}
    disconnect(): void {}
  }
  vi.stubGlobal('ResizeObserver', Observer);
  vi.stubGlobal('IntersectionObserver', Observer);
  Object.assign(HTMLDialogElement.prototype, {close: () => undefined, showModal: () => undefined});
  Object.assign(Element.prototype, {scrollIntoView: () => undefined});
  Object.assign(HTMLCanvasElement.prototype, {getContext: () => null});
  vi.stubGlobal('IS_REACT_ACT_ENVIRONMENT', true);
});
const {App} = await import('./App.tsx');

interface Toy {
  readonly count: StoreApi<{readonly pressed: number}>;
}

const TOY: FeatureState<Toy> = {create: () => ({count: createStore(() => ({pressed: 0}))})};
const heard: string[] = [];

const toy: Feature = {
  name: 'toy',
  state: TOY,
  commands: () => [{id: 'toy', group: 'command', title: 'Wind up the toy', act: () => heard.push('wound up')}],
  door: {place: 'page', title: 'Your toy', View: () => <p id="toy-door" />},
  toolbar: [
    {group: 'more', Entry: () => <button type="button">Seldom</button>},
    {group: 'tools', Entry: () => <button type="button">Toy {useStateOf(TOY).count.getState().pressed}</button>},
  ],
  keys: [
    {
      key: '9',
      group: 'present',
      text: 'press the toy',
      act: session => session.stateOf(TOY).count.setState(({pressed}) => ({pressed: pressed + 1})),
    },
  ],
  help: 'A toy does nothing.',
  dialogs: [{name: 'toy box', region: 'the toy box', View: ({theme}) => <dialog id="box">{theme}</dialog>}],
  panel: {region: 'the toy', View: ({run}) => <section id="toy">{run.page.name}</section>},
  bar: {region: 'the toys', View: () => <p id="bar" />},
  notice: () => <p id="notice" />,
  side: [
    {place: 'settings', region: 'the toy’s settings', View: () => <p id="settings" />},
    {place: 'files', region: 'the toy’s files', View: () => <p id="files" />},
  ],
  runSetting: () => <p id="run-setting" />,
  path: {
    label: 'toy path…',
    title: 'over a toy',
    isOf: () => false,
    leave: () => heard.push('left the path'),
    Fields: ({isAsking}) => <p id="toy-path">{String(isAsking)}</p>,
  },
  turn: (_, step) => heard.push(`turned ${step}`) > 0,
  paste: (_, text) => heard.push(`pasted ${text}`),
  drop: (_, dropped) => heard.push(`dropped ${dropped.getData('text')}`),
  escape: () => heard.push('escaped') > 0,
};

const parsed = parseScenario({panes: [{pipeline: 'tcp'}]});
if (!parsed.ok) throw new Error(parsed.problems[0]?.message);
const {scenario} = parsed;

let unmount: () => void = () => undefined;
afterEach(() => {
  act(() => unmount());
  document.body.replaceChildren();
});
beforeEach(() => {
  heard.length = 0;
});

/** A window with these features, before its first run. */
function opened(features: readonly Feature[]): Session {
  const session = new Session({on: () => () => undefined} as Pick<Host, 'on'> as Host, new Player(), scenario);
  openFeatures(session, features);
  session.display.set({areControlsOpen: true});
  const root = createRoot(document.body.appendChild(document.createElement('div')));
  unmount = () => root.unmount();
  const window: ReactNode = (
    <SessionProvider session={session}>
      <App features={features} />
    </SessionProvider>
  );
  act(() => root.render(window));
  return session;
}

/** A run that shows nothing but the name of its page. */
function showRun(session: Session): void {
  const page = {name: 'a page of toys', objects: [], headerBytes: 0, requestBytes: 0, hash: '', leftOut: []};
  const run: ShownRun = {scenario: {...scenario, panes: []}, page, traces: [], metrics: []};
  act(() => session.store.setState({run}));
}

const press = (key: string): void => act(() => void window.dispatchEvent(new KeyboardEvent('keydown', {key})));
const texts = (selector: string) => [...document.querySelectorAll(selector)].map(({textContent}) => textContent);

describe('a feature that is added to the list', () => {
  test('appears in the toolbar, the notices, the side, the bars, the dialogs and the help', () => {
    opened([...FEATURES, toy]);
    const tools = texts('.toolbar .group').find(text => text?.includes('Toy'));
    expect(tools).toBe('OpenCompareStoriesRecordToy 0');
    for (const id of ['notice', 'settings', 'bar', 'run-setting'])
      expect(document.getElementById(id), id).not.toBeNull();
    expect(document.querySelector('.notices #notice')).not.toBeNull();
    expect(document.querySelector('.side #settings')).not.toBeNull();
    expect(document.querySelector('.run #run-setting')).not.toBeNull();
    expect(texts('.dialogs #box')).toEqual(['light']);
    expect(texts('.help p')).toContain('A toy does nothing.');
    // its key is with the other keys of its group: after the story's, before the window's own
    const keys = texts('.keys dd');
    expect(keys.slice(keys.indexOf('write the story'))[1]).toBe('press the toy');
    expect(keys.slice(keys.indexOf('press the toy'))[1]).toBe(
      'presenter mode: turn the screen black, or show the run again',
    );
  });

  test('has its rarely used buttons in a menu, its commands in the palette, and its door on the start screen', () => {
    const session = opened([...FEATURES.filter(({door}) => door === undefined), start, toy]);
    const click = (text: string) =>
      act(() => [...document.querySelectorAll('button')].find(each => each.textContent?.includes(text))?.click());
    expect(document.body.textContent).not.toContain('Seldom');
    click('Tools');
    expect(texts('.menu-list')[0]).toContain('Seldom');
    click('Seldom');
    expect(document.querySelector('.menu-list')).toBeNull();
    act(() => session.display.openDialog('start'));
    expect(document.querySelector('.doors #toy-door')).not.toBeNull();
    act(() => session.display.openDialog('palette'));
    const options = [...document.querySelectorAll<HTMLElement>('[role=option]')];
    act(() => options.find(({textContent}) => textContent === 'Wind up the toy')?.click());
    expect(heard).toEqual(['wound up']);
    expect(session.store.getState().view.dialog).toBeNull();
  });

  test('keeps its state in the session, and its key changes the state', () => {
    const session = opened([toy]);
    press('9');
    expect(session.stateOf(TOY).count.getState()).toEqual({pressed: 1});
  });

  test('has its panel instead of the timeline, and its files below those of the run', () => {
    const session = opened([...FEATURES, toy]);
    expect(document.getElementById('files')).toBeNull();
    act(() => session.display.set({panel: 'toy'}));
    showRun(session);
    expect(texts('#toy')).toEqual(['a page of toys']);
    expect(document.querySelector('.stage .timeline')).toBeNull();
    // a run without panes has one group of files
    expect([...document.querySelectorAll('.side :is(.run-files, #files)')].map(({id}) => id)).toEqual(['', 'files']);
    press('Escape');
    expect(document.getElementById('toy')).toBeNull();
    expect(document.querySelector('.stage .timeline')).not.toBeNull();
  });

  test('offers its path, and is told when the user leaves it', () => {
    opened([...FEATURES, toy]);
    const button = (text: string) => [...document.querySelectorAll('button')].find(each => each.textContent === text);
    act(() => button('toy path…')?.click());
    expect(texts('#toy-path')).toEqual(['true']);
    act(() => button('back to emulated')?.click());
    expect(document.getElementById('toy-path')).toBeNull();
    expect(heard).toEqual(['left the path']);
  });

  test('handles pasted and dropped data, a page turner, and Escape when no dialog is open', () => {
    const session = opened([toy]);
    const data = {getData: () => 'a toy'};
    window.dispatchEvent(Object.assign(new Event('paste'), {clipboardData: data}));
    window.dispatchEvent(Object.assign(new Event('drop'), {dataTransfer: data}));
    press('PageDown');
    press('PageUp');
    act(() => session.display.openDialog('toy box'));
    press('Escape');
    expect(session.store.getState().view.dialog).toBeNull();
    expect(heard).toEqual(['pasted a toy', 'dropped a toy', 'turned 1', 'turned -1']);
    press('Escape');
    expect(heard.at(-1)).toBe('escaped');
  });
});

test('the window has nothing of a feature that is not in the list', () => {
  opened([]);
  expect(texts('.toolbar .group')).toEqual(['', '', '', ' Settings']);
  expect(document.querySelectorAll('dialog')).toHaveLength(1);
  expect(texts('.side')).toEqual(['']);
});
