import type {Page} from 'playwright-core';

// What the benches of the window have in common.

/** With INTERLEAVE_BENCH=tiny a bench shows that it runs, not how fast. */
export const isTiny = process.env['INTERLEAVE_BENCH'] === 'tiny';

/** In the browser: moves the loss slider, and gives the ms until the frame that shows the new run is painted. */
export async function dragOnce(step: number): Promise<number> {
  const slider = document.querySelector<HTMLInputElement>('input[aria-label="Loss, slider"]');
  if (slider === null) throw new Error('no slider');
  const shown = () =>
    `${document.querySelector('.timeline canvas')?.getAttribute('aria-label')} ${document.querySelector('.honesty')?.textContent}`;
  const before = shown();
  // another rate may lose the same packets: then nothing else tells
  let isComputed = false;
  const observer = new MutationObserver(() => {
    isComputed = document.documentElement.dataset['state'] === 'ready';
  });
  observer.observe(document.documentElement, {attributeFilter: ['data-state']});
  const startMs = performance.now();
  Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'value')?.set?.call(slider, String(step * 10));
  slider.dispatchEvent(new Event('input', {bubbles: true}));
  while (shown() === before && !isComputed && performance.now() - startMs < 5000) {
    await new Promise(requestAnimationFrame);
  }
  // the next one begins when that frame is painted
  await new Promise(requestAnimationFrame);
  observer.disconnect();
  return performance.now() - startMs;
}

/** That all of the browser's processes have had. */
export async function cpuMs(page: Page): Promise<number> {
  const session = await page.context().browser()?.newBrowserCDPSession();
  const {processInfo} = (await session?.send('SystemInfo.getProcessInfo')) ?? {processInfo: []};
  await session?.detach();
  return processInfo.reduce((sum, {cpuTime}) => sum + cpuTime * 1000, 0);
}

export async function heapBytes(page: Page): Promise<number> {
  await page.requestGC();
  return page.evaluate(() => (performance as unknown as {memory: {usedJSHeapSize: number}}).memory.usedJSHeapSize);
}

export function quantiles(times: readonly number[]): string {
  const sorted = [...times].sort((a, b) => a - b);
  const at = (share: number) => (sorted[Math.floor(share * (sorted.length - 1))] ?? 0).toFixed(0);
  return `p50 ${at(0.5)}, p95 ${at(0.95)}`;
}
