import {expect, test} from 'vitest';
import {KnownBytes} from './knownBytes.ts';

test('a key is copied, even if its `slice` returns a view, as that of Node’s buffers does', () => {
  class View extends Uint8Array<ArrayBuffer> {
    override slice(): Uint8Array<ArrayBuffer> {
      return this.subarray();
    }
  }
  const known = new KnownBytes<string>();
  const memory = View.from([1, 2, 3]);
  known.keep(memory, 'parsed');
  memory.fill(0);
  expect(known.get(Uint8Array.of(1, 2, 3))).toBe('parsed');
});

test('the number and the length of cached keys are limited', () => {
  const known = new KnownBytes<number>();
  const numbered = (i: number) => Uint8Array.of(i >> 8, i & 255);
  for (let i = 0; i <= 1000; i++) known.keep(numbered(i), i);
  expect([0, 999, 1000].map(i => known.get(numbered(i)))).toEqual([undefined, undefined, 1000]);
  for (const bytes of [1000, 1001]) known.keep(new Uint8Array(bytes), bytes);
  expect([1000, 1001].map(bytes => known.get(new Uint8Array(bytes)))).toEqual([1000, undefined]);
});
