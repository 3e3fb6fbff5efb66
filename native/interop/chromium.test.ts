// Chromium loads a page from our server over TCP.
import {createHash} from 'node:crypto';
import {type Browser, chromium} from 'playwright-core';
import {afterAll, beforeAll, describe, expect, it} from 'vitest';
import {type LiveServer, startServer} from '../../main/live/server/liveServer.ts';
import {openPage} from '../../main/pages/openPage.ts';
import {findBrowser, launchSandboxed} from '../../main/setup/browser.mjs';

const executablePath = findBrowser();

describe.skipIf(executablePath === undefined)('a served page in Chromium', () => {
  let browser: Browser;
  let server: LiveServer;

  beforeAll(async () => {
    const args = ['--disable-gpu', '--disable-quic', '--no-first-run'];
    const launch = (chromiumSandbox: boolean) =>
      chromium.launch({executablePath: executablePath ?? '', args, chromiumSandbox});
    browser = await launchSandboxed(launch, () => undefined);
  }, 60_000);
  afterAll(() => browser?.close());
  afterAll(() => server?.close());

  it('arrives unchanged over TCP, and all its pictures are decoded', async () => {
    const served = await openPage({kind: 'named', name: 'gallery'}, 'fixtures/pages');
    server = await startServer({page: served, host: '127.0.0.1', port: 0, token: undefined});
    const page = await browser.newPage();
    const wrong: string[] = [];
    page.on('console', message => {
      // Chromium requests an icon by itself. The page has none.
      const isOfIcon = message.location().url.endsWith('/favicon.ico');
      if (message.type() === 'error' && !isOfIcon) wrong.push(message.text());
    });
    page.on('pageerror', error => wrong.push(error.message));
    const hashes = new Map<string, Promise<string>>();
    page.on('response', response => {
      const hash = response.body().then(body => createHash('sha256').update(body).digest('hex'));
      hashes.set(new URL(response.url()).pathname, hash);
    });
    await page.goto(`http://127.0.0.1:${server.port}/`, {waitUntil: 'networkidle'});
    const pictures = await page.$$eval('img', async all => {
      await Promise.all(all.map(each => each.decode()));
      return all.map(each => [each.complete, each.naturalWidth > 0]);
    });
    expect(pictures).toEqual(served.objects.slice(1).map(() => [true, true]));
    for (const {url, body} of served.objects) {
      const expected = createHash('sha256').update(body ?? new Uint8Array());
      expect(await hashes.get(new URL(url, 'http://a').pathname)).toBe(expected.digest('hex'));
    }
    expect(wrong).toEqual([]);
    await page.close();
  });
});
