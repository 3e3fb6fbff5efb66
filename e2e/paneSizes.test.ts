import {copyFileSync, mkdtempSync, rmSync, writeFileSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {describe, expect, test} from 'vitest';
import {oneWindow, openInWindow, openWindow, seek, whySkipped} from './window.ts';

// How much room panes have, and what their headers do with it.

const PANES = [
  {pipeline: 'tcp'},
  {pipeline: 'sctp', streams: 10},
  {pipeline: 'tcp', connections: 6, profile: 'modern'},
  {pipeline: 'sctp', streams: 1},
  {pipeline: 'h2'},
  {pipeline: 'sctp', profile: 'modern'},
];
const SCENARIO = {page: 'gallery', path: {rateBps: 56_000, rttMs: 1080, loss: 0.043}};

describe.skipIf(whySkipped !== '')(`panes in the window${whySkipped}`, () => {
  const window = oneWindow(() => openWindow(SCENARIO));

  const headers = 'with %i panes, headers are complete, and all pages have the same size';
  test.each([6])(headers, testHeaders);
  test.each([1, 2, 3, 4])(headers, {tags: ['long']}, testHeaders);

  async function testHeaders(count: number): Promise<void> {
    await openInWindow(window, {...SCENARIO, panes: PANES.slice(0, count)});
    const {page} = window;
    await page.keyboard.press('End');
    await page
      .locator('.pane-ending', {hasText: 'complete at'})
      .nth(count - 1)
      .waitFor();
    for (const isPresenting of [false, true]) {
      if (isPresenting) await page.keyboard.press('p');
      for (const areSettingsOpen of [true, false]) {
        const isOpen = (await page.locator('.side').count()) > 0;
        if (isOpen !== areSettingsOpen) await page.keyboard.press('c');
        for (const [width, height] of SIZES) {
          const where = `${width}x${height}, presenting ${isPresenting}, settings ${areSettingsOpen}`;
          await page.setViewportSize({width, height});
          await page.evaluate(() => new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done))));
          const panes = await page.evaluate(measurePanes);
          expect(
            panes.flatMap(pane => pane.cut),
            where,
          ).toEqual([]);
          expect(panes).toHaveLength(count);
          expect(new Set(panes.map(pane => `${pane.pageWidth} ${pane.pageHeight}`)).size, where).toBe(1);
          // the pages of a row begin at the same height
          expect(new Set(panes.map(pane => pane.headerHeight)).size, where).toBe(1);
          const [{pageWidth, pageHeight, headerHeight} = NONE] = panes;
          // a page is large enough, and much larger than its header
          const isStage = isPresenting && !areSettingsOpen;
          expect(pageWidth, where).toBeGreaterThanOrEqual(
            (isStage ? LEAST_STAGE_PX[count] : undefined) ?? LEAST_PX[count] ?? 250,
          );
          if (isStage) expect(await page.locator('.pane-caption:visible').evaluateAll(cutTexts), where).toEqual([]);
          if (isStage && count === 4) {
            const timeline = await page.locator('.timeline canvas').first().boundingBox();
            // a graph is higher than its name
            expect((timeline?.height ?? 0) / count, where).toBeGreaterThan(55);
          }
          // beside open settings, presenter mode has large type and little room
          if (!isPresenting || isStage) expect(headerHeight, where).toBeLessThan(pageHeight / 2);
          if (count === 4 && width === 1920) {
            // the window shows four panes in one row, even beside the settings
            expect(pageWidth, where).toBeGreaterThanOrEqual(isPresenting && isStage ? 440 : 280);
            // panes are side by side, so a header has two lines
            expect(headerHeight, where).toBeLessThan((pageHeight / 5) * 2);
          }
        }
      }
    }
    await page.keyboard.press('p');
  }

  test('the dots of 14 and of 20 pictures are within the headers of the panes', {tags: ['long']}, async () => {
    const folder = mkdtempSync(join(tmpdir(), 'interleave-dots-'));
    const {page} = window;
    for (const pictures of [14, 20]) {
      const names = Array.from({length: pictures}, (_, i) => `lake${i}.jpg`);
      const lake = new URL('../fixtures/pages/gallery/lake.jpg', import.meta.url);
      for (const name of names) copyFileSync(lake, join(folder, name));
      writeFileSync(join(folder, 'index.html'), names.map(name => `<img src=${name} width=320 height=240>`).join(''));
      for (const count of [2, 4, 6]) {
        await openInWindow(window, {...SCENARIO, page: folder, panes: PANES.slice(0, count)});
        await page
          .locator('.pane-dots')
          .nth(count - 1)
          .waitFor({state: 'attached'});
        for (const isPresenting of [true, false]) {
          await page.keyboard.press('p');
          for (const [width, height] of SIZES) {
            await page.setViewportSize({width, height});
            await page.evaluate(() => new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done))));
            const where = `${pictures} pictures, ${count} panes, ${width}x${height}, presenting ${isPresenting}`;
            expect(await page.evaluate(dotsOutside), where).toEqual([]);
          }
        }
      }
    }
    rmSync(folder, {recursive: true});
  });

  test('a header says from when its time counts', async () => {
    await openInWindow(window, SCENARIO);
    const {page} = window;
    const clock = page.locator('.pane-clock').first();
    const ending = page.locator('.pane-ending').first();
    await seek(page, 5);
    expect(await clock.isVisible()).toBe(false);
    await page.keyboard.press('End');
    await page.getByText('complete at').first().waitFor();
    expect(await clock.textContent()).toBe('from navigation');
    expect(await clock.isVisible()).toBe(true);
    expect(await ending.getAttribute('title')).toContain('page time T counts from the first request');
  });

  test('a hidden pointer highlights nothing', async () => {
    await openInWindow(window, SCENARIO);
    const {page} = window;
    await seek(page, 15);
    await page.keyboard.press('p');
    const box = page.frameLocator('.pane >> nth=0 >> iframe').locator('[data-object="2"]');
    const outline = () => box.evaluate(element => (element as HTMLElement).style.outlineWidth);
    const {x, y, width, height} = (await page.locator('.pane-paper').first().boundingBox()) ?? NOWHERE;
    const point = (share: number) => page.mouse.move(x + share * width, y + height / 2);
    await point(0.2);
    await point(0.21);
    await expect.poll(outline).toBe('6px');
    await page.locator('html[data-summoned=nothing]').waitFor();
    await expect.poll(outline).toBe('3px');
    // the panes move under the hidden pointer
    await page.setViewportSize({width: 1000, height: 700});
    await page.waitForTimeout(500);
    expect(await outline()).toBe('3px');
    await page.setViewportSize({width: 1280, height: 720});
    await point(0.22);
    await point(0.23);
    await expect.poll(outline).toBe('6px');
  });
});

const SIZES = [
  [1280, 720],
  [1920, 1080],
  [1024, 768],
] as const;

/**
 * The least width of a page, in px. With six panes a page has a third of the width that the settings leave in the
 * smallest window. With three panes, the page is limited by the height that the address row leaves.
 */
const LEAST_PX: {readonly [panes: number]: number} = {3: 190, 4: 230, 6: 160};
/** The same on a stage. With four panes side by side a page has a quarter of the smallest window. */
const LEAST_STAGE_PX: {readonly [panes: number]: number} = {4: 220};

const NONE = {pageWidth: 0, pageHeight: 0, headerHeight: 0};
const NOWHERE = {x: 0, y: 0, width: 0, height: 0};

/** Runs in the browser. Returns the texts that are cut. */
function cutTexts(elements: readonly Element[]): readonly (string | null)[] {
  return elements.filter(each => each.scrollWidth > each.clientWidth).map(each => each.textContent);
}

/** Runs in the browser. Returns the visible dots that are narrower than 4 px or not within the header of their pane. */
function dotsOutside(): readonly string[] {
  return Array.from(document.querySelectorAll('.pane'), pane => {
    const header = pane.querySelector('.pane-header')?.getBoundingClientRect() ?? new DOMRect();
    return Array.from(pane.querySelectorAll('.pane-dots svg'), dot => dot.getBoundingClientRect())
      .filter(({width}) => width > 0)
      .filter(({left, right, top, bottom, width}) => {
        const isWithin = left >= header.left && right <= header.right && top >= header.top && bottom <= header.bottom;
        return !isWithin || width < 4;
      })
      .map(({left, width}) => `${Math.round(left)}, ${width} px wide, of ${header.left}–${header.right}`);
  }).flat();
}

/**
 * Runs in the browser. Returns sizes in px, and the parts of a header that are cut although they say what is compared
 * or how the load ended.
 */
function measurePanes() {
  return Array.from(document.querySelectorAll('.pane'), pane => {
    const paper = pane.querySelector('.pane-paper')?.getBoundingClientRect();
    const header = pane.querySelector('.pane-header')?.getBoundingClientRect();
    const {left, right} = pane.getBoundingClientRect();
    const shown = Array.from(pane.querySelectorAll<HTMLElement>('.pane-name > *, .pane-state > *'));
    const cut = shown.filter(span => {
      const area = span.getBoundingClientRect();
      const isCut = span.scrollWidth > span.clientWidth && !span.matches('.pane-settings, .pane-progress');
      return area.width > 0 && (area.left < left || area.right > right || (isCut && span.clientWidth > 0));
    });
    // a setting or a number is either shown completely or wrapped below the one visible line
    const parts = Array.from(pane.querySelectorAll<HTMLElement>(':is(.pane-settings, .pane-progress) > *')).filter(
      part => {
        const area = part.getBoundingClientRect();
        const line = part.parentElement?.getBoundingClientRect();
        if (line === undefined || area.width === 0 || area.top > line.bottom - 2) return false;
        return area.left < line.left - 1 || area.right > line.right + 1;
      },
    );
    return {
      pageWidth: Math.round(paper?.width ?? 0),
      pageHeight: Math.round(paper?.height ?? 0),
      headerHeight: Math.round(header?.height ?? 0),
      cut: [...cut, ...parts].map(span => span.textContent),
    };
  });
}
