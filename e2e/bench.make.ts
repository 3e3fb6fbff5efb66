import {setTimeout as sleep} from 'node:timers/promises';
import {test} from 'vitest';
import type {Json} from '../app/base/json.ts';
import {cpuMs, dragOnce, heapBytes, isTiny, quantiles} from './benchWindow.ts';
import {fixturePage, openMeasuring} from './measuring.ts';
import {closeSharedBrowser, DEMO_OF_SEED_1, measured, openWindow} from './window.ts';

// Benches of the window. They measure times and memory on this machine, so results are comparable only within one run.

const synthetic = (objects: number, objectBytes: number): Json => ({
  page: {synthetic: {objects, objectBytes, indexBytes: 20_000}},
  path: {rateBps: 10_000_000, rttMs: 100, loss: 0.01},
  panes: [{pipeline: 'tcp'}, {pipeline: 'sctp', streams: 64}],
});

const GALLERY = undefined;
const LOOK_MS = 2000;

test('slider to the new timeline', async () => {
  for (const [name, scenario, isMeasured] of [
    ['gallery', GALLERY, true],
    ['gallery, curves still being measured', GALLERY, false],
    ['2 × 100 objects of 15 KB', synthetic(100, 15_000), true],
  ] as const) {
    const {page, close} = await openWindow(scenario);
    if (isMeasured) {
      await measured(page);
      // People look at a page before they move a slider. Meanwhile, each thread that computes runs repeats its first
      // load (`WarmUp` in main/workers).
      if (!isTiny) await sleep(LOOK_MS);
    }
    const moves = isTiny ? 2 : 40;
    const times: number[] = [];
    const cpuBefore = await cpuMs(page);
    for (let i = 0; i < moves; i++) times.push(await page.evaluate(dragOnce, 7 + (i % 20) * 4));
    const cpu = ((await cpuMs(page)) - cpuBefore) / moves;
    // V8 compiles the code of the window and of the engine during the first moves
    const later = quantiles(times.slice(moves / 2));
    console.log(
      `slider to timeline, ${name}: ${quantiles(times)} ms (second half ${later}), including a frame of 17 ms of the bench itself; CPU ${cpu.toFixed(0)} ms`,
    );
    await close();
  }
});

test('curves of ten pictures', async () => {
  const measuring = await openMeasuring();
  const gallery = await fixturePage('gallery');
  const [startMs, cpuBefore] = [performance.now(), await cpuMs(measuring.page)];
  const {decodes} = await measuring.measure(gallery);
  const [atOnceMs, cpu] = [performance.now() - startMs, (await cpuMs(measuring.page)) - cpuBefore];
  await measuring.close();
  const {page, close} = await openWindow(GALLERY);
  const readyMs = performance.now();
  await page.keyboard.press(' ');
  await measured(page);
  const besidesMs = performance.now() - readyMs;
  await close();
  console.log(
    `curves, gallery: ${atOnceMs.toFixed(0)} ms without the window, ${decodes} prefixes of pictures decoded, CPU ${cpu.toFixed(0)} ms; in the window, while it plays, ${besidesMs.toFixed(0)} ms after it has opened`,
  );
});

test('frame times while the run plays', async () => {
  for (const [name, scenario] of [
    ['2 × 10 images', undefined],
    ['2 × 200 objects', synthetic(200, 5000)],
  ] as const) {
    const {page, close} = await openWindow(scenario);
    await page.keyboard.press(' ');
    const times = await page.evaluate(frameTimes, isTiny ? 5 : 180);
    console.log(`frames, ${name}: ${quantiles(times)} ms`);
    await close();
  }
});

test('start-up and memory', async () => {
  await closeSharedBrowser();
  const startMs = performance.now();
  const {page, close} = await openWindow(DEMO_OF_SEED_1);
  const readyMs = performance.now() - startMs;
  const paint = await page.evaluate(() => performance.getEntriesByName('first-contentful-paint')[0]?.startTime);
  console.log(
    `start-up: ${readyMs.toFixed(0)} ms until shell and browser have started and the demo is computed; of these, ${paint?.toFixed(0)} ms from the navigation to the first contentful paint`,
  );
  const before = await heapBytes(page);
  const runs = isTiny ? 2 : 100;
  for (let i = 0; i < runs; i++) {
    await page.keyboard.press('n');
    await page.locator('html[data-state=ready]').waitFor();
  }
  const after = await heapBytes(page);
  console.log(`memory: ${(before / 1e6).toFixed(1)} MB, after ${runs} more runs ${(after / 1e6).toFixed(1)} MB`);
  await close();
});

/** Runs in the browser. Returns the times between frames, ms. */
async function frameTimes(count: number): Promise<number[]> {
  const times: number[] = [];
  let lastMs = await new Promise<number>(requestAnimationFrame);
  for (let i = 0; i < count; i++) {
    const nowMs = await new Promise<number>(requestAnimationFrame);
    times.push(nowMs - lastMs);
    lastMs = nowMs;
  }
  return times;
}
