// @module-tag long
import {afterAll, beforeAll, describe, expect, test} from 'vitest';
import type {Json} from '../app/base/json.ts';
import {findPreset} from '../app/run/scenario/presets.ts';
import {DEFAULT_MOVIE, type TimelineName} from '../app/telling/movie/options.ts';
import type {StagePage} from '../main/media/movie/stagePage.ts';
import type {DevTools} from '../main/media/studio/studio.ts';
import {openStage, openStudio, type TestStudio} from './studio.ts';
import {whySkipped} from './window.ts';

// Checks that every text of a movie is complete and within its pane, card and picture, at any size and number of panes.

/** Bursts of loss, long names, and a run of a second. */
const WIFI = findPreset('wifi-bad')?.scenario ?? {};
const WEB = findPreset('web-wifi-bad')?.scenario ?? {};
const PANES = [...((WEB['panes'] as readonly Json[] | undefined) ?? []), {pipeline: 'udp'}, {pipeline: 'catp'}];
/** One size for each layout. Type grows with the picture, so all sizes of a shape have the same layout. */
const SIZES = [
  [1280, 720],
  [1024, 768],
  [1080, 1080],
  [720, 1280],
  [2560, 1080],
] as const;
/** The shares of the run at which texts are checked. */
const SHARES = [0, 0.35, 0.7, 1];

describe.skipIf(whySkipped !== '')(`texts of movies and filmstrips${whySkipped}`, () => {
  let opened: TestStudio;
  let stage: StagePage;
  let devTools: DevTools;
  beforeAll(async () => {
    opened = await openStudio();
    ({stage, devTools} = await openStage(opened.studio));
  });
  afterAll(() => opened?.close());

  test.each([2, 3, 4, 5, 6])('fit with %i panes', async count => {
    for (const size of SIZES) await expectFit(count, size, 'percent');
  });

  test.each([2, 4, 6])('fit with %i panes beside the view of losses and beside a waterfall', async count => {
    for (const view of ['losses', 'waterfall'] as const) await expectFit(count, SIZES[0], view);
  });

  test('fit in filmstrips with 2 to 6 panes', async () => {
    for (const count of [2, 3, 4, 5, 6]) {
      for (const [width, height] of [
        [1280, 720],
        [720, 1280],
      ] as const) {
        const look = {...DEFAULT_MOVIE.look, size: {width, height}};
        const scenario = {...WIFI, panes: PANES.slice(0, count)};
        await stage.openFilmstrip(scenario, look, [0, 0.3e9, 0.43e9], 1);
        await expectNoFaults(`a filmstrip of ${count} panes, ${width}x${height}`);
      }
    }
  });

  async function expectNoFaults(what: string): Promise<void> {
    for (const theme of ['light', 'dark']) {
      expect(await evaluate<readonly string[]>(`(${faultsOf})('${theme}')`), `${what}, ${theme}`).toEqual([]);
    }
  }

  async function expectFit(count: number, [width, height]: readonly [number, number], timeline: TimelineName) {
    const look = {...DEFAULT_MOVIE.look, size: {width, height}, timeline};
    const scenario = {...WIFI, panes: PANES.slice(0, count)};
    const {endNs} = await stage.open(scenario, {...DEFAULT_MOVIE, look});
    const times = [-1e9, ...SHARES.map(share => share * endNs), endNs + 1e12];
    for (const tNs of times) {
      await stage.show(tNs);
      await expectNoFaults(`${count} panes, ${width}x${height}, ${timeline}, t = ${tNs / 1e9}`);
    }
  }

  async function evaluate<T>(expression: string): Promise<T> {
    const answer = await devTools.send('Runtime.evaluate', {expression, returnByValue: true});
    return (answer as {readonly result: {readonly value: T}}).result.value;
  }
});

/** Runs in the browser. Returns texts that are cut, exceed their pane, card or picture, or overlap. */
function faultsOf(theme: string): string[] {
  document.documentElement.dataset['theme'] = theme;
  const card = [...document.querySelectorAll<HTMLElement>('.card')].find(each => each.offsetHeight > 0);
  const scope = card ?? document.querySelector('.movie, .filmstrip') ?? document.body;
  const faults: string[] = [];
  const shown: {readonly text: string; readonly element: Element; readonly box: DOMRect}[] = [];
  const walker = document.createTreeWalker(scope, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node !== null; node = walker.nextNode()) {
    const [element, text] = [node.parentElement, node.textContent?.trim() ?? ''];
    // the received bytes may be cut, so that there is room for what is compared (panes.css)
    const isAside = element?.closest('.pane-paper, .pane-progress, .pane-part') !== null;
    if (element === null || text === '' || isAside) continue;
    if (!element.checkVisibility({visibilityProperty: true, opacityProperty: true})) continue;
    const range = document.createRange();
    range.selectNodeContents(node);
    for (const box of range.getClientRects()) if (box.width > 0) shown.push({text, element, box});
    for (let each: Element | null = element; each !== null && each !== scope; each = each.parentElement) {
      const isClipped = getComputedStyle(each).overflow !== 'visible';
      const isCut = each.scrollWidth > each.clientWidth + 1 || each.scrollHeight > each.clientHeight + 1;
      if (isClipped && isCut) faults.push(`cut: ${text}`);
    }
  }
  for (const element of scope.querySelectorAll('.pane-dots')) {
    const box = element.getBoundingClientRect();
    if (box.width > 0 && element.closest('.legend') === null) shown.push({text: 'dots', element, box});
  }
  for (const [i, {text, element, box}] of shown.entries()) {
    const holder = (element.closest('.captioned-pane') ?? scope).getBoundingClientRect();
    const room = card === undefined ? holder : new DOMRect(0, 0, innerWidth, innerHeight);
    const isOut =
      box.left < room.left - 1 || box.right > room.right + 1 || box.top < -1 || box.bottom > innerHeight + 1;
    if (isOut) faults.push(`outside: ${text}`);
    for (const other of shown.slice(i + 1)) {
      if (other.element === element) continue;
      const across = Math.min(box.right, other.box.right) - Math.max(box.left, other.box.left);
      const down = Math.min(box.bottom, other.box.bottom) - Math.max(box.top, other.box.top);
      // descenders reach into the next line
      if (across > 1 && down > 0.35 * Math.min(box.height, other.box.height))
        faults.push(`over each other: ${text} | ${other.text}`);
    }
  }
  const timeline = document.querySelector('.movie .timeline')?.getBoundingClientRect();
  if (timeline !== undefined && card === undefined && timeline.height < 100 * (innerHeight / 1080))
    faults.push('no timeline');
  return [...new Set(faults)];
}
