import {deflateRawSync, gzipSync} from 'node:zlib';
import {expect, test} from 'vitest';
import {gunzipped, inflated} from './inflate.ts';

const ZEROS = new Uint8Array(3_000_000);

test.each([
  ['raw deflate', inflated, deflateRawSync(ZEROS)],
  ['gzip', gunzipped, gzipSync(ZEROS)],
] as const)(
  '%s data is unpacked if its unpacked size is the limit, and is too large if it is one byte more',
  (_, unpack, packed) => {
    const whole = unpack(packed, ZEROS.length) as Uint8Array;
    expect(whole).toHaveLength(ZEROS.length);
    expect(whole.every(byte => byte === 0)).toBe(true);
    expect(unpack(packed, ZEROS.length - 1)).toBe('too large');
  },
);
