import {expect, test} from 'vitest';
import {MOST_OBJECTS} from '../page/page.ts';
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

test('there is room for all heads of the largest page, and the number and the length of keys are limited', () => {
  const known = new KnownBytes<number>();
  const most = 2 * MOST_OBJECTS;
  const numbered = (i: number) => Uint8Array.of(i >> 8, i & 255);
  for (let i = 0; i < most; i++) known.keep(numbered(i), i);
  expect([0, most - 1].map(i => known.get(numbered(i)))).toEqual([0, most - 1]);
  known.keep(numbered(most), most);
  expect([0, most - 1, most].map(i => known.get(numbered(i)))).toEqual([undefined, undefined, most]);
  for (const bytes of [1000, 1001]) known.keep(new Uint8Array(bytes), bytes);
  expect([1000, 1001].map(bytes => known.get(new Uint8Array(bytes)))).toEqual([1000, undefined]);
});
