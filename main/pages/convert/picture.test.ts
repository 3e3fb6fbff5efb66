import {createHash} from 'node:crypto';
import {readFileSync} from 'node:fs';
import {join} from 'node:path';
import {crc32} from 'node:zlib';
import sharp, {type JpegOptions} from 'sharp';
import {beforeAll, describe, expect, test} from 'vitest';
import {CONVERSIONS, type Conversion} from '../../../app/page/conversion.ts';
import {passEnds} from '../../../app/page/png.ts';
import {scanEnds} from '../../../app/page/scanEnds.ts';
import {convertedPicture} from './picture.ts';

const pages = join(import.meta.dirname, '../../../fixtures/pages');
let pixels: Buffer;
const raw = {width: 160, height: 120, channels: 3} as const;

beforeAll(async () => {
  const photo = readFileSync(join(pages, 'gallery/autumn.jpg'));
  pixels = await sharp(photo).resize(raw.width, raw.height, {fit: 'fill'}).raw().toBuffer();
});

const jpeg = (options: JpegOptions) => sharp(pixels, {raw}).jpeg(options).toBuffer();

async function convert(bytes: Uint8Array, conversion: Conversion = 'progressive') {
  let ms = 0;
  return convertedPicture(bytes, conversion, () => (ms += 7.04));
}

/** Root mean square of the differences between pixels, on a scale of 255. */
async function difference(a: Uint8Array, b: Uint8Array): Promise<number> {
  const [one, other] = await Promise.all([a, b].map(each => sharp(each).removeAlpha().raw().toBuffer()));
  if (one === undefined || other === undefined || one.length !== other.length) throw new Error('sizes differ');
  return Math.sqrt(one.reduce((sum, value, i) => sum + (value - (other[i] ?? 0)) ** 2, 0) / one.length);
}

describe('progressive', () => {
  test.each([
    ['4:2:0', 40],
    ['4:2:0', 75],
    ['4:4:4', 90],
  ])('makes a smaller progressive JPEG that looks the same (%s, %d)', async (chromaSubsampling, quality) => {
    const original = await jpeg({quality, chromaSubsampling, quantisationTable: 0, optimiseCoding: false});
    const made = await convert(original);
    if (made === undefined) throw new Error('not converted');
    expect(made).toMatchObject({contentType: 'image/jpeg', tookMs: 7});
    expect(made.bytes.length).toBeLessThan(original.length);
    expect(scanEnds(original)).toHaveLength(1);
    expect(scanEnds(made.bytes).length).toBeGreaterThan(4);
    expect((await sharp(made.bytes).metadata()).chromaSubsampling).toBe(chromaSubsampling);
    // the limit is half of the error that the original's own quality causes
    const cost = await difference(original, await sharp(pixels, {raw}).png().toBuffer());
    expect(await difference(original, made.bytes)).toBeLessThan(0.5 * cost);
  });

  test('makes an interlaced PNG with the same pixels, unless it would be larger', async () => {
    const create = {width: 200, height: 200, channels: 3, background: '#369'} as const;
    const original = await sharp({create}).png({compressionLevel: 0}).toBuffer();
    const made = await convert(original);
    if (made === undefined) throw new Error('not converted');
    expect(passEnds(made.bytes)).toHaveLength(7);
    expect(await difference(original, made.bytes)).toBe(0);
    const small = await sharp(pixels, {raw}).png({compressionLevel: 9, effort: 10}).toBuffer();
    expect(await convert(small)).toBeUndefined();
  });

  test('leaves progressive pictures unchanged', async () => {
    expect(await convert(await jpeg({progressive: true}))).toBeUndefined();
    const create = {width: 200, height: 200, channels: 3, background: '#369'} as const;
    const still = sharp({create});
    expect(await convert(await still.png({compressionLevel: 0, progressive: true}).toBuffer())).toBeUndefined();
  });

  test('keeps the rotation of pictures', async () => {
    const original = await sharp(pixels, {raw}).withMetadata({orientation: 6}).jpeg({optimiseCoding: false}).toBuffer();
    const made = await convert(original);
    expect((await sharp(made?.bytes).metadata()).orientation).toBe(6);
  });
});

describe.each(['webp', 'avif'] as const)('%s', conversion => {
  test.each([
    ['4:2:0', 50],
    ['4:2:0', 75],
    ['4:4:4', 90],
  ])('is smaller, and adds hardly more error than the JPEG itself has (%s, %d)', async (chromaSubsampling, quality) => {
    const original = await jpeg({quality, chromaSubsampling, quantisationTable: 0, optimiseCoding: false});
    const made = await convert(original, conversion);
    if (made === undefined) throw new Error('not converted');
    expect(made).toMatchObject({contentType: `image/${conversion}`, tookMs: 7});
    expect(made.bytes.length).toBeLessThan(original.length);
    const cost = await difference(original, await sharp(pixels, {raw}).png().toBuffer());
    // the limit is higher than for a progressive JPEG, because WebP has no 4:4:4
    expect(await difference(original, made.bytes)).toBeLessThan(1.05 * cost);
  });

  test('keeps all pixels of a PNG, including transparent ones', async () => {
    const create = {width: 200, height: 200, channels: 4, background: '#3698'} as const;
    const original = await sharp({create}).png({compressionLevel: 0}).toBuffer();
    const made = await convert(original, conversion);
    if (made === undefined) throw new Error('not converted');
    const [before, after] = await Promise.all(
      [original, made.bytes].map(each => sharp(each).ensureAlpha().raw().toBuffer()),
    );
    expect(after?.equals(before ?? Buffer.alloc(0))).toBe(true);
  });

  test('has its pixels rotated as Exif says', async () => {
    const original = await sharp(pixels, {raw}).withMetadata({orientation: 6}).jpeg().toBuffer();
    const made = await convert(original, conversion);
    const {width, height, orientation = 1} = await sharp(made?.bytes).metadata();
    expect([width, height, orientation]).toEqual([raw.height, raw.width, 1]);
  });

  test('has the same bytes for any number of threads of sharp', async () => {
    const original = await jpeg({quality: 75});
    sharp.concurrency(1);
    const made = await convert(original, conversion);
    sharp.concurrency(4);
    expect(await convert(original, conversion)).toEqual(made);
  });
});

describe.each(CONVERSIONS)('a picture is not converted to %s', conversion => {
  test('if it has another format, or its look would change', async () => {
    expect(await convert(await sharp(pixels, {raw}).webp().toBuffer(), conversion)).toBeUndefined();
    expect(await convert(await sharp(pixels, {raw}).gif().toBuffer(), conversion)).toBeUndefined();
    const cmyk = await sharp(pixels, {raw}).toColourspace('cmyk').jpeg({quality: 100}).toBuffer();
    expect(await convert(cmyk, conversion)).toBeUndefined();
    const deep = await sharp(pixels, {raw}).toColourspace('rgb16').png({compressionLevel: 0}).toBuffer();
    expect(await convert(deep, conversion)).toBeUndefined();
  });

  test('if it is damaged', async () => {
    const whole = await jpeg({quality: 75});
    expect(await convert(whole.subarray(0, 300), conversion)).toBeUndefined();
    expect(await convert(whole.subarray(0, whole.length / 2), conversion)).toBeUndefined();
    expect(await convert(new Uint8Array(), conversion)).toBeUndefined();
  });

  test('if the result would not be smaller, for example for noise', async () => {
    const blocks = Array.from({length: 384}, (_, i) => createHash('sha256').update(`${i}`).digest());
    const noise = sharp(Buffer.concat(blocks), {raw: {width: 64, height: 64, channels: 3}});
    const originals = [
      await jpeg({quality: 75, optimiseCoding: false}),
      await noise.png({compressionLevel: 9}).toBuffer(),
      await noise.jpeg({quality: 30, mozjpeg: true, progressive: false, quantisationTable: 0}).toBuffer(),
    ];
    const made = await Promise.all(originals.map(each => convert(each, conversion)));
    for (const [i, {length}] of originals.entries()) expect(made[i]?.bytes.length ?? 0).toBeLessThan(length);
    expect(made[0]).toBeDefined();
    expect(made).toContain(undefined);
  });

  describe('if it is a PNG that is more than its pixels:', () => {
    const converted = async (...chunks: readonly Buffer[]) => {
      const plain = sharp({create: {...DOT, width: 200, height: 200}}).png({compressionLevel: 0});
      const [file, afterHeader] = [await plain.toBuffer(), 33];
      return convert(Buffer.concat([file.subarray(0, afterHeader), ...chunks, file.subarray(afterHeader)]), conversion);
    };
    const text = (said: string) => pngChunk('tEXt', Buffer.from(`Comment\0${said}`));
    const gamma = (value: number) => pngChunk('gAMA', Buffer.from(new Uint32Array([value]).buffer).swap32());

    test('an animation', async () => {
      const moves = pngChunk('acTL', Buffer.from([0, 0, 0, 1, 0, 0, 0, 0]));
      expect(await converted(text('acTL'))).toBeDefined();
      expect(await converted(moves)).toBeUndefined();
      // editors may write long texts before this chunk
      expect(await converted(text('x'.repeat(5000)), moves)).toBeUndefined();
    });

    test('a PNG with another gamma or colour space', async () => {
      expect(await converted(gamma(45_455))).toBeDefined();
      expect(await converted(gamma(100_000))).toBeUndefined();
      expect(await converted(pngChunk('cICP', Buffer.from([9, 16, 0, 1])))).toBeUndefined();
    });

    test('a rotated PNG', async () => {
      // a TIFF header with one entry: orientation
      const turned = (by: string) =>
        pngChunk('eXIf', Buffer.from(`4d4d002a0000000800010112000300000001000${by}000000000000`, 'hex'));
      expect(await converted(turned('1'))).toBeDefined();
      expect(await converted(turned('3'))).toBeUndefined();
    });
  });
});

/** A PNG chunk (PNG 3 §5.3). */
function pngChunk(type: string, data: Buffer): Buffer {
  const named = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(data.length);
  sum.writeUInt32BE(crc32(named));
  return Buffer.concat([length, named, sum]);
}

const DOT = {width: 1, height: 1, channels: 3, background: '#369'} as const;
