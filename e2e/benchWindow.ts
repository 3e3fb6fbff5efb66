import type {Page} from 'playwright-core';

// Functions that several benches of the window use.

/** With INTERLEAVE_BENCH=tiny a bench only checks that it runs at all. */
export const isTiny = process.env['INTERLEAVE_BENCH'] === 'tiny';

/** Runs in the browser. Moves the loss slider, and returns the time until the new run is painted, ms. */
export async function dragOnce(step: number): Promise<number> {
  const slider = document.querySelector<HTMLInputElement>('input[aria-label="Loss, slider"]');
  if (slider === null) throw new Error('no slider');
  const shown = () =>
    `${document.querySelector('.timeline canvas')?.getAttribute('aria-label')} ${document.querySelector('.honesty')?.textContent}`;
  const before = shown();
  // It may happen that exactly the same packets are lost at the new loss rate, so that the window looks the same. Then
  // only `data-state` shows that the run was computed again.
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
  // the next frame begins after this one is painted
  await new Promise(requestAnimationFrame);
  observer.disconnect();
  return performance.now() - startMs;
}

/** The CPU time that all processes of the browser have used so far, ms. */
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
