import type {Page} from 'playwright-core';
import {describe, expect, test} from 'vitest';
import {openUnmeasuredWindow, type TestWindow, whySkipped} from './window.ts';

// The table of objects' times. The part that is out of sight is updated only when nothing else has to be done.

const SMALL = {width: 1280, height: 720};
/** In a window of this size all controls and the table are in sight. */
const TALL = {width: 1280, height: 2400};

describe.skipIf(whySkipped !== '')(`the times of objects${whySkipped}`, () => {
  test('change with the run if they are in sight', async () => {
    await inWindow(TALL, async page => {
      const before = await timesOf(page);
      await setLoss(page, 8);
      expect(await timesOf(page)).not.toEqual(before);
      expect(await timesOf(page)).toHaveLength(2 * 21);
    });
  });

  test('that are out of sight are updated when the user scrolls to them', {tags: ['long']}, async () => {
    const fresh = await inWindow(TALL, async page => {
      await setLoss(page, 8);
      return timesOf(page);
    });
    await inWindow(SMALL, async page => {
      await outOfSight(page);
      const before = await timesOf(page);
      await page.evaluate(neverRest);
      for (const loss of [5, 8]) await setLoss(page, loss);
      expect(await timesOf(page)).toEqual(before);
      await page.locator('.objects').scrollIntoViewIfNeeded();
      await expect.poll(() => timesOf(page)).toEqual(fresh);
    });
  });

  test('that are out of sight are updated when the user pauses', {tags: ['long']}, async () => {
    await inWindow(SMALL, async page => {
      await outOfSight(page);
      const before = await timesOf(page);
      await setLoss(page, 8);
      await expect.poll(() => timesOf(page)).not.toEqual(before);
    });
  });
});

async function inWindow<T>(size: typeof SMALL, use: (page: Page) => Promise<T>): Promise<T> {
  const window: TestWindow = await openUnmeasuredWindow({
    page: {synthetic: {objects: 20, objectBytes: 15_000}},
    path: {loss: 0.01},
    panes: [{pipeline: 'tcp'}, {pipeline: 'sctp'}],
  });
  try {
    await window.page.setViewportSize(size);
    return await use(window.page);
  } finally {
    await window.close();
  }
}

/** Resolves when the window knows that the table is out of sight. */
async function outOfSight(page: Page): Promise<void> {
  await page.evaluate(
    () =>
      new Promise<void>(resolve => {
        const table = document.querySelector('.objects');
        if (table === null) throw new Error('no table');
        new IntersectionObserver(([entry]) => {
          if (entry?.isIntersecting === false) requestAnimationFrame(() => setTimeout(resolve));
        }).observe(table);
      }),
  );
}

/** Runs in the browser. Timers that wait until the user pauses never expire from now on. */
function neverRest(): void {
  const real = window.setTimeout;
  window.setTimeout = ((then: () => void, ms?: number) =>
    ms === 300 ? 0 : real(then, ms)) as typeof window.setTimeout;
}

async function setLoss(page: Page, percent: number): Promise<void> {
  const field = page.getByLabel('Loss', {exact: true});
  await field.fill(String(percent));
  await field.press('Enter');
  await page.locator('html[data-state=ready]').waitFor();
}

function timesOf(page: Page): Promise<string[]> {
  return page.locator('.objects td').allTextContents();
}
