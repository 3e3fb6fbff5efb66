import {mkdtempSync, rmSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {afterAll, afterEach, expect, test, vi} from 'vitest';
import type {OpenedDocument} from '../../app/host/contract.ts';
import {type OpenedFiles, readOpenedFile} from './openedFile.ts';
import {PageOpenings} from './pageOpenings.ts';
import {ShellHost} from './shellHost.ts';

const folder = mkdtempSync(join(tmpdir(), 'interleave-host-'));
vi.stubEnv('XDG_CACHE_HOME', folder);
afterAll(() => {
  vi.unstubAllEnvs();
  rmSync(folder, {recursive: true});
});

const captured = (name: string): OpenedFiles =>
  readOpenedFile(join(import.meta.dirname, '../../fixtures/captures', name));
const [FIRST, SECOND] = ['chromium-h1.netlog', 'chromium-h2.netlog'].map(captured) as [OpenedFiles, OpenedFiles];

let host: ShellHost | undefined;
afterEach(async () => {
  vi.restoreAllMocks();
  await host?.close();
});

/** A host that was started with a document. Its engine and its processes are never used. */
function hostOf(opened: OpenedFiles | null) {
  const module = new URL('data:text/javascript,setInterval(() => {}, 1000)');
  const made = new ShellHost({
    shell: 'web',
    root: folder,
    version: 'test',
    worker: module,
    gateway: module,
    live: module,
    opened,
    openStudio: () => Promise.reject(new Error('no browser')),
    moviesFolder: folder,
    userFolder: folder,
    showFile: () => undefined,
    setFullScreen: () => false,
  });
  host = made;
  const shown: string[] = [];
  made.on((event, value) => void (event === 'opened' && shown.push(textOf(value as OpenedDocument))));
  return {
    open: (document: OpenedFiles) => made.open(document),
    /** Starts a window, and returns the document that it gets. */
    start: async () => textOf(((await made.call('start', [])) as {readonly opened: OpenedDocument}).opened),
    /** The documents that open windows were told to show. */
    shown,
  };
}

const textOf = ({name, problem, traces}: OpenedDocument): string =>
  problem ?? `${name} with ${traces?.length ?? 'no'} traces`;

test('two windows that start at the same time both get the loads of the opened captures', async () => {
  const {start} = hostOf(FIRST);
  expect(await Promise.all([start(), start()])).toEqual(Array(2).fill('chromium-h1.netlog with 1 traces'));
});

test('captures that are opened while a window starts replace the captures before them', async () => {
  const {open, start, shown} = hostOf(FIRST);
  const read = vi.spyOn(PageOpenings.prototype, 'readCaptures');
  const starting = start();
  await vi.waitUntil(() => read.mock.calls.length > 0, {interval: 1});
  open(SECOND);
  expect(await starting).toBe('chromium-h2.netlog with 1 traces');
  expect(shown).toEqual(['chromium-h2.netlog with 1 traces']);
  expect(await start()).toBe('chromium-h2.netlog with 1 traces');
});

test('captures whose reading ends late do not replace a document that was opened after them', async () => {
  const {open, start, shown} = hostOf(null);
  const read = vi.spyOn(PageOpenings.prototype, 'readCaptures');
  open(FIRST);
  open({name: 'demo', text: 'demo'});
  await read.mock.results[0]?.value;
  expect(await start()).toBe('demo with no traces');
  expect(shown).toEqual(['demo with no traces']);
});
