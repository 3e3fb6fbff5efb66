import {expect, test} from 'vitest';
import {KnownBytes} from './knownBytes.ts';

test('the number and the length of cached keys are limited', () => {
  const known = new KnownBytes<number>();
  const numbered = (i: number) => Uint8Array.of(i >> 8, i & 255);
  for (let i = 0; i <= 1000; i++) known.keep(numbered(i), i);
  expect([0, 999, 1000].map(i => known.get(numbered(i)))).toEqual([undefined, undefined, 1000]);
  for (const bytes of [1000, 1001]) known.keep(new Uint8Array(bytes), bytes);
  expect([1000, 1001].map(bytes => known.get(new Uint8Array(bytes)))).toEqual([1000, undefined]);
});
