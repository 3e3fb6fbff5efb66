import {readFileSync} from 'node:fs';
import {join} from 'node:path';
import sharp from 'sharp';
import {describe, expect, test} from 'vitest';
import {jpegQuality, jpegSampling} from './jpegSettings.ts';

const photo = readFileSync(join(import.meta.dirname, '../../../fixtures/pages/gallery/autumn.jpg'));
const jpeg = (options: object) => sharp(photo).jpeg(options).toBuffer();

describe('the quality of a JPEG', () => {
  test.each([10, 35, 50, 75, 90, 95])('is estimated as %d if the JPEG was made with that quality', async quality => {
    const made = jpegQuality(await jpeg({quality, quantisationTable: 0}));
    expect(Math.abs((made ?? 0) - quality)).toBe(0);
  });

  test('is undefined if the file is not a JPEG or ends before the end of its table', async () => {
    const whole = await jpeg({quality: 75});
    const tableAt = whole.indexOf(Buffer.from([0xff, 0xdb]));
    for (let bytes = 0; bytes < tableAt + 69; bytes++) expect(jpegQuality(whole.subarray(0, bytes))).toBeUndefined();
    expect(jpegQuality(Buffer.alloc(100, 0xff))).toBeUndefined();
  });
});

const jpegOf = (chromaSubsampling: string) =>
  sharp({create: {width: 32, height: 32, channels: 3, background: '#369'}})
    .jpeg({chromaSubsampling})
    .toBuffer();

/** Returns the file with other sampling factors in its frame header. */
function withFactors(jpeg: Buffer, factors: readonly number[]): Buffer {
  const [copy, frame] = [Buffer.from(jpeg), jpeg.indexOf(Buffer.from([0xff, 0xc0]))];
  for (const [i, each] of factors.entries()) copy[frame + 11 + 3 * i] = each;
  return copy;
}

test('the chroma sampling of the JPEG is kept, or a finer one is chosen', async () => {
  const [half, full] = [await jpegOf('4:2:0'), await jpegOf('4:4:4')];
  expect(jpegSampling(half)).toBe('4:2:0');
  expect(jpegSampling(full)).toBe('4:4:4');
  // 4:2:2 in two forms, 4:4:0, and 4:4:4 as some encoders write it
  for (const factors of [
    [0x21, 0x11, 0x11],
    [0x22, 0x12, 0x12],
    [0x12, 0x11, 0x11],
    [0x12, 0x12, 0x12],
  ]) {
    expect(jpegSampling(withFactors(half, factors))).toBe('4:4:4');
  }
  const grey = sharp(half).grayscale().toColourspace('b-w');
  expect(jpegSampling(await grey.jpeg().toBuffer())).toBe('4:2:0');
  expect(jpegSampling(half.subarray(0, 20))).toBe('4:4:4');
});
