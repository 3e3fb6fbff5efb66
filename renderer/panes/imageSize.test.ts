import fc from 'fast-check';
import sharp from 'sharp';
import {describe, expect, test} from 'vitest';
import {imageSize} from './imageSize.ts';

describe('an image’s header tells its size', () => {
  test.each([
    ['png', {}],
    ['png', {progressive: true}],
    ['gif', {}],
    ['jpeg', {}],
    ['jpeg', {progressive: true, mozjpeg: true}],
    ['webp', {}],
    ['webp', {lossless: true}],
  ] as const)('%s %o', async (format, options) => {
    for (const [width, height] of [
      [1, 1],
      [7, 300],
      [800, 5],
    ] as const) {
      const blank = sharp({create: {width, height, channels: 3, background: '#a50'}});
      const body = await blank.withMetadata().toFormat(format, options).toBuffer();
      expect(imageSize(body)).toEqual({width, height});
      // any prefix tells it, or nothing
      for (let bytes = 0; bytes < Math.min(body.length, 700); bytes++) {
        expect([undefined, `${width} ${height}`]).toContain(text(imageSize(body.subarray(0, bytes))));
      }
    }
  });

  test('webp with transparency', async () => {
    const create = {width: 30, height: 20, channels: 4, background: {r: 9, g: 9, b: 9, alpha: 0.5}} as const;
    expect(imageSize(await sharp({create}).webp().toBuffer())).toEqual({width: 30, height: 20});
  });

  test('and nothing else does', () => {
    fc.assert(fc.property(fc.uint8Array({maxLength: 200}), bytes => imageSize(bytes) === undefined));
    fc.assert(
      fc.property(fc.uint8Array({maxLength: 200}), bytes => {
        imageSize(Uint8Array.from([0xff, 0xd8, 0xff, 0xc4, 0, 2, ...bytes]));
      }),
    );
  });
});

function text(size: ReturnType<typeof imageSize>): string | undefined {
  return size === undefined ? undefined : `${size.width} ${size.height}`;
}
