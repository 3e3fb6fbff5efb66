import {expect, test} from 'vitest';
import {peakMemoryBytes, watchMemory} from './processMemory.ts';

test('the peak of memory is at least the memory in use, and does not fall', () => {
  const held = Buffer.alloc(50_000_000, 1);
  const peak = peakMemoryBytes();
  expect(peak).toBeGreaterThan(held.length);
  expect(peak).toBeGreaterThanOrEqual(0.9 * process.memoryUsage.rss());
  expect(peakMemoryBytes()).toBeGreaterThanOrEqual(peak);
});

test('a process above the limit is reported once, and a process below it never', async () => {
  let told = 0;
  watchMemory(Number.MAX_SAFE_INTEGER, () => {
    throw new Error('too early');
  });
  await new Promise<void>(done => {
    watchMemory(1, () => {
      told += 1;
      setTimeout(done, 120);
    });
  });
  expect(told).toBe(1);
});
