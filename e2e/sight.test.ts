import {afterAll, beforeAll, describe, expect, test} from 'vitest';
import {traces} from '../main/workers/testing/runs.ts';
import {DEMO_OF_SEED_1, openWindow, seek, type TestWindow, whySkipped} from './window.ts';

// What the eye sees, in the window: the header's dots and words, the axis of the percent view, quality by bytes.

const scenario = DEMO_OF_SEED_1;
const LOGO = 1;

describe.skipIf(whySkipped !== '')(`what the eye sees${whySkipped}`, () => {
  let window: TestWindow;
  beforeAll(async () => {
    window = await openWindow(scenario);
    await window.page.locator('.pane-dots').nth(1).waitFor();
  });
  afterAll(() => window?.close());

  test('at 12 s is in the header: how many of ten pictures are recognisable, good and complete', async () => {
    const {page} = window;
    await seek(page, 12);
    const [tcp, sctp] = await words();
    // a picture without bytes counts as none of these, and a complete picture as all of them
    const counts = traces(scenario).map(trace => {
      const pictures = Array.from(trace.objects.keys()).slice(LOGO + 1);
      return {
        begun: pictures.filter(object => trace.bytesAt(object, 12e9) > 0).length,
        complete: pictures.filter(object => trace.stateAt(object, 12e9) === 'complete').length,
      };
    });
    expect(counts.map(({begun}) => begun)).toEqual([5, 10]);
    expect(tcp).toBe(`pictures 5 of 10 recognisable, 5 good, ${counts[0]?.complete} complete`);
    expect(sctp).toMatch(/^pictures 10 of 10 recognisable, \d good, 0 complete$/);
    expect(counts[1]?.complete).toBe(0);
  });

  test('is a dot for each picture, and the words count the dots at every t', async () => {
    const {page} = window;
    for (const seconds of [3, 6.5, 9, 13, 17, 21]) {
      await seek(page, seconds);
      for (const [pane, text] of (await words()).entries()) {
        const states = await page
          .locator('.pane-dots')
          .nth(pane)
          .locator('svg')
          .evaluateAll(all => all.map(dot => (dot as SVGElement).dataset['sight']));
        const good = states.filter(state => state === 'good' || state === 'complete').length;
        const recognisable = good + states.filter(state => state === 'recognisable').length;
        const complete = states.filter(state => state === 'complete').length;
        expect(states).toHaveLength(10);
        expect(text).toBe(`pictures ${recognisable} of 10 recognisable, ${good} good, ${complete} complete`);
      }
    }
  });

  test('is counted by thresholds that can be set: at 1 only complete pictures count', async () => {
    const {page} = window;
    await seek(page, 12);
    await page.getByText('Recognisable, good').click();
    await page.getByLabel('Recognisable', {exact: true}).fill('1');
    await expect
      .poll(words)
      .toEqual([
        'pictures 4 of 10 recognisable, 4 good, 4 complete',
        'pictures 0 of 10 recognisable, 0 good, 0 complete',
      ]);
    await page.getByLabel('Recognisable', {exact: true}).fill('0.01');
    await page.getByLabel('Good', {exact: true}).fill('0.8');
    await expect.poll(async () => (await words())[1]).toMatch(/^pictures 10 of 10/);
    await page.keyboard.press('Tab');
    await page.getByText('Recognisable, good').click();
  });

  test('pointing at a dot highlights its picture in the other pane, too', async () => {
    const {page} = window;
    await seek(page, 12);
    await page.locator('.pane-dots svg').nth(2).hover();
    const other = page.frameLocator('.pane >> nth=1 >> iframe').locator('[data-object="4"]');
    const thick = () => other.evaluate(box => (box as HTMLElement).style.outlineWidth);
    await expect.poll(thick).toBe('6px');
    expect(await page.locator('.pane-dots').nth(1).locator('svg:not(.dimmed)').count()).toBe(1);
    await page.mouse.move(700, 10);
  });

  test('is on an axis that a key chooses and that F5 keeps', async () => {
    const {page} = window;
    const axis = page.getByLabel('y axis');
    const picture = () =>
      page.locator('.timeline canvas').evaluate(canvas => (canvas as HTMLCanvasElement).toDataURL());
    const bytes = await picture();
    await page.keyboard.press('y');
    await page.keyboard.press('y');
    expect(await axis.inputValue()).toBe('visual');
    await expect.poll(picture).not.toBe(bytes);
    await page.reload();
    await page.locator('html[data-state=ready]').waitFor();
    expect(await axis.inputValue()).toBe('visual');
    await page.keyboard.press('y');
    expect(await axis.inputValue()).toBe('bytes');
  });

  test('is in a dialog as a function of bytes: progressive pictures need a smaller share than baseline ones', {
    tags: ['long'],
  }, async () => {
    const {page} = window;
    await page.keyboard.press('q');
    const text = page.locator('.quality-words');
    await expect.poll(() => text.textContent()).toMatch(/Baseline: on average/);
    const [, progressive = '', baseline = ''] =
      /Progressive: .*? with (\d+) % .*Baseline: .*? with (\d+) %/.exec((await text.textContent()) ?? '') ?? [];
    expect(Number(progressive)).toBeGreaterThan(0);
    expect(Number(progressive)).toBeLessThan(Number(baseline));
    const download = page.waitForEvent('download');
    const save = page.getByRole('button', {name: 'Save as SVG'});
    const close = page.getByRole('button', {name: 'Close'});
    // if the buttons were one below the other, they would cover what is scrolled behind them
    expect((await save.boundingBox())?.y).toBeCloseTo((await close.boundingBox())?.y ?? 0, 0);
    await save.click();
    expect((await download).suggestedFilename()).toMatch(/^interleave-quality-\d+\.svg$/);
    await page.keyboard.press('Escape');
    await page.locator('dialog.quality').waitFor({state: 'hidden'});
  });

  test('is not written again for another run in which it is the same', async () => {
    const {page} = window;
    await seek(page, 0);
    await page.evaluate(() => {
      const changes: MutationRecord[] = [];
      const observer = new MutationObserver(records => changes.push(...records));
      for (const header of document.querySelectorAll('.pane-state'))
        observer.observe(header, {subtree: true, childList: true, characterData: true, attributes: true});
      Object.assign(globalThis, {changes});
    });
    const fairness = page.locator('.honesty');
    const before = await fairness.textContent();
    await page.keyboard.press('n');
    await expect.poll(() => fairness.textContent()).not.toBe(before);
    const targets = await page.evaluate(() =>
      (globalThis as unknown as {changes: MutationRecord[]}).changes.map(({target}) => target.nodeName),
    );
    expect(targets).toEqual([]);
  });

  function words(): Promise<string[]> {
    return window.page.locator('.pane-words').allTextContents();
  }
});
