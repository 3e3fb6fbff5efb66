import {mkdtempSync, readFileSync, rmSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import type {Page} from 'playwright-core';
import {afterAll, beforeAll, describe, expect, test} from 'vitest';
import type {Json} from '../app/base/json.ts';
import {describePath} from '../app/run/scenario/describe.ts';
import {scenarioDocument} from '../app/run/scenario/document.ts';
import {spanOfStep} from '../app/telling/story/stepTimes.ts';
import {readStory, STORY_NAMES, type Story} from '../app/telling/story/story.ts';
import {plainText} from '../app/telling/story/storyNumbers.ts';
import {traces} from '../main/workers/testing/runs.ts';
import {openUnmeasuredWindow, type TestWindow, whySkipped} from './window.ts';

// Stories, told in the window by keys alone.

const folder = mkdtempSync(join(tmpdir(), 'interleave-stories-'));

describe.skipIf(whySkipped !== '')(`a story in the window${whySkipped}`, () => {
  let window: TestWindow;
  let page: Page;
  beforeAll(async () => {
    process.env['INTERLEAVE_DATA'] = folder;
    window = await openUnmeasuredWindow();
    page = window.page;
    // the test controls the clock, so that it does not take as long as a talk
    await page.clock.install();
  });
  afterAll(async () => {
    await window?.close();
    delete process.env['INTERLEAVE_DATA'];
    rmSync(folder, {recursive: true, force: true});
  });

  const told = '%s is told to its end by the keyboard alone, in presenter mode';
  const stories = STORY_NAMES.map((name, k) => [name, k] as const);
  test.each(stories.slice(0, 1))(told, isTold, 300_000);
  test.each(stories.slice(1))(told, {tags: ['long'], timeout: 300_000}, isTold);

  async function isTold(name: string, k: number): Promise<void> {
    const story = storyOf(name);
    await page.keyboard.press('p');
    await page.keyboard.press('s');
    for (let tab = 0; tab < k; tab++) await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    for (const [step, {text, scenario}] of story.steps.entries()) {
      const plain = plainText({text, scenario});
      if (step > 0) await page.keyboard.press('PageDown');
      await page.locator(`.story-bar[data-step="${step + 1}"]`).waitFor();
      expect((await page.locator('.story-text').textContent())?.replaceAll('\u00a0', ' ')).toBe(plain);
      expect(await page.locator('.story-place').textContent()).toBe(`step ${step + 1} of ${story.steps.length}`);
      await page.locator('html[data-state=ready]').waitFor();
      await standsStill(page);
      expect(await shownS(page), `step ${step + 1}`).toBeCloseTo(endS(story, step), 1);
      expect(await page.locator('.heading').textContent()).toContain(describePath(scenario.path));
      await picture(page, `${name}-${step + 1}`);
    }
    // the last step stays
    await page.keyboard.press('PageDown');
    expect(await page.locator('.story-place').textContent()).toBe(
      `step ${story.steps.length} of ${story.steps.length}`,
    );
    await page.keyboard.press('PageUp');
    await page.locator(`.story-bar[data-step="${story.steps.length - 1}"]`).waitFor();
    await page.keyboard.press('Escape');
    await page.locator('.story-bar').waitFor({state: 'detached'});
    expect(await page.locator('.presenting').count()).toBe(1);
    await page.keyboard.press('Escape');
    await page.locator('.presenting').waitFor({state: 'detached'});
  }
});

/** Advances the clock quickly until nothing plays. */
async function standsStill(page: Page): Promise<void> {
  await expect
    .poll(
      async () => {
        await page.clock.fastForward(4000);
        return page.getByRole('button', {name: 'pause', includeHidden: true}).count();
      },
      {timeout: 100_000, interval: 1},
    )
    .toBe(0);
}

async function shownS(page: Page): Promise<number> {
  return Number(await page.getByLabel('t in seconds').inputValue());
}

function endS(story: Story, k: number): number {
  const step = story.steps[k];
  if (step === undefined) throw new RangeError(`no step ${k}`);
  const document: Json = scenarioDocument(step.scenario);
  const endNs = Math.max(...traces(document).map(({data}) => data.endNs));
  return spanOfStep(step, endNs).toNs / 1e9;
}

async function picture(page: Page, name: string): Promise<void> {
  const wanted = process.env['STORY_PICTURES'];
  if (wanted !== undefined) await page.screenshot({path: join(wanted, `${name}.png`)});
}

function storyOf(name: string): Story {
  const read = readStory(readFileSync(new URL(`../fixtures/stories/${name}.story.json`, import.meta.url)));
  if (!read.ok) throw new Error(read.problems[0].message);
  return read.story;
}
