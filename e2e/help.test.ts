import {afterAll, beforeAll, describe, expect, test} from 'vitest';
import {DEMO_OF_SEED_1, measured, openWindow, seek, type TestWindow, whySkipped} from './window.ts';

// The help is the window itself, with a number at each part and a list that explains the numbers.

describe.skipIf(whySkipped !== '')(`the help${whySkipped}`, () => {
  let window: TestWindow;
  beforeAll(async () => {
    window = await openWindow(DEMO_OF_SEED_1);
    await measured(window.page);
    await seek(window.page, 12);
  });
  afterAll(() => window?.close());

  test('has a number at every part of the window, and an entry for each number', async () => {
    const {page} = window;
    await page.keyboard.press('?');
    await page.locator('.help-numbers').waitFor();
    const names = await page.locator('.callouts strong').allTextContents();
    expect(names).toEqual(
      expect.arrayContaining(['The sentence.', 'Dots.', 'The bar.', 'The scrubber.', 'A cross.', 'Shading.']),
    );
    expect(await page.locator('.help-numbers span').allTextContents()).toEqual(names.map((_, i) => String(i + 1)));
    // the numbers are at the parts that they explain
    const parts = {'.pane-dots': 'Dots.', '.scrubber': 'The scrubber.', '.timeline': 'A cross.'};
    for (const [selector, name] of Object.entries(parts)) {
      const part = await page.locator(selector).first().boundingBox();
      const number = await page.locator('.help-numbers span').nth(names.indexOf(name)).boundingBox();
      const [x, y] = [(number?.x ?? 0) + 12, (number?.y ?? 0) + 12];
      expect(x, name).toBeGreaterThan((part?.x ?? 0) - 30);
      expect(x, name).toBeLessThan((part?.x ?? 0) + (part?.width ?? 0) + 30);
      expect(y, name).toBeGreaterThan((part?.y ?? 0) - 30);
      expect(y, name).toBeLessThan((part?.y ?? 0) + (part?.height ?? 0) + 30);
    }
  });

  test('is used by keyboard: an entry with the focus frames its part, pages are buttons, Escape closes', async () => {
    const {page} = window;
    await page.getByRole('button', {name: 'show Dots'}).focus();
    const frame = await page.locator('.help-mark').boundingBox();
    const dots = await page.locator('.pane-dots').first().boundingBox();
    expect([frame?.x, frame?.y]).toEqual([dots?.x, dots?.y]);
    await page.getByRole('button', {name: 'Keys'}).press('Enter');
    await page.locator('kbd').first().waitFor();
    expect(await page.locator('.help-numbers').count()).toBe(0);
    await page.keyboard.press('Escape');
    await page.locator('dialog[open]').waitFor({state: 'detached'});
  });

  test('is a list alone in a small window, which scrolls to its end', async () => {
    const {page} = window;
    await page.setViewportSize({width: 390, height: 844});
    await page.keyboard.press('?');
    await page.getByRole('button', {name: 'What you see'}).press('Enter');
    expect(await page.locator('.help-numbers').isVisible()).toBe(false);
    expect(await page.locator('.callouts li').count()).toBeGreaterThan(8);
    expect(await page.locator('.help-card').evaluate(card => card.scrollWidth <= card.clientWidth)).toBe(true);
    await page.getByRole('button', {name: 'Close'}).click();
    await page.locator('dialog[open]').waitFor({state: 'detached'});
    await page.setViewportSize({width: 1280, height: 720});
  });

  test.each([
    ['Control+o', 'Open'],
    ['r', 'Record'],
    ['s', 'Stories'],
    ['q', 'Quality by bytes'],
  ])(
    'does not lend its look to other dialogs, which stand in the middle on a background of their own: %s',
    async (key, title) => {
      const {page} = window;
      await page.keyboard.press(key);
      const dialog = page.locator('dialog[open]', {hasText: title});
      await dialog.waitFor();
      const {left, right, background} = await dialog.evaluate(element => {
        const {left, right} = element.getBoundingClientRect();
        return {left, right, background: getComputedStyle(element).backgroundColor};
      });
      expect(left).toBeGreaterThan(16);
      expect(left + right).toBeCloseTo(1280, -1);
      expect(background).toBe('rgb(255, 255, 255)');
      await page.keyboard.press('Escape');
      await dialog.waitFor({state: 'hidden'});
    },
  );
});
