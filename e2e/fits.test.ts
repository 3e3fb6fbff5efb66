import type {Page} from 'playwright-core';
import {afterAll, beforeAll, describe, expect, test} from 'vitest';
import {openUnmeasuredWindow, openWindow, type TestWindow, unfold, whySkipped} from './window.ts';

// Checks that nothing in the window is cut off, overlaps something else or is too small to hit, at any size of the
// window.

const PANES = [
  {pipeline: 'tcp'},
  {pipeline: 'sctp', streams: 10},
  {pipeline: 'tcp', profile: 'modern'},
  {pipeline: 'h2', scheduler: 'scan-aware'},
  {pipeline: 'sctp', streams: 1},
  {pipeline: 'sctp', profile: 'modern'},
];
const BURSTS = {p: 0.013158, r: 0.25, h: 0, k: 1};
const PATH = {rateBps: 56_000, rttMs: {down: 1080, up: 540}, loss: {down: 0.043, up: BURSTS}};
const SIZES = [
  [1280, 720],
  [1920, 1080],
  [1024, 768],
] as const;
const TITLES = [
  'Burst loss, queue',
  'Queue discipline, traces, traffic',
  'Timed changes',
  'Discovery, server',
  'Recognisable, good',
  'Metrics',
  'Objects',
  'Files',
];

describe.skipIf(whySkipped !== '')(`the window of 2 panes${whySkipped}`, () => testFits(2));
const MORE_PANES = `the window of %i panes${whySkipped}`;
describe.skipIf(whySkipped !== '').each([4, 6])(MORE_PANES, {tags: ['long']}, testFits);

function testFits(count: number): void {
  let window: TestWindow;
  beforeAll(async () => {
    const changes = [{atMs: 8000, path: {loss: 0.1}}];
    window = await openWindow({page: 'gallery', path: PATH, changes, panes: PANES.slice(0, count)});
  });
  afterAll(() => window?.close());

  const all = 'shows all of its text uncovered, with sections folded and unfolded: %i × %i';
  test.each(SIZES.slice(-1))(all, (...size) => showsAll(size));
  test.each(SIZES.slice(0, -1))(all, {tags: ['long']}, (...size) => showsAll(size));

  async function showsAll(size: readonly [number, number]): Promise<void> {
    const {page} = window;
    await page.setViewportSize({width: size[0], height: size[1]});
    for (const isUnfolded of [false, true]) {
      await fold(page);
      if (isUnfolded) await unfoldAll(page, count);
      for (const theme of ['light', 'dark']) {
        await page.locator(`html[data-theme=${theme}]`).waitFor();
        expect(await page.evaluate(faultsOf), `${theme}, unfolded ${isUnfolded}`).toEqual([]);
        await page.keyboard.press('t');
      }
    }
  }

  test('has room for an experiment with all of its choices', async () => {
    const {page} = window;
    await fold(page);
    await page.keyboard.press('v');
    await page.getByLabel('Vary', {exact: true}).selectOption({label: 'another setting …'});
    await page.getByLabel('and', {exact: true}).selectOption({label: 'RTT, ms'});
    for (const [width, height] of SIZES) {
      await page.setViewportSize({width, height});
      expect(await page.evaluate(faultsOf), `${width}`).toEqual([]);
    }
    await page.keyboard.press('Escape');
    await page.locator('.timeline').waitFor();
  });

  test('has room for its dialogs', async () => {
    const {page} = window;
    for (const [width, height] of SIZES) {
      await page.setViewportSize({width, height});
      for (const key of ['r', '?']) {
        await page.keyboard.press(key);
        const box = await page.locator('dialog[open]').boundingBox();
        expect(box?.y).toBeGreaterThanOrEqual(0);
        expect((box?.y ?? 0) + (box?.height ?? 0)).toBeLessThanOrEqual(height);
        expect(await page.evaluate(faultsOf), `${key} at ${width}`).toEqual([]);
        await page.getByRole('button', {name: 'Close'}).click();
        await page.locator('dialog[open]').waitFor({state: 'detached'});
      }
    }
  });

  test('lets Tab reach every control of the side panel when everything is unfolded', async () => {
    const {page} = window;
    await unfoldAll(page, count);
    const controls = '.side :is(button, select, summary, input:not([type=radio])), .side :checked[type=radio]';
    const all = await page.locator(controls).count();
    await page.locator('.side').evaluate(side => {
      for (const each of document.querySelectorAll('[data-reached]')) each.removeAttribute('data-reached');
      side.querySelector<HTMLElement>('select')?.focus();
    });
    for (let presses = 0; presses <= all; presses++) {
      await page.evaluate(() => document.activeElement?.setAttribute('data-reached', ''));
      await page.keyboard.press('Tab');
    }
    const missed = await page
      .locator(controls)
      .evaluateAll(found =>
        found.filter(each => !each.hasAttribute('data-reached')).map(each => each.outerHTML.slice(0, 120)),
      );
    expect(all).toBeGreaterThan(40);
    expect(missed).toEqual([]);
  });
}

describe.skipIf(whySkipped !== '')(`sections${whySkipped}`, () => {
  test('stay open or folded when the page is loaded again', {tags: ['long']}, async () => {
    const {page, close} = await openUnmeasuredWindow();
    const open = () =>
      page.locator('.section[open] > summary').evaluateAll(all => all.map(each => each.firstChild?.textContent));
    expect(await open()).toEqual(['Metrics', 'Objects']);
    await unfold(page, 'Burst loss, queue');
    await page.locator('summary', {hasText: 'Metrics'}).focus();
    await page.keyboard.press('Enter');
    await expect.poll(open).toEqual(['Burst loss, queue', 'Objects']);
    // A section is folded first, and reports this later with an event.
    await page.evaluate(() => new Promise(done => requestAnimationFrame(() => setTimeout(done, 0))));
    await page.reload();
    await page.locator('html[data-state=ready]').waitFor();
    expect(await open()).toEqual(['Burst loss, queue', 'Objects']);
    expect(await page.getByLabel('Queue', {exact: true}).isVisible()).toBe(true);
    expect(await page.locator('.metrics').first().isVisible()).toBe(false);
    await close();
  });

  test('show what is set in them while they are folded', {tags: ['long']}, async () => {
    const {page, close} = await openUnmeasuredWindow();
    const hint = page.locator('.section', {hasText: 'Burst loss, queue'}).locator('.hint');
    expect(await hint.textContent()).toBe('independent losses · queue of 1000 packets');
    await unfold(page, 'Burst loss, queue');
    await page.getByLabel('Loss applies to').selectOption('packets with data');
    await page.getByLabel('Queue', {exact: true}).fill('64');
    await expect
      .poll(() => hint.textContent())
      .toBe('independent losses · only packets with data · queue of 64 packets');
    expect(await hint.isVisible()).toBe(false);
    await page.getByLabel('Loss, model').selectOption('gilbert-elliott');
    await page
      .locator('.at-hand')
      .getByText(/^5 % .*in bursts of 4 packets on average/)
      .waitFor();
    await unfold(page, 'Queue discipline, traces, traffic');
    await page.getByLabel('Queue discipline', {exact: true}).selectOption('CoDel');
    await expect.poll(() => hint.textContent()).toMatch(/only packets with data · CoDel/);
    // its limit is not that of a drop-tail queue
    expect(await page.getByLabel('Queue', {exact: true}).count()).toBe(0);
    await close();
  });
});

async function unfoldAll(page: Page, panes: number): Promise<void> {
  for (const title of TITLES) await unfold(page, title);
  for (let pane = 0; pane < panes; pane++) await unfold(page, 'Pipeline, pictures, buffers', pane);
}

async function fold(page: Page): Promise<void> {
  while ((await page.locator('.section[open]').count()) > 0)
    await page.locator('.section[open] > summary').first().click();
}

/**
 * Runs in the browser. Returns texts that are cut off, elements that overlap, and controls below 24 px (WCAG 2.5.8).
 */
function faultsOf(): string[] {
  const faults: string[] = [];
  document.querySelector('.side')?.scrollTo(0, 0);
  const scope = document.querySelector('dialog[open]') ?? document.body;
  const isShown = (element: Element) =>
    element.checkVisibility({visibilityProperty: true, opacityProperty: true}) &&
    element.closest('.pane-paper, .pane-blocks') === null;
  const ownText = (element: Element) =>
    [...element.childNodes].some(node => node.nodeType === Node.TEXT_NODE && node.textContent?.trim() !== '');
  const name = (element: Element) => `${element.className || element.tagName} '${element.textContent?.slice(0, 40)}'`;
  // these texts may be shortened by an ellipsis, because their title or tip has the whole text
  const GIVES_WAY = '.pane-progress, .pane-progress *, .pane-settings, .pane-settings *, .objects button';

  const texts = [...scope.querySelectorAll<HTMLElement>('*')].filter(each => ownText(each) && isShown(each));
  for (const text of texts) {
    if (text.matches(`select, option, ${GIVES_WAY}`) || text.clientWidth <= 1) continue;
    if (text.scrollWidth > text.clientWidth) faults.push(`cut: ${name(text)}`);
    const {left, right} = text.getBoundingClientRect();
    if (left < 0 || right > window.innerWidth) faults.push(`outside: ${name(text)}`);
  }

  const pen = document.createElement('canvas').getContext('2d');
  for (const list of scope.querySelectorAll('select')) {
    if (!isShown(list) || pen === null) continue;
    pen.font = getComputedStyle(list).font;
    const text = list.selectedOptions[0]?.textContent ?? '';
    // the arrow of the list takes some of the width
    if (pen.measureText(text).width > list.clientWidth - 20) faults.push(`cut in its list: '${text}'`);
  }
  for (const field of scope.querySelectorAll<HTMLInputElement>('input[type=text]')) {
    if (isShown(field) && field.scrollWidth > field.clientWidth + 1) faults.push(`cut in its field: '${field.value}'`);
  }

  const boxes = [...scope.querySelectorAll('button, select, summary, input, .field > label, legend, .unit, .hint')]
    .filter(each => isShown(each) && !each.matches('.segments input, .side > .run > legend'))
    .map(element => ({element, box: element.getBoundingClientRect()}));
  for (const [i, {element, box}] of boxes.entries()) {
    if (
      element.matches('button, select, summary, input:not([type=checkbox])') &&
      Math.min(box.width, box.height) < 23.9
    )
      faults.push(`too small: ${name(element)} ${box.width} × ${box.height}`);
    for (const other of boxes.slice(i + 1)) {
      if (element.contains(other.element) || other.element.contains(element)) continue;
      // the side panel scrolls, so its elements are clipped at its edge
      if ((element.closest('.side') === null) !== (other.element.closest('.side') === null)) continue;
      // elements beside each other in a frame share the line between them
      const across = Math.min(box.right, other.box.right) - Math.max(box.left, other.box.left);
      const down = Math.min(box.bottom, other.box.bottom) - Math.max(box.top, other.box.top);
      if (across > 1.1 && down > 1.1) faults.push(`overlap: ${name(element)} and ${name(other.element)}`);
    }
  }
  return [...new Set(faults)];
}
