import {afterAll, beforeAll, describe, expect, test} from 'vitest';
import {DEMO_OF_SEED_1, openUnmeasuredWindow, seek, type TestWindow, whySkipped} from './window.ts';

// Readers who ask their system for less motion see none, except for the run itself.

describe.skipIf(whySkipped !== '')(`less motion${whySkipped}`, () => {
  let window: TestWindow;
  beforeAll(async () => {
    window = await openUnmeasuredWindow(DEMO_OF_SEED_1);
  });
  afterAll(() => window?.close());

  test('the bars and the results’ card of presenter mode come at once', async () => {
    const {page} = window;
    await seek(page, 1);
    await page.keyboard.press('p');
    await page.locator('.presenting').waitFor();
    const durations = () =>
      page
        .locator('.toolbar, .transport')
        .evaluateAll(bars => bars.map(bar => getComputedStyle(bar).transitionDuration.split(', ')));
    expect((await durations()).flat().every(each => each === '0.2s')).toBe(true);
    await page.emulateMedia({reducedMotion: 'reduce'});
    expect((await durations()).flat().every(each => each === '0s')).toBe(true);
    await page.keyboard.press('End');
    const card = page.locator('.card-results');
    await card.waitFor();
    const animation = await card.evaluate(element => {
      const {animationName, animationDuration} = getComputedStyle(element);
      return [animationName, animationDuration];
    });
    expect(animation).toEqual(['card-comes', '0s']);
  });
});
