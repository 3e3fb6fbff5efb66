import {EventEmitter} from 'node:events';
import type {BrowserWindow, WebContents} from 'electron';
import {beforeAll, expect, test, vi} from 'vitest';
import type {ShellHost} from '../shellHost.ts';
import {setupIpc} from './ipc.ts';

type Handler = (event: {sender: unknown; senderFrame: unknown}) => unknown;

const handlers = vi.hoisted(() => new Map<string, Handler>());
vi.mock('electron', () => ({
  ipcMain: {handle: (call: string, handler: Handler) => handlers.set(call, handler)},
  protocol: {},
}));

const sender = {send: vi.fn()};
const studioPage = {};
const url = 'app://interleave/';

beforeAll(() => {
  const host = {call: async () => 'answer', on: () => () => undefined} as Partial<ShellHost> as ShellHost;
  setupIpc(
    host,
    Object.assign(new EventEmitter(), {webContents: sender}) as unknown as BrowserWindow,
    new Set([studioPage as WebContents]),
  );
});

test("the window's own page is answered", async () => {
  expect(await handlers.get('start')?.({sender, senderFrame: {parent: null, url}})).toBe('answer');
});

test('a page of which pictures are taken is answered', async () => {
  const event = {sender: studioPage, senderFrame: {parent: null, url: `${url}movie/stage.html`}};
  expect(await handlers.get('load')?.(event)).toBe('answer');
});

test.each([
  ["a frame in the window's own page", {sender, senderFrame: {parent: {parent: null, url}, url}}],
  ['the same page in another window', {sender: {}, senderFrame: {parent: null, url}}],
  ['another page', {sender, senderFrame: {parent: null, url: 'https://example.test/'}}],
  ['a page whose host has the same beginning', {sender, senderFrame: {parent: null, url: 'app://interleave.test/'}}],
  ['a page that was closed', {sender, senderFrame: null}],
])('%s is refused', (_, event) => {
  expect(() => handlers.get('start')?.(event)).toThrow('start was called by');
});
