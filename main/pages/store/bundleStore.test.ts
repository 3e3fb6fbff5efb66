import {execFileSync, spawnSync} from 'node:child_process';
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {afterEach, beforeEach, describe, expect, test, vi} from 'vitest';
import {ownerName} from '../../setup/owner.mjs';
import type {Bundle} from './bundle.ts';
import {BundleStore} from './bundleStore.ts';
import {bundleOf} from './testing/bundleOf.ts';

const never = new AbortController().signal;
const page = bundleOf({'index.html': '<img src=files/1-a.png>', 'files/1-a.png': 'a'});
let folder: string;
let store: BundleStore;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'interleave-bundles-'));
  store = new BundleStore({folder});
});
afterEach(() => rmSync(folder, {recursive: true}));

/** Sets the time at which a bundle was last used, as a number of hours before now. */
function age(name: string, hours: number): void {
  const then = Date.now() / 1000 - hours * 3600;
  utimesSync(join(folder, name), then, then);
}

const ofSize = (name: string): Bundle => bundleOf({'index.html': name.padEnd(1000)}, `https://${name}.test/`);

describe('a stored bundle', () => {
  test('is named by the checksums of its files, and is read back unchanged', async () => {
    const hash = await store.put(page, never);
    const files = execFileSync('sha256sum', ['files/1-a.png', 'index.html'], {cwd: join(folder, hash)});
    expect(execFileSync('sha256sum', {input: files}).toString()).toBe(`${hash}  -\n`);
    expect(await store.open(hash)).toEqual(page);
  });

  test('is named by its content only, and not by its address, its date or the order of its files', async () => {
    const hash = await store.put(page, never);
    const elsewhere = {...page.document, address: 'http://b.test/', date: '2027-01-01T00:00:00.000Z'};
    expect(await store.put({...page, document: elsewhere}, never)).toBe(hash);
    expect(readdirSync(folder)).toEqual([hash]);
    expect((await store.open(hash)).document).toEqual(elsewhere);
    const other = bundleOf({'index.html': '<img src=files/1-a.png>', 'files/1-a.png': 'b'});
    expect(await store.put(other, never)).not.toBe(hash);
    const renamed = bundleOf({'index.html': '<img src=files/1-a.png>', 'files/1-b.png': 'a'});
    expect(await store.put(renamed, never)).not.toBe(hash);
  });

  test('exists once, even if it is stored several times at the same time', async () => {
    const hashes = await Promise.all(Array.from({length: 8}, () => new BundleStore({folder}).put(page, never)));
    expect(new Set(hashes).size).toBe(1);
    expect(readdirSync(folder)).toEqual([hashes[0]]);
    expect(await store.open(hashes[0] ?? '')).toEqual(page);
  });

  test('does not exist if storing it was aborted', async () => {
    await expect(store.put(page, AbortSignal.abort(new Error('enough')))).rejects.toThrow('enough');
    expect(readdirSync(folder)).toEqual([]);
  });

  test.each([
    ['grew', (at: string) => appendFileSync(join(at, 'files/1-a.png'), 'a')],
    ['has other bytes', (at: string) => writeFileSync(join(at, 'files/1-a.png'), 'b')],
    ['has a file that is larger than memory', (at: string) => truncateSync(join(at, 'files/1-a.png'), 2 ** 40)],
    ['has a huge bundle.json', (at: string) => truncateSync(join(at, 'bundle.json'), 2 ** 40)],
    ['lacks a file', (at: string) => rmSync(join(at, 'files/1-a.png'))],
    ['lacks bundle.json', (at: string) => rmSync(join(at, 'bundle.json'))],
    ['has half of bundle.json', (at: string) => writeFileSync(join(at, 'bundle.json'), '{"address":')],
    [
      'has a link out of the folder',
      (at: string) => {
        rmSync(join(at, 'files/1-a.png'));
        symlinkSync('/etc/hostname', join(at, 'files/1-a.png'));
      },
    ],
  ])('that %s is not opened, and is repaired when it is stored again', async (_, damage) => {
    const hash = await store.put(page, never);
    damage(join(folder, hash));
    await expect(store.open(hash)).rejects.toThrow(
      /^is (damaged: (files\/1-a\.png|bundle\.json)|not stored on this machine)$/,
    );
    expect(await store.put(page, never)).toBe(hash);
    expect(await store.open(hash)).toEqual(page);
  });

  test('is damaged if bundle.json and the files were changed together, because its name no longer matches', async () => {
    const [hash, other] = [await store.put(page, never), await store.put(ofSize('b'), never)];
    for (const name of ['index.html', 'bundle.json']) {
      execFileSync('cp', [join(folder, other, name), join(folder, hash, name)]);
    }
    await expect(store.open(hash)).rejects.toThrow('is damaged: bundle.json');
  });
});

test('a bundle whose files differ from its document, or lead out of its folder, is not stored', async () => {
  const lying = {
    ...page,
    files: [...page.files.slice(0, 1), {path: 'files/1-a.png', bytes: Buffer.from('b')}],
  };
  await expect(store.put(lying, never)).rejects.toThrow('is damaged: files/1-a.png');
  await expect(store.put({...page, files: page.files.slice(1)}, never)).rejects.toThrow('is damaged');
  const objects = [...page.document.objects, ...page.document.objects.slice(1)];
  await expect(store.put({...page, document: {...page.document, objects}}, never)).rejects.toThrow('is damaged');
  for (const path of ['../a', '/tmp/a', 'files/../../a', 'files/.a', 'bundle.json', 'files/a/b']) {
    await expect(store.put(bundleOf({'index.html': '', [path]: 'a'}), never)).rejects.toThrow('is damaged');
  }
  await expect(store.put(bundleOf({'files/a': ''}), never)).rejects.toThrow('is damaged');
  expect(readdirSync(folder)).toEqual([]);
});

test.each(['', 'a'.repeat(64), '../a', 'A'.repeat(64)])(
  'a bundle that is not stored (%j) cannot be opened',
  async hash => {
    await expect(store.open(hash)).rejects.toThrow('is not stored on this machine');
  },
);

describe('the store', () => {
  test('lists its bundles, the most recently used first', async () => {
    expect(await store.list()).toEqual([]);
    const [first, second] = [await store.put(ofSize('a'), never), await store.put(ofSize('b'), never)];
    age(first, 2);
    age(second, 1);
    const listed = async () => (await store.list()).map(({document, bytes}) => [document.address, bytes]);
    expect(await listed()).toEqual([
      ['https://b.test/', 1000],
      ['https://a.test/', 1000],
    ]);
    await store.open(first);
    expect((await listed())[0]).toEqual(['https://a.test/', 1000]);
    age(first, 2);
    await store.put(ofSize('a'), never);
    expect((await listed())[0]).toEqual(['https://a.test/', 1000]);
  });

  test('removes the least recently used bundles if all together are too large', async () => {
    const small = new BundleStore({folder, mostBytes: 3000});
    const hashes: string[] = [];
    for (const name of ['a', 'b', 'c']) hashes.push(await small.put(ofSize(name), never));
    for (const [i, hash] of hashes.entries()) age(hash, 3 - i);
    await small.open(hashes[0] ?? '');
    await small.put(ofSize('d'), never);
    const addresses = (await small.list()).map(({document}) => document.address).sort();
    expect(addresses).toEqual(['https://a.test/', 'https://c.test/', 'https://d.test/']);
    expect(readdirSync(folder)).toHaveLength(3);
  });

  test('counts bundles that were stored before it was opened, and no longer counts removed bundles', async () => {
    const hashes: string[] = [];
    for (const name of ['a', 'b', 'c']) hashes.push(await store.put(ofSize(name), never));
    for (const [i, hash] of hashes.entries()) age(hash, 3 - i);
    const small = new BundleStore({folder, mostBytes: 3000});
    const listed = vi.spyOn(small, 'list');
    await small.put(ofSize('d'), never);
    expect(readdirSync(folder)).toHaveLength(3);
    await small.put(ofSize('d'), never);
    expect(listed).toHaveBeenCalledTimes(1);
    await small.put(ofSize('e'), never);
    expect(listed).toHaveBeenCalledTimes(2);
    expect(readdirSync(folder)).toHaveLength(3);
  });

  test('keeps bundles that are in use, even if all together are too large', async () => {
    const tiny = new BundleStore({folder, mostBytes: 1});
    const first = await tiny.put(ofSize('a'), never);
    const second = await tiny.put(ofSize('b'), never);
    expect(await tiny.open(first)).toEqual(ofSize('a'));
    age(first, 1);
    await tiny.put(ofSize('b'), never);
    expect(readdirSync(folder)).toEqual([second]);
  });

  test('removes what killed processes left behind', async () => {
    const hash = await store.put(page, never);
    const start = hash.slice(0, 50);
    const killed = spawnSync(process.execPath, ['-e', '']).pid;
    const names = [
      `${start}.01234567.part`,
      `${start}.${ownerName(killed)}-01234567.part`,
      `${start}.89abcdef.part`,
      `${start}.${ownerName()}-01234567.part`,
      'mine.part',
    ];
    for (const name of names) mkdirSync(join(folder, name, 'files'), {recursive: true});
    age(names[0] ?? '', 2);
    age('mine.part', 2);
    await store.put(page, never);
    expect(names.map(name => existsSync(join(folder, name)))).toEqual([false, false, true, true, true]);
  });
});
