import {mkdtempSync, rmSync, writeFileSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {afterAll, beforeAll, expect, test, vi} from 'vitest';
import {setupAssets} from './assets.ts';

type Handler = (request: {readonly url: string}) => Response;

const handlers = vi.hoisted(() => new Map<string, Handler>());
vi.mock('electron', () => ({
  protocol: {handle: (scheme: string, handler: Handler) => handlers.set(scheme, handler)},
}));

const folder = mkdtempSync(join(tmpdir(), 'interleave-assets-'));
beforeAll(() => {
  writeFileSync(join(folder, 'index.html'), 'the window');
  setupAssets(folder);
});
afterAll(() => rmSync(folder, {recursive: true}));

const get = (url: string) => handlers.get('app')?.({url});

test('the window’s page is served with its policy', async () => {
  const response = get('app://interleave/');
  expect([response?.status, await response?.text()]).toEqual([200, 'the window']);
  expect(response?.headers.get('Content-Security-Policy')).toContain("default-src 'none'");
});

test.each([
  'app://interleave.test/',
  'app://other/index.html',
  'app://interleave:81/',
  'app://user@interleave/',
  'app://interleave/../index.js',
  'app://interleave/nothing.html',
])('%s is not served', url => {
  expect(get(url)?.status).toBe(404);
});
