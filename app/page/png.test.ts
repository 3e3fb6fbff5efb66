import {Buffer} from 'node:buffer';
import {readFileSync} from 'node:fs';
import {constants, deflateRawSync, inflateRawSync, inflateSync} from 'node:zlib';
import sharp from 'sharp';
import {describe, expect, test} from 'vitest';
import {Bits, inflatedBytes} from './inflated.ts';
import {passEnds} from './png.ts';

const {Z_FIXED, Z_HUFFMAN_ONLY, Z_RLE, Z_DEFAULT_STRATEGY, Z_SYNC_FLUSH} = constants;

/** A text in which some words repeat and others do not. The end produces the longest matches. */
const text = Buffer.from(
  Array.from({length: 3000}, (_, i) => `${(i * i) % 7} word ${((i * 7919) % 1009).toString(36)} `).join('') +
    'a'.repeat(5000),
);

describe('each prefix of a DEFLATE stream produces as many bytes as with zlib', () => {
  test.each([
    ['stored', {level: 0}],
    ['with fixed codes', {strategy: Z_FIXED}],
    ['with dynamic codes', {strategy: Z_DEFAULT_STRATEGY}],
    ['without matches', {strategy: Z_HUFFMAN_ONLY}],
    ['with runs', {strategy: Z_RLE}],
    ['with small blocks', {memLevel: 1}],
  ])('%s', (_name, options) => {
    const stream = deflateRawSync(text, options);
    const bits = new Bits(stream, 0);
    let inflated = 0;
    let checked = 0;
    for (const bytes of inflatedBytes(bits)) {
      const before = inflated;
      inflated += bytes;
      if (inflated % 1000 >= bytes) continue;
      checked += 1;
      expect(given(stream, bits.bytesRead)).toBeGreaterThanOrEqual(inflated);
      expect(given(stream, bits.bytesRead - 1)).toBeLessThanOrEqual(before);
    }
    expect(inflated).toBe(text.length);
    expect(bits.bytesRead).toBe(stream.length);
    expect(checked).toBeGreaterThan(20);
  });

  function given(stream: Uint8Array, bytes: number): number {
    return inflateRawSync(stream.subarray(0, bytes), {finishFlush: Z_SYNC_FLUSH}).length;
  }
});

test('a pass of an Adam7 picture ends where its last row can be inflated', () => {
  const body = readFileSync('fixtures/pages/gallery-png-interlaced/lighthouse.png');
  const ends = passEnds(body);
  // 176 × 132 px of one byte each, and one filter byte for each row.
  const sizes = [17 * 23, 17 * 23, 16 * 45, 33 * 45, 33 * 89, 66 * 89, 66 * 177];
  expect(body.readUInt32BE(16)).toBe(176);
  expect(body.readUInt32BE(20)).toBe(132);
  expect(ends).toHaveLength(7);
  let pixels = 0;
  for (const [i, size] of sizes.entries()) {
    pixels += size;
    expect(pixelsOf(body.subarray(0, ends[i]))).toBeGreaterThanOrEqual(pixels);
    expect(pixelsOf(body.subarray(0, (ends[i] ?? 0) - 1))).toBeLessThan(pixels);
  }
});

test('a pass is found if the data are in many chunks and the pixels have many bits', async () => {
  let state = 1;
  const noise = Uint8Array.from({length: 150 * 100 * 4}, () => {
    state = (state * 48_271) % 0x7fffffff;
    return state >> 16;
  });
  const body = await sharp(noise, {raw: {width: 150, height: 100, channels: 4}})
    .png({progressive: true, compressionLevel: 1})
    .toBuffer();
  const ends = passEnds(body);
  expect(body.toString('latin1').split('IDAT').length).toBeGreaterThan(3);
  expect(ends).toHaveLength(7);
  const last = 50 * (1 + 150 * 4);
  expect(pixelsOf(body.subarray(0, ends[5]))).toBeGreaterThanOrEqual(pixelsOf(body) - last);
  expect(pixelsOf(body.subarray(0, (ends[5] ?? 0) - 1))).toBeLessThan(pixelsOf(body) - last);
});

test('a picture without pixels in some passes has fewer passes', async () => {
  const dot = sharp({create: {width: 1, height: 1, channels: 3, background: '#f00'}});
  expect(passEnds(await dot.png({progressive: true}).toBuffer())).toHaveLength(1);
});

test('a file has no passes if it is truncated, invalid, too large, not interlaced, or not a PNG', () => {
  const whole = readFileSync('fixtures/pages/gallery-png-interlaced/lighthouse.png');
  const dataAt = whole.indexOf('IDAT') + 6;
  const spoilt = Buffer.from(whole);
  spoilt.fill(0xff, dataAt, dataAt + 20);
  const larger = Buffer.from(whole);
  larger.writeUInt32BE(0xffffffff, 16);
  const unknown = Buffer.from(whole);
  unknown[25] = 9;
  for (const body of [
    Buffer.alloc(0),
    whole.subarray(0, 8),
    whole.subarray(0, 6000),
    spoilt,
    larger,
    unknown,
    readFileSync('fixtures/pages/gallery-png/lighthouse.png'),
    readFileSync('fixtures/pages/gallery/lighthouse.jpg'),
    Buffer.concat([whole, Buffer.alloc(200_000)]),
  ]) {
    expect(passEnds(body)).toEqual([]);
  }
});

/** Returns the number of bytes that the IDAT chunks of a possibly truncated file produce. */
function pixelsOf(file: Buffer): number {
  const parts: Buffer[] = [];
  for (let at = 8; at + 8 <= file.length; ) {
    const length = file.readUInt32BE(at);
    if (file.toString('latin1', at + 4, at + 8) === 'IDAT') parts.push(file.subarray(at + 8, at + 8 + length));
    at += length + 12;
  }
  return inflateSync(Buffer.concat(parts), {finishFlush: Z_SYNC_FLUSH}).length;
}
