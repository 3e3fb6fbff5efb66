import {execFileSync} from 'node:child_process';
import {
  appendFileSync,
  mkdirSync,
  mkdtempSync,
  rmSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import {createServer} from 'node:net';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {fileURLToPath} from 'node:url';
import {afterEach, beforeEach, describe, expect, test} from 'vitest';
import type {PageSnapshot} from '../../app/page/page.ts';
import {cacheFolder} from '../files/cache.ts';
import {findFile, readFound} from '../files/folderFile.ts';
import {openPage} from './openPage.ts';
import {writeBundle} from './store/bundleFolder.ts';
import {BundleStore} from './store/bundleStore.ts';
import {bundleOf} from './store/testing/bundleOf.ts';

const fixtures = fileURLToPath(new URL('../../fixtures/pages', import.meta.url));
let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'interleave-pages-'));
});
afterEach(() => rmSync(folder, {recursive: true, force: true}));

const open = (name = folder): Promise<PageSnapshot> => openPage({kind: 'named', name}, fixtures);
const write = (name: string, content: string | Uint8Array = name): void => writeFileSync(join(folder, name), content);
const sizes = ({objects}: PageSnapshot) => objects.map(({url, body}) => [url, body?.length ?? null]);

describe('a snapshot of a page', () => {
  test('has a hash of everything that is loaded', async () => {
    write('index.html', '<img src=a.png><img src=gone.png>');
    write('a.png', 'one');
    const first = await open();
    expect(first.hash).toMatch(/^[0-9a-f]{64}$/);
    expect(sizes(first)).toEqual([
      ['/', 33],
      ['/a.png', 3],
      ['/gone.png', null],
    ]);
    expect((await open()).hash).toBe(first.hash);
    write('beside.png');
    expect((await open()).hash).toBe(first.hash);
    write('a.png', 'two');
    const second = await open();
    expect(second.hash).not.toBe(first.hash);
    write('a.png', 'one');
    write('gone.png', '');
    const hashes = [first.hash, second.hash, (await open()).hash];
    expect(new Set(hashes).size).toBe(3);
  });

  test('has the same hash for another folder with the same content', async () => {
    write('index.html', '<img src=a.png>');
    const before = await open();
    const other = join(folder, 'other');
    mkdirSync(other);
    writeFileSync(join(other, 'index.html'), '<img src=a.png>');
    expect((await open(other)).hash).toBe(before.hash);
  });

  test('names what was left out of the page', async () => {
    write('secret.png', 'of another folder');
    const page = join(folder, 'page');
    mkdirSync(page);
    writeFileSync(
      join(page, 'index.html'),
      `<img src=out.png><img src=loop.png><img src=pipe.png><img src=zero.png><img src=dir><img src=in.png>
      <img src="/a%00b.png"><img src=${'x'.repeat(300)}.png>`,
    );
    symlinkSync(join(folder, 'secret.png'), join(page, 'out.png'));
    symlinkSync('loop.png', join(page, 'loop.png'));
    execFileSync('mkfifo', [join(page, 'pipe.png')]);
    symlinkSync('/dev/zero', join(page, 'zero.png'));
    mkdirSync(join(page, 'dir'));
    writeFileSync(join(page, 'real.png'), '12345');
    symlinkSync('real.png', join(page, 'in.png'));
    const opened = await open(page);
    expect(opened.leftOut).toEqual([
      '/out.png: it is a link that leads out of the folder',
      '/loop.png: it is a link to itself',
      '/pipe.png: it is a FIFO',
      '/zero.png: it is a link that leads out of the folder',
    ]);
    expect(opened.objects.map(({body}) => body?.length ?? null).slice(1)).toEqual([
      ...Array(5).fill(null),
      5,
      null,
      null,
    ]);
  });

  test('names only the first ten of 999 objects that were left out', async () => {
    write('index.html', Array.from({length: 999}, (_, i) => `<img src=${i}.png>`).join(''));
    for (let i = 0; i < 999; i++) symlinkSync('/etc/passwd', join(folder, `${i}.png`));
    const {leftOut} = await open();
    expect(leftOut).toHaveLength(11);
    expect(leftOut[10]).toBe('and 989 more');
  });

  test('contains the beginning of HTML that exceeds the limits', async () => {
    write('index.html', '<div>'.repeat(80_000) + '</x>'.repeat(80_000));
    const {objects, leftOut} = await open();
    expect(objects[0]?.body?.length).toBe(2560);
    expect(leftOut).toEqual(['index.html: it is cut at byte 2560 of 720000: its tags are nested more than 512 deep']);
  });

  test('reads only the part of a sparse index.html that is loaded', async () => {
    write('index.html', 'text');
    truncateSync(join(folder, 'index.html'), 2 ** 40);
    const {objects, leftOut} = await open();
    expect(objects[0]?.body?.length).toBe(1_000_000);
    expect(leftOut).toEqual(['index.html: it is cut at byte 1000000 of 1099511627776: it has more than 1000000 bytes']);
  });
});

describe('a stored bundle', () => {
  const never = new AbortController().signal;
  const bundle = bundleOf({
    'index.html': '<img src=files/1-a.png><img src=files/2-b.png>',
    'files/1-a.png': 'a',
  });
  const name = 'https://a.test/';
  test('has addresses on the web, which are not part of its hash; a fixture has no such addresses', async () => {
    const opened = await openBundle(await new BundleStore().put(bundle, never));
    expect(opened.objects.map(({address}) => address)).toEqual(
      opened.objects.map(({url, body}) =>
        body === null ? undefined : `https://a.test/${url === '/' ? 'index.html' : url.slice(1)}`,
      ),
    );
    expect(opened.objects.length).toBeGreaterThan(1);
    const objects = bundle.document.objects.map(each => ({...each, address: `site/${each.file}`}));
    const local = {...bundle, document: {...bundle.document, objects}};
    const files = await openBundle(await new BundleStore().put(local, never));
    expect(files.hash).toBe(opened.hash);
    const named = await openPage({kind: 'named', name: 'r02'}, fixtures);
    for (const {address} of named.objects) expect(address).toBeUndefined();
  });
  const openBundle = (hash: string) => openPage({kind: 'bundle', bundle: hash, name}, fixtures);

  test('gives the same page as the folder of its files, but under its own name', async () => {
    const opened = await openBundle(await new BundleStore().put(bundle, never));
    expect(opened.name).toBe(name);
    expect(sizes(opened)).toEqual([
      ['/', 46],
      ['/files/1-a.png', 1],
      ['/files/2-b.png', null],
    ]);
    await writeBundle(join(folder, 'page'), bundle, never);
    expect((await open(join(folder, 'page'))).hash).toBe(opened.hash);
  });

  test('is refused if its recording cannot be read', async () => {
    const page = join(folder, 'page');
    mkdirSync(join(page, 'files'), {recursive: true});
    writeFileSync(join(page, 'index.html'), '<p>text');
    const objects = ['index.html', 'files/recording.json'].map(file => ({
      address: `http://a.test/${file}`,
      file,
      type: 'text/html',
      bytes: 7,
      sha256: '0'.repeat(64),
    }));
    const document = {address: 'http://a.test/', date: '2026-01-01T00:00:00Z', objects, leftOut: [], notLoaded: []};
    writeFileSync(join(page, 'bundle.json'), JSON.stringify(document));
    execFileSync('mkfifo', [join(page, 'files/recording.json')]);
    await expect(open(page)).rejects.toThrow(`page: ${page} cannot be read: files/recording.json: it is a FIFO`);
  });

  test('names what was left out of it', async () => {
    const leftOut = [{address: 'https://b.test/\u001b[2J.png', why: 'no server answers at this address'}];
    const document = {...bundle.document, notLoaded: ['3 scripts', '2 videos'], leftOut};
    const hash = await new BundleStore().put({...bundle, document}, never);
    const lines = ['3 scripts, 2 videos', 'https://b.test/\\u{1b}[2J.png: no server answers at this address'];
    expect((await openBundle(hash)).leftOut).toEqual(lines);
    await writeBundle(join(folder, 'page'), {...bundle, document}, never);
    expect((await open(join(folder, 'page'))).leftOut).toEqual(lines);
    writeFileSync(join(folder, 'page/bundle.json'), '{"notLoaded":["3 scripts"]}');
    expect((await open(join(folder, 'page'))).leftOut).toEqual([]);
    truncateSync(join(folder, 'page/bundle.json'), 2 ** 40);
    expect((await open(join(folder, 'page'))).leftOut).toEqual([]);
    rmSync(join(folder, 'page/bundle.json'));
    symlinkSync('/dev/zero', join(folder, 'page/bundle.json'));
    expect((await open(join(folder, 'page'))).leftOut).toEqual([]);
  });

  test('that is damaged or was removed is refused with its name and address', async () => {
    const hash = await new BundleStore().put(bundle, never);
    const place = join(cacheFolder('pages'), hash);
    appendFileSync(join(place, 'index.html'), ' ');
    const end = `(bundle ${hash.slice(0, 12)}…); open it again from its address or file`;
    await expect(openBundle(hash)).rejects.toThrow(`page: https://a.test/ is damaged: index.html ${end}`);
    rmSync(place, {recursive: true});
    await expect(openBundle(hash)).rejects.toThrow(`page: https://a.test/ is not stored on this machine ${end}`);
  });
});

describe('a page is refused in one line', () => {
  const refusal = (name?: string): Promise<string> =>
    open(name).then(
      () => 'it was opened',
      (error: Error) => `${error.name}: ${error.message}`,
    );

  test('if an object is too large, before the object is read', async () => {
    write('index.html', Array.from({length: 12}, (_, i) => `<img src=${i}.png>`).join(''));
    for (let i = 0; i < 12; i++) {
      write(`${i}.png`, '');
      truncateSync(join(folder, `${i}.png`), 2 ** 30);
    }
    const before = process.memoryUsage().arrayBuffers;
    expect(await refusal()).toBe(
      `PageError: page: ${folder} is too large: /0.png has 1073741824 bytes, and with it the page has 1073742006 bytes (at most 100000000)`,
    );
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(1e8);
  });

  test('if many files are too large together', async () => {
    write('index.html', Array.from({length: 12}, (_, i) => `<img src=${i}.png>`).join(''));
    for (let i = 0; i < 12; i++) {
      write(`${i}.png`, '');
      truncateSync(join(folder, `${i}.png`), 9e6);
    }
    expect(await refusal()).toMatch(/\/11\.png has 9000000 bytes, and with it the page has 108000182 bytes /);
  });

  test.each([
    ['a FIFO', (path: string) => execFileSync('mkfifo', [path]), 'it is a FIFO'],
    ['a link to a device', (path: string) => symlinkSync('/dev/zero', path), 'it is a link that leads out'],
    ['a link to itself', (path: string) => symlinkSync('index.html', path), 'it is a link to itself'],
  ])('if index.html is %s', async (_, make, why) => {
    make(join(folder, 'index.html'));
    expect(await refusal()).toContain(`page: ${folder} cannot be read: index.html: ${why}`);
  });

  test('if index.html is a socket', async () => {
    const server = createServer();
    await new Promise<void>(resolve => server.listen(join(folder, 'index.html'), resolve));
    expect(await refusal()).toContain('index.html: it is a socket');
    server.close();
  });

  test.each([
    ['a NUL in its name', '\0', 'PageError: page: \\u{0} cannot exist: a name cannot contain U+0000'],
    ['a name of 100 MB', 'x'.repeat(1e8), `page: ${'x'.repeat(60)}… has a name of 100000000 characters`],
    ['a name that a terminal would obey', '\u001b]0;x\u0007\u009b2J', 'page: \\u{1b}]0;x\\u{7}\\u{9b}2J is'],
    ['a name with a line end', 'a\nb', 'page: a\\u{a}b is neither'],
    ['a file in place of a folder', '/etc/passwd', "/etc/passwd is neither a page's name nor a file or folder that"],
    ['a folder without index.html', '/dev', 'page: /dev has no index.html'],
    ['a lone surrogate in its name', '\ud800', 'page: \\u{d800} is neither'],
  ])('if there is %s', async (_, name, line) => {
    expect(await refusal(name)).toContain(line);
  });

  test.each([
    ['it grows', (path: string) => appendFileSync(path, 'more')],
    ['it shrinks', (path: string) => truncateSync(path, 2)],
    ['it is written again', (path: string) => utimesSync(path, 1, 1)],
    [
      'a FIFO takes its place',
      (path: string) => {
        rmSync(path);
        execFileSync('mkfifo', [path]);
      },
    ],
  ])('if a file changes while it is read: %s', async (_, change) => {
    write('a.png', 'content');
    const found = await findFile(folder, 'a.png');
    if (found === undefined) throw new Error('not found');
    change(found.path);
    await expect(readFound(found)).rejects.toThrow('it changed while it was read: load it again');
  });
});
