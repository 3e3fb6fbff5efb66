import {afterAll, beforeAll, describe, expect, test} from 'vitest';
import {causeOf, endOfEffectNs} from '../app/run/cause/cause.ts';
import {causeSentence} from '../app/run/cause/causeSentence.ts';
import {allLosses, type PaneLoss} from '../app/run/cause/losses.ts';
import {findPreset} from '../app/run/scenario/presets.ts';
import type {Trace} from '../app/run/trace/trace.ts';
import {traces} from '../main/workers/testing/runs.ts';
import {openUnmeasuredWindow, type TestWindow, whySkipped} from './window.ts';

// A loss is chosen by keys or by the pointer. The window then says what the loss did, and marks it only in the pane
// that has the loss.

const scenario = findPreset('n07-movie')?.scenario ?? null;

describe.skipIf(whySkipped !== '')(`a loss that is explained${whySkipped}`, () => {
  let window: TestWindow;
  const run = traces(scenario);
  const losses = allLosses(run);
  beforeAll(async () => {
    window = await openUnmeasuredWindow(scenario);
  });
  afterAll(() => window?.close());

  test('keys step from loss to loss, and a sentence explains each of them', async () => {
    const {page} = window;
    for (const loss of losses.slice(0, 3)) {
      await page.keyboard.press('.');
      await expect.poll(sentence).toContain(sentenceOf(loss));
    }
    await page.keyboard.press(',');
    await expect.poll(sentence).toContain(sentenceOf(losses[1]));
    // t is the moment at which everything that the loss held up is about to continue
    const {trace, cause} = explained(losses[1]);
    const endS = Math.max(cause.lostNs, endOfEffectNs(cause, trace)) / 1e9;
    const shownS = Number(await page.locator('.timeline-cursor').getAttribute('aria-valuenow'));
    expect(Math.abs(shownS - endS)).toBeLessThan(0.02);
    await page.keyboard.press('Escape');
    await expect.poll(() => page.locator('.cause').count()).toBe(0);
  });

  test('only the pane of the loss has marks, on objects that lost data and on objects that wait for them', async () => {
    const {page} = window;
    const at = losses.findIndex(loss => waiting(loss) > 0);
    expect(at).toBeGreaterThanOrEqual(0);
    const {pane} = losses[at] ?? {pane: -1};
    await page.keyboard.press('Home');
    for (let i = 0; i <= at; i++) await page.keyboard.press('.');
    await expect.poll(sentence).toContain(sentenceOf(losses[at]));
    await expect.poll(() => marksIn(pane)).toContain('data lost');
    expect(await marksIn(pane)).toMatch(/waits for \S+\.jpg/);
    expect(await marksIn(1 - pane)).toBe('');
    // the marks are gone when the load continues
    await page.keyboard.press('End');
    await expect.poll(() => marksIn(pane)).toBe('');
    expect(await sentence()).toContain(sentenceOf(losses[at]));
    await page.keyboard.press('Escape');
  });

  test('a click on a cross chooses the loss, and another click on it ends the choice', async () => {
    const {page} = window;
    const {cause} = explained(losses[0]);
    await page.getByLabel('t in seconds').fill((cause.lostNs / 1e9).toFixed(2));
    await page.getByLabel('t in seconds').press('Enter');
    const x = Number(await page.locator('.timeline-cursor').getAttribute('data-x'));
    const click = async () => {
      const area = await page.locator('.timeline').boundingBox();
      const graph = await page
        .locator('.timeline-cursor span')
        .nth(losses[0]?.pane ?? 0)
        .boundingBox();
      if (area === null || graph === null) throw new Error('no timeline');
      await page.mouse.click(area.x + x, graph.y + graph.height - 6);
    };
    await click();
    await expect.poll(sentence).toContain(sentenceOf(losses[0]));
    // the timeline makes room for the sentence
    await click();
    await expect.poll(() => page.locator('.cause').count()).toBe(0);
  });

  async function sentence(): Promise<string> {
    return (await window.page.locator('.cause p').allTextContents()).join();
  }

  async function marksIn(pane: number): Promise<string> {
    return (await window.page.locator('.pane').nth(pane).locator('.pane-cause').allTextContents()).join('; ');
  }

  function explained(loss: PaneLoss | undefined) {
    const trace = run[loss?.pane ?? -1] as Trace;
    const cause = causeOf(trace, loss?.packet ?? -1);
    if (cause === undefined) throw new Error('no such loss');
    return {trace, cause};
  }

  function sentenceOf(loss: PaneLoss | undefined): string {
    const {trace, cause} = explained(loss);
    return causeSentence(trace, cause);
  }

  /** Returns how many objects, other than those that lost data, wait until the loss's effect ends. */
  function waiting(loss: PaneLoss): number {
    const {trace, cause} = explained(loss);
    if (cause.cargo.kind !== 'data' || cause.from !== 'server') return 0;
    const lost = cause.cargo.parts.map(({object}) => object);
    const endNs = endOfEffectNs(cause, trace);
    return cause.cargo.waited.filter(each => !lost.includes(each.object) && each.endNs === endNs).length;
  }
});
