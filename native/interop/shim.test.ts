// curl and Chromium load pages through both ends of our shim (main/live/shim).
import {execFile, spawnSync} from 'node:child_process';
import {createHash, randomBytes} from 'node:crypto';
import {once} from 'node:events';
import {mkdtempSync, rmSync, writeFileSync} from 'node:fs';
import {createServer, type Server} from 'node:http';
import type {AddressInfo} from 'node:net';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {buffer} from 'node:stream/consumers';
import {promisify} from 'node:util';
import {chromium} from 'playwright-core';
import {afterAll, afterEach, beforeEach, describe, expect, it} from 'vitest';
import {type LiveServer, startServer} from '../../main/live/server/liveServer.ts';
import {type FarShim, startFar} from '../../main/live/shim/far.ts';
import {type NearShim, startNear} from '../../main/live/shim/near.ts';
import {openPage} from '../../main/pages/openPage.ts';
import {findBrowser, launchSandboxed} from '../../main/setup/browser.mjs';

const run = promisify(execFile);
const page = await openPage({kind: 'named', name: 'gallery'}, 'fixtures/pages');
const folder = mkdtempSync(join(tmpdir(), 'interleave-shim-'));
let server: LiveServer;
let far: FarShim;
let near: NearShim;
let proxy: string;

beforeEach(async () => {
  const at = {host: '127.0.0.1', port: 0};
  server = await startServer({...at, page, token: undefined});
  const origin = new URL(`http://127.0.0.1:${server.port}`);
  far = await startFar({...at, token: 'T', origin, isPrivateAllowed: true});
  near = await startNear({...at, to: {host: '127.0.0.1', port: far.port}, token: 'T'});
  proxy = `http://127.0.0.1:${near.port}`;
});
afterEach(async () => {
  await near.close();
  await far.close();
  await server.close();
});
afterAll(() => rmSync(folder, {recursive: true}));

function shaOf(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}

async function fileShas(files: readonly string[]): Promise<string[]> {
  const {stdout} = await run('sha256sum', files);
  return stdout
    .trim()
    .split('\n')
    .map(line => line.slice(0, 64));
}

const hasCurl = spawnSync('curl', ['--version']).status === 0;

describe.skipIf(!hasCurl)(`the shim with curl${hasCurl ? '' : ' (skipped: curl is missing)'}`, () => {
  for (const [way, options] of [
    ['a proxy', () => ['-x', proxy, `http://127.0.0.1:${server.port}`]],
    ['a server', () => [proxy]],
  ] as const) {
    it(`delivers a page unchanged as ${way}, with parallel requests`, async () => {
      const [base = '', ...before] = options().reverse();
      const files = page.objects.map((_, object) => join(folder, `${object}`));
      const urls = page.objects.flatMap(({url}, at) => [`${base}${url}`, '-o', files[at] ?? '']);
      await run('curl', ['-sSf', '--parallel', ...before.reverse(), ...urls]);
      expect(await fileShas(files)).toEqual(page.objects.map(({body}) => shaOf(body ?? new Uint8Array())));
      expect(far.peers()).toBe(1);
    });
  }

  it('carries large bodies in both directions, and reports an incomplete one', async () => {
    const body = randomBytes(4_000_000);
    const other = createServer(async (incoming, response) => {
      if (incoming.method === 'PUT') response.end(shaOf(await buffer(incoming)));
      else if (incoming.url === '/whole') response.end(body);
      else {
        response.write(body.subarray(0, 1_000_000));
        setTimeout(() => void far.close(), 100);
      }
    });
    const origin = await listening(other);
    const [sent, got] = [join(folder, 'sent'), join(folder, 'got')];
    writeFileSync(sent, body);
    try {
      const {stdout} = await run('curl', ['-sSf', '-x', proxy, '-T', sent, `${origin}/`]);
      expect(stdout).toBe(shaOf(body));
      await run('curl', ['-sSf', '-x', proxy, '-o', got, `${origin}/whole`]);
      expect(await fileShas([got])).toEqual([shaOf(body)]);
      // Exit code 18 means that the file is incomplete, 56 that the connection was reset.
      const cut = run('curl', ['-sSf', '-x', proxy, '-o', got, `${origin}/cut`]);
      expect([18, 56]).toContain(((await cut.catch((error: unknown) => error)) as {code: number}).code);
    } finally {
      other.closeAllConnections();
      other.close();
    }
    far = await startFar({
      host: '127.0.0.1',
      port: far.port,
      token: 'T',
      origin: undefined,
      isPrivateAllowed: true,
    });
    const {stdout} = await run('curl', ['-sSf', '-x', proxy, `http://127.0.0.1:${server.port}/`]);
    expect(shaOf(Buffer.from(stdout))).toBe(shaOf(page.objects[0]?.body ?? new Uint8Array()));
  });
});

const executablePath = findBrowser();

describe.skipIf(executablePath === undefined)('Chromium with the shim as its proxy', () => {
  it('loads the page with every picture', async () => {
    // Chromium uses the proxy for loopback addresses, too.
    const args = ['--disable-gpu', `--proxy-server=${proxy}`, '--proxy-bypass-list=<-loopback>'];
    const launch = (chromiumSandbox: boolean) =>
      chromium.launch({executablePath: executablePath ?? '', args, chromiumSandbox});
    const browser = await launchSandboxed(launch, () => undefined);
    try {
      const window = await browser.newPage();
      await window.goto(`http://127.0.0.1:${server.port}/`);
      await window.waitForLoadState('load');
      const pictures = await window.$$eval('img', images => images.map(({naturalWidth}) => naturalWidth));
      expect(pictures).toHaveLength(page.objects.filter(({url}) => /\.(jpe?g|png)$/.test(url)).length);
      expect(Math.min(...pictures)).toBeGreaterThan(0);
      // The far end has one peer, so Chromium has used the shim.
      expect(far.peers()).toBe(1);
    } finally {
      await browser.close();
    }
  });
});

async function listening(one: Server): Promise<string> {
  one.listen(0, '127.0.0.1');
  await once(one, 'listening');
  return `http://127.0.0.1:${(one.address() as AddressInfo).port}`;
}
