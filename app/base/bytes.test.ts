import {crc32 as zlibCrc32} from 'node:zlib';
import fc from 'fast-check';
import {expect, test} from 'vitest';
import {base64, crc32} from './bytes.ts';

// Browsers and Node have this function (HTML), but app/ is compiled without the types of either.
declare const atob: (base64: string) => string;

test('base64 encodes few and many bytes correctly', () => {
  expect([[], [255], [0, 255], [1, 2, 3]].map(bytes => base64(Uint8Array.from(bytes)))).toEqual([
    '',
    '/w==',
    'AP8=',
    'AQID',
  ]);
  const many = Uint8Array.from({length: 50_000}, (_, i) => (i * 7) % 256);
  expect(Uint8Array.from(atob(base64(many)), char => char.charCodeAt(0))).toEqual(many);
});

test('crc32 returns the check value of CRC catalogues', () => {
  expect(crc32(new TextEncoder().encode('123456789'))).toBe(0xcbf4_3926);
  expect(crc32()).toBe(0);
});

test('crc32 of two parts is the checksum that zlib computes of both together', () => {
  fc.assert(
    fc.property(fc.uint8Array(), fc.uint8Array(), (a, b) => {
      expect(crc32(a, b)).toBe(zlibCrc32(Uint8Array.of(...a, ...b)));
    }),
  );
});
