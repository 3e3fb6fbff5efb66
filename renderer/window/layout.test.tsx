// @vitest-environment jsdom
import {act} from 'react';
import {createRoot} from 'react-dom/client';
import {afterEach, beforeEach, describe, expect, test, vi} from 'vitest';
import type {Host} from '../../app/host/contract.ts';
import {measure} from '../../app/run/metrics/metrics.ts';
import {parseScenario} from '../../app/run/scenario/scenario.ts';
import {smallTrace} from '../../app/run/trace/testing/smallTrace.ts';
import {Trace} from '../../app/run/trace/trace.ts';
import {openFeatures} from '../features/feature.ts';
import {FEATURES} from '../features/list.ts';
import {SessionProvider} from '../session/context.tsx';
import {Player} from '../session/player.ts';
import {Session} from '../session/session.ts';
import {movedShare} from './Splitter.tsx';

// The controls around the panes and the timeline: the splitter, the drawer, the scrubber and the popover of choices.

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
  vi.stubGlobal('requestIdleCallback', () => 0);
  const style = {fontSize: '13px', gridTemplateRows: '300px 6px 50px 400px 70px'};
  vi.stubGlobal('getComputedStyle', () => style);
  Object.assign(HTMLDialogElement.prototype, {close: () => undefined, showModal: () => undefined});
  Object.assign(HTMLCanvasElement.prototype, {getContext: () => null});
  vi.stubGlobal('IS_REACT_ACT_ENVIRONMENT', true);
});
const {App} = await import('./App.tsx');

const parsed = parseScenario({panes: [{pipeline: 'tcp'}, {pipeline: 'sctp'}]});
if (!parsed.ok) throw new Error(parsed.problems[0]?.message);
const {scenario} = parsed;
// in the small trace, packet 3 is lost at 25 ms
const LOSS = {pane: 0, packet: 3};

let unmount: () => void = () => undefined;
let session: Session;
beforeEach(() => {
  const host = {
    on: () => () => undefined,
    packetParts: () => new Promise(() => undefined),
    setFullScreen: async () => true,
  };
  session = new Session(host as unknown as Host, new Player(), scenario);
  openFeatures(session, FEATURES);
  const root = createRoot(document.body.appendChild(document.createElement('div')));
  unmount = () => root.unmount();
  act(() =>
    root.render(
      <SessionProvider session={session}>
        <App features={FEATURES} />
      </SessionProvider>,
    ),
  );
  const traces = [new Trace(smallTrace()), new Trace(smallTrace())];
  const page = {name: 'a page', objects: [], headerBytes: 0, requestBytes: 0, hash: '', leftOut: []};
  const synthetic = {...page, name: 'synthetic'};
  act(() => {
    session.store.setState({run: {scenario, page: synthetic, traces, metrics: traces.map(({data}) => measure(data))}});
    session.player.setEnd(100e6);
  });
});
afterEach(() => {
  act(() => unmount());
  document.body.replaceChildren();
});

const one = <E extends HTMLElement = HTMLElement>(selector: string): E => {
  const element = document.querySelector<E>(selector);
  if (element === null) throw new Error(`there is no ${selector}`);
  return element;
};
const press = (target: EventTarget, key: string): void =>
  act(() => void target.dispatchEvent(new KeyboardEvent('keydown', {key, bubbles: true, cancelable: true})));

describe('the scrubber', () => {
  test('shows the share of t also after the length of the run has changed', async () => {
    const share = () => one('.scrubber').style.getPropertyValue('--share');
    await act(() => session.player.seek(50e6));
    expect(share()).toBe('0.5');
    act(() => session.player.setEnd(200e6));
    expect(share()).toBe('0.25');
    expect(one<HTMLInputElement>('.scrubber').valueAsNumber).toBe(50);
  });
});

describe('the bar of the timeline', () => {
  test('has at most 14 controls together with those for playing; the others are in a popover', () => {
    const all = [...document.querySelectorAll<HTMLElement>('.transport :is(button, input, select)')];
    const shown = all.filter(each => each.closest('[popover]') === null);
    expect(shown.length).toBeLessThanOrEqual(14);
    expect(all.length).toBeGreaterThan(shown.length + 4);
    const popover = one('[popover]');
    expect(shown.some(each => each.getAttribute('popovertarget') === popover.id)).toBe(true);
  });
});

describe('the splitter', () => {
  const heights = {panesPx: 300, timelinePx: 200, leastPanesPx: 100, leastTimelinePx: 80};

  test('moves the edge between the panes and the timeline, and keeps the least height of each', () => {
    expect(movedShare(heights, 0)).toBe(0.6);
    expect(movedShare(heights, 50)).toBe(0.7);
    expect(movedShare(heights, -1000)).toBe(0.2);
    expect(movedShare(heights, 1000)).toBeCloseTo(420 / 500);
    // in a window that is too low for both, the panes keep theirs
    expect(movedShare({...heights, leastPanesPx: 450}, 1000)).toBe(0.9);
  });

  test('obeys the arrow keys, and a double click or Enter resets it', () => {
    const splitter = one('[role=separator]');
    const share = () => session.store.getState().view.paneShare;
    expect([splitter.tabIndex, share()]).toEqual([0, null]);
    press(splitter, 'ArrowDown');
    expect(share()).toBeCloseTo(316 / 700);
    press(splitter, 'Enter');
    expect(share()).toBeNull();
    press(splitter, 'ArrowUp');
    expect(share()).toBeCloseTo(284 / 700);
    expect(one('.stage').style.getPropertyValue('--panes-room')).toBe(`${(100 * 284) / 700}fr`);
    act(() => void splitter.dispatchEvent(new MouseEvent('dblclick', {bubbles: true})));
    expect(share()).toBeNull();
  });

  test('handles Home and End, which otherwise move t', async () => {
    await act(() => session.player.seek(50e6));
    const splitter = one('[role=separator]');
    const shares = ['Home', 'End'].map(key => {
      press(splitter, key);
      return session.store.getState().view.paneShare ?? Number.NaN;
    });
    expect(shares[0]).toBeLessThan(shares[1] ?? 0);
    expect(session.player.tNs).toBe(50e6);
  });
});

describe('the drawer for details', () => {
  const contents = () => one('.drawer-contents').textContent ?? '';
  const tabs = () => [...document.querySelectorAll('.drawer .segments button')].map(({textContent}) => textContent);

  test('while nothing is chosen, says what makes the comparison fair', () => {
    expect(contents()).toContain('every side');
    expect(tabs()).toEqual([]);
  });

  test('shows what was chosen last, and the others by tabs; Escape closes one after the other', () => {
    act(() => session.highlights.explainLoss(LOSS));
    expect(contents()).toContain('Lost at');
    act(() => session.highlights.choosePacket({pane: 1, packet: 4}));
    expect(contents()).toContain('packet 5 of');
    expect(tabs()).toEqual(['loss', 'packet']);
    act(() => session.highlights.select(1));
    expect(contents()).toContain('HOL blocked');
    expect(tabs()).toEqual(['object', 'loss', 'packet']);
    act(() => document.querySelectorAll<HTMLElement>('.drawer .segments button')[1]?.click());
    expect(contents()).toContain('Lost at');
    for (const [rest, shown] of [
      [['object', 'loss'], 'Lost at'],
      [[], 'HOL blocked'],
      [[], 'every side'],
    ] as const) {
      press(window, 'Escape');
      expect([tabs(), contents()]).toEqual([rest, expect.stringContaining(shown)]);
    }
  });

  test('is one element at one place, whatever it shows; presenter mode shows it only for details', () => {
    const drawer = one('.drawer');
    act(() => session.highlights.explainLoss(LOSS));
    expect(one('.drawer')).toBe(drawer);
    expect(document.querySelectorAll('.stage > :is(.cause, .packet, .details)')).toHaveLength(0);
    act(() => session.display.present(true));
    expect(document.querySelector('.drawer')).not.toBeNull();
    act(() => session.highlights.chooseLoss(null));
    expect(document.querySelector('.drawer')).toBeNull();
  });
});

describe('the graphs of the timeline', () => {
  test('are folded by a button each, and all by a key', () => {
    const buttons = () => [...document.querySelectorAll<HTMLElement>('.timeline-fold')];
    const folded = () => session.store.getState().view.foldedPanes;
    expect(buttons()).toHaveLength(2);
    act(() => buttons()[1]?.click());
    expect(folded()).toEqual([1]);
    expect(buttons().map(each => each.getAttribute('aria-expanded'))).toEqual(['true', 'false']);
    press(window, 'h');
    expect(folded()).toEqual([]);
    press(window, 'h');
    expect(folded()).toEqual([0, 1]);
    expect(one('.stage').style.getPropertyValue('--timeline-room')).toMatch(/px$/);
  });

  test('keep their least height in a view with a row for each pane, where nothing is folded', () => {
    const run = session.store.getState().run;
    if (run === null) throw new Error('a run is shown');
    const least = () => one('.stage').style.getPropertyValue('--least-timeline');
    act(() => {
      session.store.setState({run: {...run, traces: run.traces.slice(0, 1), metrics: run.metrics.slice(0, 1)}});
      session.display.set({timeline: 'losses', foldedPanes: []});
    });
    // 12 em of 13 px
    expect(least()).toBe('156px');
    act(() => session.display.set({foldedPanes: [0]}));
    expect(least()).toBe('156px');
  });
});
