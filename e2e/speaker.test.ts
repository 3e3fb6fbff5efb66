import type {Page} from 'playwright-core';
import {afterAll, beforeAll, describe, expect, test} from 'vitest';
import type {Json} from '../app/base/json.ts';
import {openUnmeasuredWindow, type TestWindow, whySkipped} from './window.ts';

// The speaker view, in a second page of the same browser, and numbers that are dragged in a story's text.

const STORY: Json = {
  story: 1,
  title: 'Two steps',
  steps: [
    {
      scenario: 'n07-movie',
      to: 6,
      speed: 2,
      text: 'With {loss} of loss, after {rtt}.',
      notes: 'Say why TCP waits.\nThen let them count.',
    },
    {from: 6, to: 12, speed: 2, text: 'The rest of the page.', notes: 'Ask what comes next.'},
  ],
};

describe.skipIf(whySkipped !== '')(`the speaker view${whySkipped}`, () => {
  let window: TestWindow;
  let page: Page;
  let speaker: Page;
  beforeAll(async () => {
    window = await openUnmeasuredWindow();
    page = window.page;
  });
  afterAll(() => window?.close());

  test('says that there is no window, and connects when one comes', async () => {
    const alone = await page
      .context()
      .browser()
      ?.newContext({viewport: {width: 1280, height: 720}});
    if (alone === undefined) throw new Error('no browser');
    const first = await alone.newPage();
    await first.goto(`${window.shell.origin}/?speaker`);
    await first.getByText('No audience window is open').waitFor();
    expect(await first.locator('#first').count()).toBe(0);
    const audience = await alone.newPage();
    await audience.goto(window.shell.newAddress());
    await first.getByText('The audience’s window shows no story').waitFor();
    await audience.close({runBeforeUnload: false});
    await first.getByText('No audience window is open').waitFor();
    await alone.close();
  });

  test('is opened from the story, with its notes, its steps and the time', async () => {
    await openStory(page, STORY);
    const opened = page.waitForEvent('popup');
    await page.getByRole('button', {name: 'Speaker'}).click();
    speaker = await opened;
    await speaker.setViewportSize({width: 1280, height: 720});
    await speaker.getByRole('heading', {name: 'Two steps'}).waitFor();
    expect(await speaker.getByRole('region', {name: 'notes'}).locator('p').allTextContents()).toEqual([
      'Say why TCP waits.',
      'Then let them count.',
    ]);
    expect(await speaker.locator('.speaker-this .speaker-text').textContent()).toBe(
      'With 4.3 % of loss, after 1080 ms.',
    );
    expect(await speaker.locator('.speaker-next .speaker-text').textContent()).toBe('The rest of the page.');
    // each of the two steps plays 6 s at double speed, and then its last picture stays for 1.5 s: 9 s, or 0.1 min
    await expect.poll(() => speaker.getByLabel('duration of the talk').getAttribute('placeholder')).toBe('0.1');
    await speaker.getByAltText('timeline of the next step').waitFor();
    await picture(speaker);
  });

  test('its keys act on the audience’s window: Page Down first finishes a step, then leaves it', async () => {
    await page.bringToFront();
    await speaker.bringToFront();
    await speaker.keyboard.press('p');
    await page.locator('.window.presenting').waitFor();
    await speaker.keyboard.press('PageUp');
    await speaker.keyboard.press('PageDown');
    await expect.poll(() => shownS(page)).toBe(6);
    // Shift and an arrow move the timeline. An arrow alone would change t, and the step would
    // no longer be at its end.
    for (const key of ['+', 'Shift+ArrowLeft', '0']) await speaker.keyboard.press(key);
    await speaker.keyboard.press('PageDown');
    await page.locator('.story-bar[data-step="2"]').waitFor();
    await speaker.getByText('Step 2 of 2').waitFor();
    await speaker.getByText('This is the last step').waitFor();
    await speaker.keyboard.press('b');
    await page.locator('.blank').waitFor();
    await speaker.getByText('The audience’s screen is black').waitFor();
    await speaker.keyboard.press('b');
    await page.locator('.blank').waitFor({state: 'detached'});
    await speaker.keyboard.press('p');
    await page.locator('.window.presenting').waitFor({state: 'detached'});
  });

  test('follows the window that started a story last, and says that two windows are open', async () => {
    const other = await page.context().newPage();
    await other.goto(window.shell.newAddress());
    await other.locator('html[data-state=ready]').waitFor();
    await openStory(other, {...(STORY as object), title: 'Another'} as Json);
    await speaker.getByText('2 windows are open').waitFor();
    await speaker.getByRole('heading', {name: 'Another'}).waitFor();
    await other.close();
    await speaker.getByRole('heading', {name: 'Two steps'}).waitFor();
  });

  test('a number in the text is dragged, the run follows, and leaving the step restores the number', async () => {
    await page.bringToFront();
    // End finishes the step on screen, so that Page Up goes to the previous step
    await page.keyboard.press('End');
    await page.keyboard.press('PageUp');
    await page.locator('.story-bar[data-step="1"]').waitFor();
    const loss = page.getByRole('spinbutton', {name: 'loss'});
    const box = await loss.boundingBox();
    if (box === null) throw new Error('the number is not in sight');
    const [x, y] = [box.x + box.width / 2, box.y + box.height / 2];
    await page.mouse.move(x, y);
    await page.mouse.down();
    await page.mouse.move(x - 40, y, {steps: 4});
    await page.mouse.up();
    expect(await loss.textContent()).toBe('3.3\u00a0%');
    expect(await page.getByLabel('Loss', {exact: true}).inputValue()).toBe('3.3');
    await loss.press('ArrowLeft');
    expect(await page.getByLabel('Loss', {exact: true}).inputValue()).toBe('3.2');
    await page.keyboard.press('Control+z');
    await page.keyboard.press('Control+z');
    expect(await loss.textContent()).toBe('4.3\u00a0%');
    await loss.press('ArrowRight');
    // in presenter mode, until someone uses pointer or keys, the number looks like the text around it
    const looks = () =>
      loss.evaluate(element => {
        const {color, borderBottomColor} = getComputedStyle(element);
        return [color === getComputedStyle(element.parentElement ?? element).color, borderBottomColor];
      });
    expect((await looks())[0]).toBe(false);
    await page.keyboard.press('p');
    await page.locator('html[data-summoned=nothing]').waitFor();
    await expect.poll(looks).toEqual([true, 'rgba(0, 0, 0, 0)']);
    await page.keyboard.press('p');
    await page.keyboard.press('PageDown');
    await page.keyboard.press('PageDown');
    await page.locator('.story-bar[data-step="2"]').waitFor();
    await expect.poll(() => page.getByLabel('Loss', {exact: true}).inputValue()).toBe('4.3');
    await page.keyboard.press('PageUp');
    await page.keyboard.press('PageUp');
    await page.locator('.story-bar[data-step="1"]').waitFor();
    expect(await page.locator('.story-text').textContent()).toBe('With 4.3\u00a0% of loss, after 1080\u00a0ms.');
  });
});

/** Drops a story's file on the window. */
async function openStory(page: Page, story: Json): Promise<void> {
  await page.evaluate(text => {
    const dataTransfer = new DataTransfer();
    dataTransfer.items.add(new File([text], 'test.story.json'));
    window.dispatchEvent(new DragEvent('drop', {dataTransfer}));
  }, JSON.stringify(story));
  await page.locator('.story-bar').waitFor();
  await page.locator('html[data-state=ready]').waitFor();
}

async function shownS(page: Page): Promise<number> {
  return Number(await page.getByLabel('t in seconds').inputValue());
}

/** Takes pictures for people to look at, if `SPEAKER_PICTURES` names a folder for them. */
async function picture(speaker: Page): Promise<void> {
  const folder = process.env['SPEAKER_PICTURES'];
  if (folder === undefined) return;
  for (const colorScheme of ['light', 'dark'] as const) {
    await speaker.emulateMedia({colorScheme});
    for (const [width, height] of [
      [1280, 720],
      [1024, 768],
    ] as const) {
      await speaker.setViewportSize({width, height});
      await speaker.waitForTimeout(1500);
      await speaker.screenshot({path: `${folder}/speaker-${colorScheme}-${width}.png`});
    }
  }
}
