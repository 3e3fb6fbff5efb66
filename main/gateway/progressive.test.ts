import {readFileSync} from 'node:fs';
import {join} from 'node:path';
import {crc32} from 'node:zlib';
import sharp, {type JpegOptions} from 'sharp';
import {beforeAll, describe, expect, test} from 'vitest';
import {passEnds} from '../../app/page/passEnds.ts';
import {scanEnds} from '../../app/page/scanEnds.ts';
import {imageType} from './mediaType.ts';
import {jpegQuality, progressive} from './progressive.ts';

const pages = join(import.meta.dirname, '../../fixtures/pages');
let pixels: Buffer;
const raw = {width: 160, height: 120, channels: 3} as const;

beforeAll(async () => {
  const photo = readFileSync(join(pages, 'gallery/autumn.jpg'));
  pixels = await sharp(photo).resize(raw.width, raw.height, {fit: 'fill'}).raw().toBuffer();
});

const jpeg = (options: JpegOptions) => sharp(pixels, {raw}).jpeg(options).toBuffer();

async function convert(bytes: Uint8Array) {
  const type = imageType(bytes, '');
  if (type === undefined) throw new Error('no picture');
  let ms = 0;
  const made = await progressive(bytes, type, () => (ms += 7.04));
  if (made === undefined) return undefined;
  return {...made, from: made.conversion.from, fromBytes: made.conversion.fromBytes, ms: made.conversion.ms};
}

/** Of 255, root mean square. */
async function difference(a: Uint8Array, b: Uint8Array): Promise<number> {
  const [one, other] = await Promise.all([a, b].map(each => sharp(each).removeAlpha().raw().toBuffer()));
  if (one === undefined || other === undefined || one.length !== other.length)
    throw new Error('sizes differ');
  return Math.sqrt(one.reduce((sum, value, i) => sum + (value - (other[i] ?? 0)) ** 2, 0) / one.length);
}

describe('the quality of a JPEG', () => {
  test.each([10, 35, 50, 75, 90, 95])('is %d as it was made', async quality => {
    const made = jpegQuality(await jpeg({quality, quantisationTable: 0}));
    expect(Math.abs((made ?? 0) - quality)).toBe(0);
  });

  test('is not known where the file is none or ends early', async () => {
    const whole = await jpeg({quality: 75});
    const tableAt = whole.indexOf(Buffer.from([0xff, 0xdb]));
    for (let bytes = 0; bytes < tableAt + 69; bytes++)
      expect(jpegQuality(whole.subarray(0, bytes))).toBeUndefined();
    expect(jpegQuality(Buffer.alloc(100, 0xff))).toBeUndefined();
  });
});

describe('progressive', () => {
  test.each([
    ['4:2:0', 40],
    ['4:2:0', 75],
    ['4:4:4', 90],
  ])('is a smaller JPEG of the same look, in scans (%s, %d)', async (chromaSubsampling, quality) => {
    const original = await jpeg({quality, chromaSubsampling, quantisationTable: 0, optimiseCoding: false});
    const made = await convert(original);
    if (made === undefined) throw new Error('not converted');
    expect(made).toMatchObject({from: 'baseline JPEG', fromBytes: original.length, ms: 7});
    expect(made.bytes.length).toBeLessThan(original.length);
    expect(scanEnds(original)).toHaveLength(1);
    expect(scanEnds(made.bytes).length).toBeGreaterThan(4);
    expect((await sharp(made.bytes).metadata()).chromaSubsampling).toBe(chromaSubsampling);
    // what the original's own quality cost, some times over
    const cost = await difference(original, await sharp(pixels, {raw}).png().toBuffer());
    expect(await difference(original, made.bytes)).toBeLessThan(0.5 * cost);
  });

  test('is a PNG of the same pixels, in passes, where that is not larger', async () => {
    const create = {width: 200, height: 200, channels: 3, background: '#369'} as const;
    const original = await sharp({create}).png({compressionLevel: 0}).toBuffer();
    const made = await convert(original);
    if (made === undefined) throw new Error('not converted');
    expect(passEnds(made.bytes)).toHaveLength(7);
    expect(await difference(original, made.bytes)).toBe(0);
    const small = await sharp(pixels, {raw}).png({compressionLevel: 9, effort: 10}).toBuffer();
    expect(await convert(small)).toBeUndefined();
  });

  test('leaves what is progressive, has no such form, or cannot be kept as it is', async () => {
    expect(await convert(await jpeg({progressive: true}))).toBeUndefined();
    expect(await convert(await sharp(pixels, {raw}).webp().toBuffer())).toBeUndefined();
    expect(await convert(await sharp(pixels, {raw}).toColourspace('cmyk').jpeg().toBuffer())).toBeUndefined();
    const deep = await sharp(pixels, {raw}).toColourspace('rgb16').png({compressionLevel: 0}).toBuffer();
    expect(await convert(deep)).toBeUndefined();
    const broken = (await jpeg({quality: 75})).subarray(0, 300);
    expect(await convert(broken)).toBeUndefined();
  });

  test('leaves an animation as it is', async () => {
    const create = {width: 200, height: 200, channels: 3, background: '#369'} as const;
    const still = await sharp({create}).png({compressionLevel: 0}).toBuffer();
    const chunk = Buffer.from('\0\0\0\x08acTL\0\0\0\x01\0\0\0\0\0\0\0\0', 'latin1');
    chunk.writeUInt32BE(crc32(chunk.subarray(4, 16)), 16);
    const afterHeader = 33;
    const moving = Buffer.concat([still.subarray(0, afterHeader), chunk, still.subarray(afterHeader)]);
    expect(await convert(still)).toBeDefined();
    expect(await convert(moving)).toBeUndefined();
  });

  test('turns pictures as they were turned', async () => {
    const original = await sharp(pixels, {raw})
      .withMetadata({orientation: 6})
      .jpeg({optimiseCoding: false})
      .toBuffer();
    const made = await convert(original);
    expect((await sharp(made?.bytes).metadata()).orientation).toBe(6);
  });
});
