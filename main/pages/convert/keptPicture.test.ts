import {mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, utimesSync, writeFileSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import sharp from 'sharp';
import {afterAll, beforeAll, beforeEach, describe, expect, test, vi} from 'vitest';
import {type Convert, convertedOnce, shrinkPictures} from './keptPicture.ts';
import {convertedPicture} from './picture.ts';

const home = mkdtempSync(join(tmpdir(), 'interleave-pictures-'));
const folder = join(home, 'interleave/pictures');
let large: Uint8Array;
let small: Uint8Array;

beforeAll(async () => {
  const create = {width: 100, height: 100, channels: 3, background: '#369'} as const;
  large = await sharp({create}).png({compressionLevel: 0}).toBuffer();
  small = await sharp({create}).png({compressionLevel: 9, progressive: true}).toBuffer();
});
beforeEach(() => {
  vi.stubEnv('XDG_CACHE_HOME', home);
  rmSync(folder, {recursive: true, force: true});
});
afterAll(() => {
  vi.unstubAllEnvs();
  rmSync(home, {recursive: true, force: true});
});

/** Makes a converter whose conversions take this long by its clock. */
function taking(ms: number): Convert {
  let atMs = 0;
  return (bytes, conversion) => convertedPicture(bytes, conversion, () => (atMs += ms));
}

describe('a converted picture', () => {
  test('is read from the cache with the duration of its conversion, but only for the same bytes and conversion', async () => {
    const made = await convertedOnce(large, 'webp', taking(7));
    expect(made).toMatchObject({contentType: 'image/webp', tookMs: 7});
    expect(await convertedOnce(large, 'webp', taking(9))).toEqual(made);
    expect(await convertedOnce(large, 'progressive', taking(9))).toMatchObject({tookMs: 9});
    expect(readdirSync(folder)).toHaveLength(2);
  });

  test('is not made again if the first conversion found nothing to improve', async () => {
    const convert = vi.fn(taking(0));
    expect(await convertedOnce(small, 'progressive', convert)).toBeUndefined();
    expect(await convertedOnce(small, 'progressive', convert)).toBeUndefined();
    expect(convert).toHaveBeenCalledOnce();
  });

  test('is made again after an error', async () => {
    const fail = vi.fn(() => Promise.reject(new Error('no memory')));
    await expect(convertedOnce(large, 'webp', fail)).rejects.toThrow('no memory');
    expect(await convertedOnce(large, 'webp', taking(7))).toMatchObject({tookMs: 7});
  });

  test.each([
    ['truncated', (file: Buffer) => file.subarray(0, -1)],
    ['empty', () => Buffer.alloc(0)],
    ['changed in one byte', (file: Buffer) => Buffer.concat([file.subarray(0, -1), Buffer.of(7)])],
  ])('is converted again if its file is %s', async (_, damage) => {
    const made = await convertedOnce(large, 'webp', taking(7));
    const file = join(folder, readdirSync(folder)[0] ?? '');
    writeFileSync(file, damage(readFileSync(file)));
    const again = await convertedOnce(large, 'webp', taking(9));
    expect(again).toEqual({...made, tookMs: 9});
    expect(await convertedOnce(large, 'webp', taking(11))).toEqual(again);
  });

  test('causes no error if the cache cannot be written', async () => {
    mkdirSync(join(home, 'interleave'), {recursive: true});
    writeFileSync(folder, 'a file in its place');
    for (const ms of [7, 9]) expect(await convertedOnce(large, 'webp', taking(ms))).toMatchObject({tookMs: ms});
    await shrinkPictures();
  });
});

test('the least recently used pictures are removed first', async () => {
  await convertedOnce(large, 'webp', taking(7));
  const [first = ''] = readdirSync(folder);
  await convertedOnce(large, 'progressive', taking(7));
  for (const name of readdirSync(folder)) utimesSync(join(folder, name), 1, name === first ? 1 : 2);
  await shrinkPictures(1e6);
  expect(readdirSync(folder)).toHaveLength(2);
  await convertedOnce(large, 'webp', taking(7)); // uses the picture
  await shrinkPictures(readFileSync(join(folder, first)).length);
  expect(readdirSync(folder)).toEqual([first]);
});
