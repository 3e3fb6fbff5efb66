import {mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {afterAll, beforeEach, describe, expect, test, vi} from 'vitest';
import {smallQuality} from '../../../app/run/quality/testing/smallQuality.ts';
import {cacheKey, knownQuality, qualityOnce} from './qualityCache.ts';

const home = mkdtempSync(join(tmpdir(), 'interleave-cache-'));
const folder = join(home, 'interleave/quality');
const key = cacheKey('page', 'Chromium 1');
const file = join(folder, `${key}.json`);
const measureOnce = () => qualityOnce(key, () => Promise.resolve(smallQuality()));

beforeEach(() => {
  vi.stubEnv('XDG_CACHE_HOME', home);
  rmSync(folder, {recursive: true, force: true});
});
afterAll(() => {
  vi.unstubAllEnvs();
  rmSync(home, {recursive: true, force: true});
});

describe('a measurement', () => {
  test('is read from the cache for the same page and the same browser only', async () => {
    expect(await knownQuality(key)).toBe(undefined);
    await measureOnce();
    expect(await knownQuality(key)).toEqual(smallQuality());
    expect(readdirSync(folder)).toEqual([`${key}.json`]);
    for (const other of [cacheKey('another', 'Chromium 1'), cacheKey('page', 'Chromium 2')])
      expect(await knownQuality(other)).toBe(undefined);
  });

  test.each([
    ['truncated', (text: string) => text.slice(0, -20)],
    ['empty', () => ''],
    ['changed', (text: string) => text.replace('0.6', '0.9')],
    ['not JSON', () => 'sum\n{'],
    ['stored with a wrong checksum', (text: string) => text.replace(/^./, first => (first === '0' ? '1' : '0'))],
  ])('is repeated if its file is %s, and replaces the file', async (_, damage) => {
    await measureOnce();
    writeFileSync(file, damage(readFileSync(file, 'utf8')));
    expect(await knownQuality(key)).toBe(undefined);
    await measureOnce();
    expect(await knownQuality(key)).toEqual(smallQuality());
    expect(readdirSync(folder)).toHaveLength(1);
  });

  test('is not repeated if the cache contains it', async () => {
    expect(await measureOnce()).toEqual(smallQuality());
    const again = () => Promise.reject(new Error('measured again'));
    expect(await qualityOnce(key, again)).toEqual(smallQuality());
    await expect(qualityOnce(cacheKey('another', 'Chromium 1'), again)).rejects.toThrow('measured again');
  });

  test('is not read from a file that was renamed', async () => {
    await measureOnce();
    const other = cacheKey('another', 'Chromium 1');
    writeFileSync(join(folder, `${other}.json`), readFileSync(file));
    expect(await knownQuality(other)).toBe(undefined);
  });

  test('causes no error if the cache cannot be written', async () => {
    mkdirSync(join(home, 'interleave'), {recursive: true});
    writeFileSync(folder, 'a file in its place');
    expect(await measureOnce()).toEqual(smallQuality());
    expect(await knownQuality(key)).toBe(undefined);
  });
});
