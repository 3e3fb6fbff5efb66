import fc from 'fast-check';
import sharp from 'sharp';
import {describe, expect, test} from 'vitest';
import {holdsHugePicture, imageSize, isHugeDataUrl} from './imageSize.ts';

describe('the size of an image is read from its header', () => {
  test.each([
    ['png', {}],
    ['png', {progressive: true}],
    ['gif', {}],
    ['jpeg', {}],
    ['jpeg', {progressive: true, mozjpeg: true}],
    ['webp', {}],
    ['webp', {lossless: true}],
    ['avif', {}],
  ] as const)('%s %o', async (format, options) => {
    for (const [width, height] of [
      [1, 1],
      [7, 300],
      [800, 5],
    ] as const) {
      const blank = sharp({create: {width, height, channels: 3, background: '#a50'}});
      const body = await blank.withMetadata().toFormat(format, options).toBuffer();
      expect(imageSize(body)).toEqual({width, height});
      // Any prefix gives either the size or nothing.
      for (let bytes = 0; bytes < Math.min(body.length, 700); bytes++) {
        expect([undefined, `${width} ${height}`]).toContain(text(imageSize(body.subarray(0, bytes))));
      }
    }
  });

  test('webp with transparency', async () => {
    const create = {width: 30, height: 20, channels: 4, background: {r: 9, g: 9, b: 9, alpha: 0.5}} as const;
    expect(imageSize(await sharp({create}).webp().toBuffer())).toEqual({width: 30, height: 20});
  });

  test('a GIF is enlarged if its first frame exceeds its screen', async () => {
    const create = {width: 400, height: 300, channels: 3, background: '#a50'} as const;
    const gif = await sharp({create}).gif({loop: 3}).toBuffer();
    gif.writeUInt16LE(3, 6);
    gif.writeUInt16LE(310, 8);
    expect(imageSize(gif)).toEqual({width: 400, height: 310});
  });

  test('a BMP in two forms, and an icon with several pictures', () => {
    const bmp = new DataView(new ArrayBuffer(40));
    const size = () => imageSize(new Uint8Array(bmp.buffer));
    bmp.setUint16(0, 0x424d);
    bmp.setUint32(14, 40, true);
    bmp.setInt32(18, 70_000, true);
    bmp.setInt32(22, -300, true);
    expect(size()).toEqual({width: 70_000, height: 300});
    bmp.setUint32(14, 12, true);
    bmp.setUint32(18, 7 + 0x10000 * 9, true);
    expect(size()).toEqual({width: 7, height: 9});
    const icon = new Uint8Array(38);
    icon.set([0, 0, 1, 0, 2, 0, 16, 20]);
    expect(imageSize(icon)).toEqual({width: 256, height: 256});
    icon.set([8, 8], 22);
    expect(imageSize(icon)).toEqual({width: 16, height: 20});
  });

  test('arbitrary bytes have no size and do not throw', () => {
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

/** Returns the header of a GIF. */
const gif = (width: number, height: number) =>
  `GIF89a${String.fromCharCode(width & 255, width >> 8, height & 255, height >> 8)}\0\0\0`;
const [huge, small] = [gif(20_000, 20_000), gif(200, 200)];
const base64 = (text: string) => `data:image/gif;base64,${btoa(text)}`;
const percent = (text: string) =>
  `data:image/gif,${Array.from(text, letter => `%${letter.charCodeAt(0).toString(16).padStart(2, '0')}`).join('')}`;

test('a data: address with a huge picture is recognised in every notation', () => {
  const written = [base64(huge), percent(huge), ` DATA:;base64 , ${btoa(huge)}`, base64(huge).replace('R', '%52')];
  expect(written.filter(each => !isHugeDataUrl(each))).toEqual([]);
  const others = [
    base64(small),
    percent(small),
    'data:',
    'data:,',
    'data:;base64,?',
    'a.gif',
    `x;base64,${btoa(huge)}`,
  ];
  expect(others.filter(isHugeDataUrl)).toEqual([]);
});

test('a drawing with a huge picture is recognised with any quotes', () => {
  expect(holdsHugePicture(`<svg><image href='${base64(huge)}'/></svg>`)).toBe(true);
  expect(holdsHugePicture(`<style>a{background:url(${base64(huge)})}</style>`)).toBe(true);
  expect(holdsHugePicture(`<svg><image href="${base64(small)}"/><text>data: x</text></svg>`)).toBe(false);
});
