import sharp from 'sharp';
import {expect, test} from 'vitest';
import {jpegSampling} from './jpegSettings.ts';

const jpegOf = (chromaSubsampling: string) =>
  sharp({create: {width: 32, height: 32, channels: 3, background: '#369'}})
    .jpeg({chromaSubsampling})
    .toBuffer();

/** The file with other sampling factors in its frame header. */
function withFactors(jpeg: Buffer, factors: readonly number[]): Buffer {
  const [copy, frame] = [Buffer.from(jpeg), jpeg.indexOf(Buffer.from([0xff, 0xc0]))];
  for (const [i, each] of factors.entries()) copy[frame + 11 + 3 * i] = each;
  return copy;
}

test('colours are sampled as they are, or finer', async () => {
  const [half, full] = [await jpegOf('4:2:0'), await jpegOf('4:4:4')];
  expect(jpegSampling(half)).toBe('4:2:0');
  expect(jpegSampling(full)).toBe('4:4:4');
  // 4:2:2, 4:4:0, and 4:4:4 as some encoders write it
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
