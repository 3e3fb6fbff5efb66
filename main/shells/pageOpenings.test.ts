import {mkdirSync, mkdtempSync, rmSync, writeFileSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {pathToFileURL} from 'node:url';
import {afterAll, beforeEach, describe, expect, test, vi} from 'vitest';
import {LARGEST_PIECE_BYTES, MOST_SENT_BYTES, type OpeningProgress} from '../../app/host/contract.ts';
import {listenGateway} from '../pages/gateway/listeningGateway.ts';
import {openFiles} from '../pages/open/openFiles.ts';
import {RECORDING} from '../pages/store/bundle.ts';
import {BundleStore} from '../pages/store/bundleStore.ts';
import {bundleOf} from '../pages/store/testing/bundleOf.ts';
import {PageOpenings} from './pageOpenings.ts';
import {SentFiles} from './sentFiles.ts';

const folder = mkdtempSync(join(tmpdir(), 'interleave-openings-'));
const store = new BundleStore({folder: join(folder, 'pages')});
afterAll(() => rmSync(folder, {recursive: true}));

/**
 * Stands in for the gateway's process. If it gets files, its page is a list of them. If it gets an address, the answer
 * depends on this address.
 */
const module = pathToFileURL(join(folder, 'process.mjs'));
writeFileSync(
  module,
  `import {createHash} from 'node:crypto';
  const bundleOf = (address, text) => {
    const bytes = Buffer.from(text);
    const sha256 = createHash('sha256').update(bytes).digest('hex');
    const index = {address, file: 'index.html', type: 'text/html', bytes: bytes.length, sha256};
    const leftOut = [{address: 'a', why: 'b'}];
    const document = {address, date: '2026-01-01', objects: [index], leftOut, notLoaded: ['1 script']};
    const files = [{path: 'index.html', bytes}];
    if (address === 'recording' && text === 'recorded') {
      files.push({path: '${RECORDING}', bytes});
      document.objects.push({...index, file: '${RECORDING}'});
    }
    return {files, document};
  };
  process.on('disconnect', () => process.exit());
  process.once('message', ({files, path, address, isPrivateAllowed, usesBrowser}) => {
    const listed = path ?? files?.map(({path, bytes}) => path + ': ' + Buffer.from(bytes)).join();
    process.send({type: 'progress', done: 1, all: 2});
    if (address === 'waits') setInterval(() => {}, 1000);
    else if (address === 'private' && !isPrivateAllowed)
      process.send({type: 'refused', why: 'it is 10.0.0.7', isPrivate: true});
    else if (listed === '') process.send({type: 'refused', why: 'there is nothing', isPrivate: false});
    else process.send({type: 'bundle', bundle: bundleOf(address ?? 'files', listed ?? (usesBrowser ? 'recorded' : 'fetched'))});
  });`,
);

let told: OpeningProgress[] = [];
const openings = new PageOpenings({module, store, onProgress: progress => void told.push(progress)});
beforeEach(() => {
  told = [];
});

const base64 = (text: string) => Buffer.from(text).toString('base64');

async function kept(answer: ReturnType<PageOpenings['openSent']>): Promise<string> {
  const opened = await answer;
  if (!opened.ok) throw new Error(opened.message);
  return opened.page.bundle;
}

describe('pages that a window opens', () => {
  test('files are joined from their pieces in order, and stored', async () => {
    for (const [path, text] of [
      ['a/index.html', 'on'],
      ['a/b.png', ''],
      ['a/index.html', 'e'],
    ] as const)
      openings.sendPiece('first', path, base64(text));
    openings.sendPiece('other', 'c', base64('of another window'));
    const hash = await kept(openings.openSent('first'));
    const {files} = await store.open(hash);
    expect(Buffer.from(files[0]?.bytes ?? []).toString()).toBe('a/index.html: one,a/b.png: ');
    // the files were forgotten when they were opened
    expect(await openings.openSent('first')).toMatchObject({ok: false, message: 'there is nothing'});
    expect((await openings.keptPages())[0]).toEqual({page: {bundle: hash, name: 'files'}, bytes: 27});
    expect(await openings.aboutPage(hash)).toEqual({
      page: {bundle: hash, name: 'files'},
      date: '2026-01-01',
      notLoaded: ['1 script'],
      leftOut: [{address: 'a', why: 'b'}],
    });
  });

  test('a private address is refused with the reason, and is fetched if private addresses are allowed', async () => {
    const refused = await openings.openAddress('one', 'private', false, false);
    expect(refused).toEqual({ok: false, problems: [], message: 'it is 10.0.0.7', isPrivate: true});
    const hash = await kept(openings.openAddress('two', 'private', true, false));
    expect((await store.open(hash)).document.address).toBe('private');
    expect(told).toEqual(['one', 'two'].map(opening => ({opening, done: 1, all: 2})));
  });

  test('an address is loaded by an installed Chromium if the window asks for it', async () => {
    const htmlOf = async (usesBrowser: boolean) => {
      const hash = await kept(openings.openAddress('a', 'a', false, usesBrowser));
      const {files} = await store.open(hash);
      return Buffer.from(files[0]?.bytes ?? []).toString();
    };
    expect([await htmlOf(true), await htmlOf(false)]).toEqual(['recorded', 'fetched']);
  });

  test('a page with a recording says so when it is opened, and when it is listed again', async () => {
    const recorded = await openings.openAddress('r', 'recording', false, true);
    expect(recorded).toMatchObject({ok: true, isRecorded: true});
    expect((await openings.keptPages())[0]).toMatchObject({page: recorded.ok && recorded.page, isRecorded: true});
    expect(await openings.openAddress('r', 'recording', false, false)).not.toHaveProperty('isRecorded');
    expect((await openings.keptPages())[0]).not.toHaveProperty('isRecorded');
  });

  test('cancelling ends an opening while its files are being sent or its address is being fetched', async () => {
    const fetched = openings.openAddress('waits', 'waits', false, false);
    openings.sendPiece('waits', 'a', base64('a'));
    await expect.poll(() => told.length).toBe(1);
    openings.cancel('waits');
    expect(await fetched).toMatchObject({ok: false, message: 'cancelled'});
    expect(await openings.openSent('waits')).toMatchObject({ok: false, message: 'there is nothing'});
  });

  test('a saved page opens again as the same page', async () => {
    const bundle = bundleOf({'index.html': '<img src="files/1-a.png">', 'files/1-a.png': 'a'});
    const hash = await store.put(bundle, new AbortController().signal);
    const saved = await openings.savePage(hash);
    if (!saved.ok) throw new Error(saved.message);
    const opened = await openFiles([{path: 'any.zip', bytes: saved.zip}], new AbortController().signal);
    expect(await store.put(opened, new AbortController().signal)).toBe(hash);
    expect(opened.document).toEqual(bundle.document);
  });

  test('a scenario’s page is opened only if it is a file or a folder without an index.html', async () => {
    const file = join(folder, 'page.HTML');
    writeFileSync(file, '');
    const resolved = await openings.resolved(file);
    const [first] = await openings.keptPages();
    expect(resolved).toEqual({ok: true, page: first?.page});
    expect(Buffer.from((await store.open(first?.page.bundle ?? '')).files[0]?.bytes ?? []).toString()).toBe(file);
    const own = join(folder, 'own');
    mkdirSync(own);
    expect(await openings.resolved(own)).toMatchObject({ok: true, page: {bundle: expect.any(String)}});
    writeFileSync(join(own, 'index.html'), '');
    for (const page of ['gallery', 'main', `${file}.html`, own, 'https://a.test/a.html', 'a\0.html', {synthetic: {}}])
      expect(await openings.resolved(page)).toEqual({ok: true, page});
  });

  test('a page that is not stored is reported without an exception', async () => {
    const none = 'b'.repeat(64);
    expect(await openings.aboutPage(none)).toBeNull();
    expect(await openings.aboutPage({})).toBeNull();
    expect(await openings.savePage(none)).toMatchObject({ok: false, message: 'the page is not stored on this machine'});
  });

  test('the gateway that the environment names fetches the page', async () => {
    const asked: string[] = [];
    const gateway = await listenGateway({
      host: '127.0.0.1',
      port: 0,
      token: '0123456789abcdef',
      isPrivateAllowed: false,
      module,
      onAnswer: ({address}) => void asked.push(address),
    });
    vi.stubEnv('INTERLEAVE_GATEWAY', gateway.address);
    vi.stubEnv('INTERLEAVE_GATEWAY_TOKEN', '0123456789abcdef');
    expect(await openings.openAddress('a', 'through it', false, false)).toMatchObject({ok: true});
    expect(asked).toEqual(['through it']);
    expect(told).toEqual([{opening: 'a', done: 1, all: 2}]);
    // that machine has no browser of this user
    expect(await openings.openAddress('a', 'b', false, true)).toMatchObject({
      ok: false,
      message: expect.stringMatching(/^INTERLEAVE_GATEWAY is set, so another machine fetches pages/),
    });
    expect(asked).toEqual(['through it']);
    vi.unstubAllEnvs();
    await gateway.close();
  });

  test('a wrong gateway address in the environment is reported', async () => {
    vi.stubEnv('INTERLEAVE_GATEWAY', 'nowhere');
    expect(await openings.openAddress('a', 'b', false, false)).toMatchObject({
      message: 'gateway is nowhere: must be like http://192.0.2.1:8470',
    });
    vi.unstubAllEnvs();
  });
});

describe('sent files', () => {
  const piece = Buffer.alloc(LARGEST_PIECE_BYTES).toString('base64');
  const most = Math.floor(MOST_SENT_BYTES / LARGEST_PIECE_BYTES);

  test('have a limit, and the oldest openings are removed first', () => {
    const sent = new SentFiles();
    for (let k = 0; k < most; k++) sent.add('gone', 'a', piece);
    for (let k = 0; k < most; k++) sent.add('new', String(k), piece);
    expect(sent.take('gone')).toEqual([]);
    expect(() => sent.add('new', 'more', piece)).toThrow(RangeError);
    expect(sent.take('new')).toEqual([]);
    for (const opening of ['a', 'b', 'c', 'd', 'e']) sent.add(opening, 'x', '');
    expect(sent.take('a')).toEqual([]);
    expect(sent.take('e')).toHaveLength(1);
  });

  test('are refused unless pieces are texts of limited size and paths are of limited length', () => {
    const sent = new SentFiles();
    expect(() => sent.add('a', 'b', 1)).toThrow(TypeError);
    expect(() => sent.add('a', {}, '')).toThrow(TypeError);
    expect(() => sent.add('a', 'b', `${piece}AAAA`)).toThrow(RangeError);
    expect(() => sent.add('a', 'b'.repeat(5000), '')).toThrow(RangeError);
  });
});
