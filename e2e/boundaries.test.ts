// @module-tag long
import type {Page} from 'playwright-core';
import {afterEach, describe, expect, test} from 'vitest';
import {FIRST_DEMO, findPreset} from '../app/run/scenario/presets.ts';
import {
  DEMO_OF_SEED_1,
  leaveControls,
  openInWindow,
  openUnmeasuredWindow,
  seek,
  type TestWindow,
  whySkipped,
} from './window.ts';

// React removes everything that it shows when an error is thrown while it renders, unless a boundary catches it.

/** The regions that a window shows at first. Each key is the class of an element in these regions. */
const REGIONS = {
  toolbar: ['the toolbar'],
  notices: ['the notices'],
  // dialogs
  help: ['the help'],
  compare: ['the comparison'],
  quality: ['the measured quality'],
  record: ['the recording'],
  stories: ['the stories'],
  open: ['what can be opened'],
  palette: ['the list of commands'],
  start: ['the start screen'],
  advice: ['the advice'],
  'left-out-list': ['what was left out'],
  'captioned-pane': ['pane 1', 'pane 2'],
  playing: ['the buttons of playing'],
  'timeline-bar': ['the timeline’s buttons'],
  timeline: ['the timeline'],
  honesty: ['the facts of the run'],
  run: ['the run’s settings'],
  'at-hand': ['the path’s settings', 'the panes’ settings'],
  note: ['the settings of loading and quality'],
  detail: ['the metrics'],
  'objects-room': ['the objects'],
  'run-files': ['the run’s files'],
};

describe.skipIf(whySkipped !== '')(`an error while a region renders${whySkipped}`, () => {
  let window: TestWindow | undefined;
  afterEach(async () => {
    await window?.close();
    window = undefined;
  });

  /** Opens a window in which no element of these classes can be made. */
  const open = async (...classes: readonly string[]): Promise<Page> => {
    window = await openUnmeasuredWindow(DEMO_OF_SEED_1, page => page.addInitScript(failOn, classes));
    return window.page;
  };

  test('is reported in place of the region, and each region can be shown again by itself', async () => {
    const page = await open(...Object.keys(REGIONS));
    expect((await told(page)).sort()).toEqual(Object.values(REGIONS).flat().sort());
    expect(await page.locator('.failed:not([role=alert])').count()).toBe(0);
    const again = page.getByRole('button', {name: 'Show it again', includeHidden: true});
    // it fails as before
    const count = await again.count();
    await again.first().dispatchEvent('click');
    expect(await again.count()).toBe(count);
    await failOnly(page);
    for (let left = count; left > 0; left--) {
      await again.first().dispatchEvent('click');
      expect(await again.count()).toBe(left - 1);
    }
    for (const name of Object.keys(REGIONS)) expect(await page.locator(`.${name}`).count(), name).toBeGreaterThan(0);
  });

  test.each([
    ['d', 'seeds', 'the seeds'],
    ['Shift+W', 'why', 'where the time went'],
    ['v', 'experiment', 'the experiment'],
    ['.', 'cause', 'what the loss did'],
    ['p', 'heading', 'the heading'],
    ['p', 'legend', 'the legend and the sentence'],
  ])('after the key %s, in an element of class %s, leaves the other regions', async (key, name, region) => {
    const page = await open(name);
    await page.keyboard.press(key);
    await expect.poll(() => told(page)).toEqual([region]);
    await page.locator('.pane').first().waitFor();
    await failOnly(page);
    // a presentation ignores a pointer that does not move
    await page.mouse.move(300, 300);
    const again = page.getByRole('button', {name: 'Show it again'});
    await again.hover();
    // otherwise the buttons of playing, which appear at the edge, would cover it
    expect(await page.locator('html').getAttribute('data-summoned')).not.toBe('controls');
    await again.click();
    await page.locator(`.${name}`).waitFor();
    expect(await told(page)).toEqual([]);
  });

  test('ends when the region can render another run', async () => {
    const page = await open('timeline', 'detail');
    await seek(page, 2);
    await failOnly(page, 'timeline');
    await openInWindow(window as TestWindow, {...DEMO_OF_SEED_1, seed: 2});
    expect(await told(page)).toEqual(['the timeline']);
    await failOnly(page);
    await openInWindow(window as TestWindow, {...DEMO_OF_SEED_1, seed: 3});
    expect(await told(page)).toEqual([]);
    await page.locator('.timeline canvas').waitFor();
  });

  test('does not end playing', async () => {
    const page = await open();
    await page.locator('.transport .speed select').selectOption('0.1');
    await leaveControls(page);
    await page.keyboard.press(' ');
    await failOnly(page, 'timeline');
    // a panel replaces the timeline, and then the timeline is made again
    await page.keyboard.press('v');
    await page.keyboard.press('v');
    await expect.poll(() => told(page)).toEqual(['the timeline']);
    const shownMs = () => page.locator('.scrubber').evaluate(scrubber => (scrubber as HTMLInputElement).valueAsNumber);
    const before = await shownMs();
    await expect.poll(shownMs).toBeGreaterThan(before);
  });

  test('is reported if it is thrown while the timeline draws on its canvas, after React’s changes', async () => {
    window = await openUnmeasuredWindow(DEMO_OF_SEED_1, page => page.addInitScript(failOnText));
    const {page} = window;
    await expect.poll(() => told(page)).toEqual(['Interleave could not show the timeline: no text']);
    await page.locator('.pane').first().waitFor();
    await failOnly(page);
    await page.getByRole('button', {name: 'Show it again'}).click();
    await page.locator('.timeline canvas').waitFor();
    expect(await told(page)).toEqual([]);
  });

  test('in the whole stage leaves the settings', async () => {
    const page = await open('panes');
    expect(await told(page)).toEqual(['the run']);
    await page.getByLabel('Preset').waitFor();
  });

  test('in the whole window leaves a way to the first demo', async () => {
    const demo = findPreset(FIRST_DEMO)?.scenario as {readonly seed: number} | undefined;
    const page = await open('presenting');
    await page.keyboard.press('p');
    await expect.poll(() => told(page)).toEqual(['the window']);
    expect(await page.locator('.window').count()).toBe(0);
    await page.getByRole('button', {name: 'Show it again'}).click();
    expect(await told(page)).toEqual(['the window']);
    await failOnly(page);
    await page.getByRole('button', {name: 'Open the first demo'}).click();
    await page.locator('.window.presenting .timeline canvas').waitFor();
    await page.keyboard.press('p');
    await expect.poll(() => page.getByLabel('Seed', {exact: true}).inputValue()).toBe(String(demo?.seed));
  });
});

/** The regions that say that they could not be shown. */
function told(page: Page): Promise<string[]> {
  return page.locator('.failed p').evaluateAll(all =>
    all.map(each => {
      const [, region] = /^Interleave could not show (.*): no element of class [\w-]+$/.exec(each.textContent) ?? [];
      return region ?? each.textContent;
    }),
  );
}

interface Failing {
  failing: readonly string[];
}

/** Runs in the browser. From now on an error is thrown whenever an element gets one of these classes. */
function failOn(classes: readonly string[]): void {
  const holder = globalThis as unknown as Failing;
  holder.failing = classes;
  const {setAttribute} = Element.prototype;
  Element.prototype.setAttribute = function (name, value) {
    const failing = name === 'class' ? value.split(' ').find(each => holder.failing.includes(each)) : undefined;
    if (failing !== undefined) throw new Error(`no element of class ${failing}`);
    setAttribute.call(this, name, value);
  };
}

/** Runs in the browser. From now on an error is thrown whenever text is drawn on the canvas of the timeline. */
function failOnText(): void {
  const holder = globalThis as unknown as Failing;
  holder.failing = ['timeline'];
  const {fillText} = CanvasRenderingContext2D.prototype;
  CanvasRenderingContext2D.prototype.fillText = function (...args) {
    if (holder.failing.includes('timeline') && this.canvas.closest('.timeline') !== null) throw new Error('no text');
    fillText.apply(this, args);
  };
}

/** From now on an error is thrown only for these classes. */
function failOnly(page: Page, ...classes: readonly string[]): Promise<void> {
  return page.evaluate(only => {
    (globalThis as unknown as Failing).failing = only;
  }, classes);
}
