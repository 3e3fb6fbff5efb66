import fc from 'fast-check';
import {expect, test} from 'vitest';
import {Unread} from './buffers.ts';

test('kept bytes precede new bytes, for every division of the stream into pieces', () => {
  const piece = fc.tuple(fc.nat({max: 9000}), fc.double({min: 0, max: 1, noNaN: true}));
  fc.assert(
    fc.property(fc.array(piece, {maxLength: 20}), pieces => {
      const unread = new Unread();
      let [came, read] = [0, 0];
      for (const [bytes, share] of pieces) {
        const all = unread.with(Uint8Array.from({length: bytes}, (_, i) => (came + i) % 251));
        came += bytes;
        expect(all.length).toBe(came - read);
        for (const at of [0, all.length >> 1, all.length - 1]) {
          if (at >= 0 && at < all.length) expect(all[at]).toBe((read + at) % 251);
        }
        const taken = Math.floor(share * all.length);
        unread.keep(all, taken);
        read += taken;
      }
    }),
  );
});

test('returned bytes do not change when the rest is kept', () => {
  const unread = new Unread();
  unread.keep(unread.with(Uint8Array.of(1, 2, 3)), 1);
  const all = unread.with(Uint8Array.of(4, 5));
  unread.keep(all, 3);
  expect([...all]).toEqual([2, 3, 4, 5]);
  expect([...unread.with(Uint8Array.of(6))]).toEqual([5, 6]);
});
