import type {Page} from 'playwright-core';
import {describe, expect, test} from 'vitest';
import type {MovieStage} from '../app/telling/movie/movieStage.ts';
import {DEFAULT_MOVIE} from '../app/telling/movie/options.ts';
import {DEMO_OF_SEED_1, openShell, openUnmeasuredWindow, sharedBrowser, whySkipped} from './window.ts';

// The window and movies bring their typeface along, so that they look the same on every machine.

describe.skipIf(whySkipped !== '')(`the typeface${whySkipped}`, () => {
  test('of every text in the window is the one that the program serves', async () => {
    const asked: string[] = [];
    const {page, shell, close} = await openUnmeasuredWindow(DEMO_OF_SEED_1, async opened => {
      opened.on('request', request => asked.push(request.url()));
    });
    expect(await textsInOtherFonts(page)).toEqual([]);
    const files = asked.filter(url => url.endsWith('.woff2'));
    expect(files.length).toBeGreaterThan(0);
    expect(files.filter(url => !url.startsWith(shell.origin))).toEqual([]);
    // the page asks for each file once, before the scripts that need it
    const early = await page.evaluate(() =>
      Array.from(document.querySelectorAll<HTMLLinkElement>('link[as=font]'), ({href}) => href),
    );
    expect(files).toEqual(early);
    const firstScript = asked.findIndex(url => url.endsWith('.js'));
    expect(asked.indexOf(files.at(-1) ?? '')).toBeLessThan(firstScript);
    await close();
  });

  test('has digits of equal width', async () => {
    const {page, close} = await openUnmeasuredWindow(DEMO_OF_SEED_1);
    const widths = await page.evaluate(() => {
      const text = document.createElement('span');
      document.body.append(text);
      return ['1111', '0000', '8888'].map(digits => {
        text.textContent = digits;
        return text.getBoundingClientRect().width;
      });
    });
    expect(new Set(widths).size).toBe(1);
    await close();
  });

  test('is there before a movie’s first frame, however late its files come', {tags: ['long']}, async () => {
    const shell = await openShell();
    const context = await (await sharedBrowser()).newContext();
    const page = await context.newPage();
    let release = (): void => undefined;
    const released = new Promise<void>(resolve => {
      release = resolve;
    });
    await page.route('**/*.woff2', async route => {
      await released;
      await route.continue();
    });
    await page.goto(shell.newAddress('movie/stage.html'));
    await page.waitForFunction(() => (window as StageWindow).stage !== undefined);
    const scenario = {...DEMO_OF_SEED_1, page: {synthetic: {objects: 3, objectBytes: 8000}}};
    const scene = {scenario, movie: DEFAULT_MOVIE, storyStep: null};
    const opening = page.evaluate(async scene => {
      const {stage} = window as StageWindow;
      const opened = await stage?.openPage(scene.scenario);
      if (stage === undefined || opened?.ok !== true) return opened;
      const measured = await stage.measure(opened.hash);
      return measured.ok ? stage.open(scene, measured.page) : measured;
    }, scene);
    // this takes longer than what is asked for above
    await page.evaluate(async scene => {
      for (let i = 0; i < 3; i++) await (window as StageWindow).stage?.survey([scene.scenario, scene.scenario]);
      for (let i = 0; i < 10; i++) await new Promise(requestAnimationFrame);
    }, scene);
    expect(await page.locator('#picture > *').count()).toBe(0);
    release();
    expect(await opening).toMatchObject({ok: true});
    expect(await page.locator('#picture > *').count()).toBeGreaterThan(0);
    expect(await textsInOtherFonts(page)).toEqual([]);
    await context.close();
    await shell.close();
  });
});

type StageWindow = Window & {readonly stage?: MovieStage};

/** The texts of the page, without those in its frames, that a typeface of the system draws. */
async function textsInOtherFonts(page: Page): Promise<readonly string[]> {
  const devTools = await page.context().newCDPSession(page);
  await devTools.send('DOM.enable');
  await devTools.send('CSS.enable');
  const {root} = await devTools.send('DOM.getDocument', {depth: 0});
  const {nodeIds} = await devTools.send('DOM.querySelectorAll', {nodeId: root.nodeId, selector: 'body *'});
  const others: string[] = [];
  for (const nodeId of nodeIds) {
    const {fonts} = await devTools.send('CSS.getPlatformFontsForNode', {nodeId});
    const strange = fonts.filter(font => !font.isCustomFont);
    if (strange.length === 0) continue;
    const {outerHTML} = await devTools.send('DOM.getOuterHTML', {nodeId});
    const text = outerHTML.replaceAll(/<[^>]*>/g, '').slice(0, 60);
    others.push(`${strange.map(font => font.familyName).join()}: ${text}`);
  }
  await devTools.detach();
  return others;
}
