import type {BrowserContext} from 'playwright-core';
import {afterAll, beforeAll, test} from 'vitest';
import {dragOnce, isTiny, quantiles} from './benchWindow.ts';
import {type SiteServer, serveSite, whySiteSkipped} from './siteServer.ts';
import {measured, sharedBrowser} from './window.ts';

// Benches of the web edition: the time until the demo plays, over a network of 10 Mbit/s with a round trip of 40 ms
// that Chromium emulates, and the time from a move of a slider to the new timeline.

const whyNone = await whySiteSkipped();
let site: SiteServer;
beforeAll(async () => {
  if (whyNone === '') site = await serveSite();
  else console.log(`web edition:${whyNone}`);
}, 600_000);
afterAll(() => site?.stop());

test.skipIf(whyNone !== '')('link to playing demo, and slider to the new timeline', async () => {
  const browser = await sharedBrowser();
  const [cold, warm, offline]: [number[], number[], number[]] = [[], [], []];
  for (let i = 0; i < (isTiny ? 1 : 10); i++) {
    const context = await browser.newContext({viewport: {width: 1280, height: 720}});
    cold.push(await playingAfterMs(context));
    warm.push(await playingAfterMs(context));
    const [page] = context.pages();
    await page?.evaluate(() => navigator.serviceWorker.ready.then(() => undefined));
    offline.push(await playingAfterMs(context));
    await context.close();
  }
  console.log(`web edition, link to playing demo at 10 Mbit/s: cold ${quantiles(cold)} ms, warm ${quantiles(warm)} ms`);
  console.log(`web edition, link to playing demo from the files for offline use: ${quantiles(offline)} ms`);
  const page = await browser.newPage({viewport: {width: 1280, height: 720}});
  await page.goto(site.address);
  await page.locator('html[data-state=ready]').waitFor();
  await measured(page);
  await page.getByRole('button', {name: 'Settings'}).click();
  const times: number[] = [];
  for (let i = 0; i < (isTiny ? 2 : 40); i++) times.push(await page.evaluate(dragOnce, 5 + (i % 20) * 5));
  console.log(`web edition, slider to timeline, gallery: ${quantiles(times)} ms`);
  await page.close();
});

/** Opens the site in a new tab, and returns the time from the start of the navigation until the demo plays, ms. */
async function playingAfterMs(context: BrowserContext): Promise<number> {
  for (const page of context.pages().slice(1)) await page.close();
  const page = await context.newPage();
  const session = await context.newCDPSession(page);
  await session.send('Network.enable');
  const bytesPerSecond = 10e6 / 8;
  await session.send('Network.emulateNetworkConditions', {
    offline: false,
    latency: 40,
    downloadThroughput: bytesPerSecond,
    uploadThroughput: bytesPerSecond,
  });
  await page.goto(site.address, {waitUntil: 'commit'});
  return page.evaluate(
    () =>
      new Promise<number>(resolve => {
        const look = (): void => {
          // `performance.now()` counts from the start of the navigation
          if (document.querySelector('button[aria-label=pause]') !== null) resolve(performance.now());
          else requestAnimationFrame(look);
        };
        look();
      }),
  );
}
