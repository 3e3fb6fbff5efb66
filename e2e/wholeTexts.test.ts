import type {Page} from 'playwright-core';
import {afterAll, beforeAll, describe, expect, test} from 'vitest';
import type {Json} from '../app/base/json.ts';
import {PRESETS} from '../app/run/scenario/presets.ts';
import {parseScenario} from '../app/run/scenario/scenario.ts';
import {openInWindow, openWindow, type TestWindow, whySkipped} from './window.ts';

// No text of the window is cut off: in every preset, with its own panes and with one to six others, at four sizes, and
// in presenter mode.

const SIZES = [
  [1920, 1080],
  [1280, 720],
  [1024, 768],
  [390, 844],
] as const;

/** Panes with the longest titles and settings. */
const PANES: readonly Json[] = [
  {pipeline: 'tcp', connections: 6, pipelining: false, tls: true},
  {pipeline: 'sctp', streams: 10, idata: true},
  {pipeline: 'h2', scheduler: 'scan-aware'},
  {pipeline: 'h3', profile: 'modern'},
  {pipeline: 'catp', visit: 'again'},
  {pipeline: 'sctp', streams: 1, messageBytes: 1024},
];

describe.skipIf(whySkipped !== '')(`the texts of the window${whySkipped}`, () => {
  let window: TestWindow;
  beforeAll(async () => {
    window = await openWindow({page: 'gallery', path: {rateBps: 1_000_000, loss: 0.03}, panes: [PANES[0] ?? null]});
  });
  afterAll(() => window?.close());

  const presets = PRESETS.map(({name}) => name);
  test.each(presets)('are whole in the preset %s', {tags: ['long']}, name => testPreset(name));

  test.each([4])('are whole with %i panes', count => testPanes(count));
  test.each([1, 2, 3, 5, 6])('are whole with %i panes', {tags: ['long']}, count => testPanes(count));

  async function testPreset(name: string): Promise<void> {
    const preset = PRESETS.find(each => each.name === name);
    await openInWindow(window, {...preset?.scenario, seed: 3});
    await expectWhole(window.page);
    // HTTP/3 cannot use the small packets of some presets
    const path = {...(preset?.scenario['path'] as {readonly [key: string]: Json}), mtuBytes: 1500};
    // not every pipeline supports what a preset has, for example hand-overs
    const panes = PANES.filter(pane => parseScenario({...preset?.scenario, path, panes: [pane]}).ok);
    for (let count = 1; count <= panes.length; count++) {
      await openInWindow(window, {...preset?.scenario, path, seed: 3, panes: panes.slice(0, count)});
      await expectWhole(window.page, [0.5]);
    }
  }

  async function testPanes(count: number): Promise<void> {
    const path = {rateBps: 1_000_000, rttMs: 350, loss: {p: 0.013158, r: 0.25}};
    await openInWindow(window, {page: 'gallery-15k', path, panes: PANES.slice(0, count)});
    await expectWhole(window.page);
  }
});

/** Looks at moments of a run (shares of its length), at all sizes, with and without presenter mode. */
async function expectWhole(page: Page, moments: readonly number[] = [0, 0.5, 1]): Promise<void> {
  const faults: string[] = [];
  for (const isPresenting of [false, true]) {
    if (isPresenting) await page.keyboard.press('p');
    for (const at of moments) {
      await page.getByLabel('scrub, milliseconds').evaluate((scrubber: HTMLInputElement, share) => {
        const set = Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'value')?.set;
        set?.call(scrubber, String(share * Number(scrubber.max)));
        scrubber.dispatchEvent(new Event('input', {bubbles: true}));
      }, at);
      for (const [width, height] of SIZES) {
        await page.setViewportSize({width, height});
        await page.evaluate(() => new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done))));
        const where = `${width} × ${height}${isPresenting ? ', presenting' : ''}, at ${100 * at} %`;
        faults.push(...(await page.evaluate(cutTexts)).map(fault => `${where}: ${fault}`));
      }
    }
  }
  await page.setViewportSize({width: 1280, height: 720});
  await page.keyboard.press('p');
  expect(faults).toEqual([]);
}

/** In the browser: the texts of which a part is hidden by an element around them, or that leave the window. */
function cutTexts(): string[] {
  const PARTS =
    '.toolbar, .lesson, .heading, .pane-header, .pane-told, .pane-caption, .playing, .timeline-bar, .legend, .sentence, .run-facts, .honesty summary, .honesty .is-luck, .side';
  // in these, a text that does not fit is left out as a whole
  const WHOLE_OR_NOT = '.pane-settings, .pane-progress';
  // titles repeat the whole text, tables can be scrolled, and a list shows its whole text when it is opened
  const EXCEPT = 'select, option, .objects, canvas, .metrics';
  const faults = new Set<string>();
  for (const part of document.querySelectorAll<HTMLElement>(PARTS)) {
    const walker = document.createTreeWalker(part, NodeFilter.SHOW_TEXT);
    for (let node = walker.nextNode(); node !== null; node = walker.nextNode()) {
      const element = node.parentElement;
      const text = node.textContent?.trim() ?? '';
      if (element === null || text === '' || element.closest(EXCEPT) !== null) continue;
      // in presenter mode the bars are moved out of the window until they are needed
      if (element.closest('.presenting .transport, .presenting .toolbar') !== null) continue;
      if (!element.checkVisibility({visibilityProperty: true, opacityProperty: true})) continue;
      const range = document.createRange();
      range.selectNodeContents(node);
      for (const {left, right, top, bottom} of range.getClientRects()) {
        if (right - left < 1) continue;
        const hidden = hiddenBy(element, {left, right, top, bottom});
        if (hidden !== '') faults.add(`'${text.slice(0, 60)}' in ${part.className || part.tagName}: ${hidden}`);
      }
    }
  }
  return [...faults];

  function hiddenBy(
    element: Element,
    {left, right, top, bottom}: Omit<DOMRect, 'x' | 'y' | 'width' | 'height' | 'toJSON'>,
  ): string {
    let [scrollsAcross, scrollsDown] = [false, false];
    for (let each: Element | null = element; each !== null && each !== document.body; each = each.parentElement) {
      const {overflowX, overflowY, clipPath} = getComputedStyle(each);
      const box = each.getBoundingClientRect();
      // for screen readers only
      if (clipPath !== 'none') return '';
      if (each.matches(WHOLE_OR_NOT) && (top >= box.bottom - 3 || bottom <= box.top + 3)) return '';
      // on a small screen the stage scrolls down, but never across
      if ((overflowX === 'auto' || overflowX === 'scroll') && !each.matches('.stage')) scrollsAcross = true;
      // at rest, the drawer shows its texts without scrolling
      if ((overflowY === 'auto' || overflowY === 'scroll') && !each.matches('.drawer-contents')) scrollsDown = true;
      const isCutAcross =
        overflowX !== 'visible' && !scrollsAcross && (left < box.left - 1.5 || right > box.right + 1.5);
      const isCutDown = overflowY !== 'visible' && !scrollsDown && (top < box.top - 4 || bottom > box.bottom + 4);
      if (isCutAcross || isCutDown) return `cut by ${each.className || each.tagName}`;
    }
    const page = document.scrollingElement;
    const isOutside = !scrollsAcross && (left < -1.5 || right > window.innerWidth + 1.5);
    const isBelow = !scrollsDown && bottom > Math.max(window.innerHeight, page?.scrollHeight ?? 0) + 4;
    return isOutside || isBelow ? 'outside of the window' : '';
  }
}
