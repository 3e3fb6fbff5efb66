import type {Page} from 'playwright-core';
import {afterAll, beforeAll, describe, expect, test} from 'vitest';
import {findPreset} from '../app/run/scenario/presets.ts';
import {measured, openWindow, seek, type TestWindow, unfold, whySkipped} from './window.ts';

// The pictures that gateways convert, as panes show them during the load.

const PANES = [undefined, 'progressive', 'webp', 'avif'].map(conversion => ({
  pipeline: 'sctp',
  streams: 11,
  ...(conversion === undefined ? {} : {conversion}),
}));

describe.skipIf(whySkipped !== '')(`pictures through a gateway${whySkipped}`, () => {
  let window: TestWindow;
  let page: Page;
  beforeAll(async () => {
    window = await openWindow({...findPreset('through-a-gateway')?.scenario, panes: PANES});
    page = window.page;
  }, 120_000);
  afterAll(() => window?.close());

  test('grow from the top as WebP, and appear whole: late as AVIF, and early as progressive JPEG', async () => {
    const seen = [0, 1, 2, 3].map(() => new Set<number>());
    for (const seconds of [2.4, 3.2, 4]) {
      await seek(page, seconds);
      for (const [pane, shares] of (await paintedShares(page)).entries())
        for (const share of shares) seen[pane]?.add(share);
    }
    const between = (pane: number) => [...(seen[pane] ?? [])].filter(share => share > 0 && share < 1);
    expect(between(0).length).toBeGreaterThan(5);
    expect(between(2).length).toBeGreaterThan(5);
    expect([...(seen[3] ?? [])].sort()).toEqual([0, 1]);
    await seek(page, 2.4);
    const [served, progressive] = await paintedShares(page);
    const whole = (shares: readonly number[] | undefined) => shares?.filter(share => share === 1).length;
    expect(whole(served)).toBe(0);
    expect(whole(progressive)).toBeGreaterThan(1);
  });

  test('are measured in the format that each pane has', {tags: ['long']}, async () => {
    await measured(page);
    await seek(page, 2.4);
    // as served: one down to its middle; progressive: some blurred; WebP: one down to its middle; AVIF: one complete
    expect(await page.locator('.pane-words .recognisable').allTextContents()).toEqual(['1', '2', '1', '1']);
    expect(await page.locator('.pane-words .complete').allTextContents()).toEqual(['0', '0', '0', '1']);
  });

  test('can be left as served', async () => {
    await unfold(page, 'Pipeline, pictures, buffers', 3);
    const field = page.getByLabel('Pictures').nth(3);
    expect(await field.inputValue()).toBe('3');
    await field.selectOption('as served');
    await page.locator('.honesty', {hasNotText: 'AVIF'}).waitFor();
    expect(await page.locator('.pictures thead th').allTextContents()).toHaveLength(4);
  });
});

/** For each pane: the share of each picture, except the logo, that is painted, 0 to 1. */
function paintedShares(page: Page): Promise<readonly (readonly number[])[]> {
  return page.evaluate(async () => {
    const frames = [...document.querySelectorAll<HTMLIFrameElement>('.panes iframe')];
    return Promise.all(
      frames.map(frame => {
        const pictures = [...(frame.contentDocument?.images ?? [])].filter(({width}) => width > 64);
        return Promise.all(pictures.map(shareOf));
      }),
    );
    async function shareOf(picture: HTMLImageElement): Promise<number> {
      const image = new Image();
      image.src = picture.src;
      await image.decode();
      const context = new OffscreenCanvas(64, 64).getContext('2d');
      context?.drawImage(image, 0, 0, 64, 64);
      const {data = new Uint8ClampedArray()} = context?.getImageData(0, 0, 64, 64) ?? {};
      return data.filter((value, i) => i % 4 === 3 && value > 0).length / (64 * 64);
    }
  });
}
