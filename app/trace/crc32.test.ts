import {crc32 as zlibCrc32} from 'node:zlib';
import fc from 'fast-check';
import {expect, test} from 'vitest';
import {crc32} from './crc32.ts';

test('the check value of the catalogues comes out', () => {
  expect(crc32(new TextEncoder().encode('123456789'))).toBe(0xcbf4_3926);
  expect(crc32()).toBe(0);
});

test('it is zlib’s, in one part or several', () => {
  fc.assert(
    fc.property(fc.uint8Array(), fc.uint8Array(), (a, b) => {
      expect(crc32(a, b)).toBe(zlibCrc32(Uint8Array.of(...a, ...b)));
    }),
  );
});
