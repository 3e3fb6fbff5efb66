import {spawn, spawnSync} from 'node:child_process';
import {once} from 'node:events';
import {chmodSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync} from 'node:fs';
import {createServer, request as httpRequest} from 'node:http';
import {type AddressInfo, connect, type Socket} from 'node:net';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {text} from 'node:stream/consumers';
import {fileURLToPath} from 'node:url';
import {decode, encode} from '@msgpack/msgpack';
import {afterAll, afterEach, beforeAll, describe, expect, test} from 'vitest';
import {WebSocket} from 'ws';
import {offeredProtocols} from '../app/host/webKey.ts';
import {openChromiumStudio} from '../main/media/studio/chromiumStudio.ts';
import type {WebShell} from '../main/shells/webShell.ts';
import {openBrowser, openShell, whySkipped} from './window.ts';

// Tests what the web shell gives to others than the window: to other programs, and to other pages in the same browser.

let shell: WebShell;
let url: URL;
let key: string;
beforeAll(async () => {
  shell = await openShell();
  url = new URL(shell.newAddress());
  key = keyIn((await get(url.pathname + url.search)).body) ?? '';
});
afterAll(() => shell.close());

test('an address gives the key once, in a page that is not cached', async () => {
  const {pathname, search} = new URL(shell.newAddress());
  const {status, headers, body} = await get(pathname + search);
  expect([status, keyIn(body)]).toEqual([200, key]);
  expect(headers).toMatchObject({'cache-control': 'no-store', 'referrer-policy': 'no-referrer'});
  expect(headers).not.toHaveProperty('set-cookie');
  expect(body).not.toContain(search);
  const second = await get(pathname + search);
  expect([second.status, keyIn(second.body)]).toEqual([403, undefined]);
});

test('the key is not the token, and no page that is requested without a token contains the key', async () => {
  expect(key).toMatch(/^\w{64}$/);
  expect(key).not.toBe(url.searchParams.get('token'));
  const {body} = await get('/');
  const files = [...body.matchAll(/"\.(\/assets\/[^"]+)"/g)].map(([, path]) => path ?? '');
  expect(files.length).toBeGreaterThan(2);
  for (const path of ['/', '/movie/stage.html', ...files]) {
    const {status, body} = await get(path);
    expect([status, body.includes(key)], path).toEqual([200, false]);
  }
});

describe('an address in a file', () => {
  test('is readable for this user only, and removed once it is used', async () => {
    const file = new URL(shell.newFileAddress());
    const [token] = /(?<=token=)\w{64}/.exec(readFileSync(file, 'utf8')) ?? [''];
    expect(file.href).not.toContain(token);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(statSync(new URL('.', file)).mode & 0o777).toBe(0o700);
    expect((await get(`/?token=${token}`)).status).toBe(200);
    expect(existsSync(new URL('.', file))).toBe(false);
  });

  test('that nobody has used is removed when the window closes', async () => {
    const other = await openShell();
    const file = new URL(other.newFileAddress());
    expect(existsSync(file)).toBe(true);
    await other.close();
    expect(existsSync(new URL('.', file))).toBe(false);
  });

  const isRoot = process.getuid?.() === 0;
  test.skipIf(!isRoot)(`cannot be read by another user${isRoot ? '' : ' (skipped: needs root)'}`, () => {
    const file = fileURLToPath(shell.newFileAddress());
    expect(spawnSync('cat', [file], {uid: 65534, gid: 65534}).status).toBe(1);
    expect(spawnSync('cat', [file]).status).toBe(0);
  });

  test.skipIf(whySkipped !== '')(`opens the window in a browser${whySkipped}`, async () => {
    const browser = await openBrowser();
    try {
      const page = await browser.newPage();
      await page.goto(shell.newFileAddress());
      await page.locator('html[data-state=ready]').waitFor();
      expect(page.url()).toBe(`${url.origin}/`);
    } finally {
      await browser.close();
    }
  });
});

const hasProc = existsSync('/proc/self/cmdline');
describe.skipIf(!hasProc)(`no command line holds a token${hasProc ? '' : ' (skipped: no /proc)'}`, () => {
  test.skipIf(whySkipped !== '')(`while a browser takes pictures${whySkipped}`, async () => {
    const tokens: string[] = [];
    const newAddress = (page: string) => {
      const address = shell.newAddress(page);
      tokens.push(new URL(address).searchParams.get('token') ?? '');
      return address;
    };
    const studio = await openChromiumStudio({origin: shell.origin, newAddress});
    try {
      await studio.openPage('movie/stage.html');
      expect(isSeen('--remote-debugging-pipe')).toBe(true);
      expect(tokens).toHaveLength(1);
      for (const secret of [...tokens, key]) expect(isSeen(secret)).toBe(false);
    } finally {
      await studio.close();
    }
  });

  test('while a browser is started for the window', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'interleave-browser-'));
    try {
      const browser = join(folder, 'browser');
      // a script instead of a browser: it writes its arguments to a file and keeps running
      writeFileSync(
        browser,
        `#!/bin/sh\nprintf '%s\\n' "$@" > ${folder}/fresh\nmv ${folder}/fresh ${folder}/args\nexec sleep 60\n`,
      );
      chmodSync(browser, 0o755);
      const env = {
        ...process.env,
        DISPLAY: ':0',
        INTERLEAVE_BROWSER: browser,
        ELECTRON_OVERRIDE_DIST_PATH: folder,
      };
      const start = join(import.meta.dirname, '../main/setup/start.mjs');
      const child = spawn(process.execPath, [start], {env, stdio: ['ignore', 'pipe', 'inherit']});
      const said: Buffer[] = [];
      child.stdout.on('data', data => said.push(data));
      const ended = once(child, 'exit');
      await expect.poll(() => existsSync(join(folder, 'args')) || child.exitCode).toBe(true);
      const [app = ''] = /(?<=--app=).*/.exec(readFileSync(join(folder, 'args'), 'utf8')) ?? [];
      const address = /(?<=url=)http:[^"]*/.exec(readFileSync(new URL(app), 'utf8'))?.[0] ?? '';
      const token = new URL(address).searchParams.get('token');
      expect(token).toMatch(/^\w{64}$/);
      expect(isSeen(token ?? '')).toBe(false);
      expect(String(Buffer.concat(said))).not.toContain(token);
      expect((await fetch(address)).status).toBe(200);
      child.kill('SIGINT');
      await ended;
      expect(existsSync(new URL(app))).toBe(false);
    } finally {
      rmSync(folder, {recursive: true});
    }
  });
});

describe('a request is refused', () => {
  test.each([
    ['with a wrong token', '/?token=0000'],
    ['with a token of the right length', `/?token=${'0'.repeat(64)}`],
    ['with an empty token', '/?token='],
  ])('%s', async (_, path) => {
    const {status, body} = await get(path);
    expect([status, keyIn(body)]).toEqual([403, undefined]);
  });

  test('under another Host, as by DNS rebinding', async () => {
    expect((await get('/', {host: 'evil.test'})).status).toBe(403);
    expect((await get('/', {host: `localhost:${url.port}`})).status).toBe(403);
  });

  test('with another method', async () => {
    expect((await get('/', {}, 'POST')).status).toBe(405);
  });
});

describe.skipIf(whySkipped !== '')(`another server of this machine${whySkipped}`, () => {
  test('gets neither the key nor access from a browser that has the window open', {tags: ['long']}, async () => {
    const heard: string[] = [];
    const other = createServer((request, response) => {
      heard.push(JSON.stringify([request.url, request.rawHeaders]));
      response.setHeader('content-type', 'text/html').end('<title>other</title>');
    });
    other.on('upgrade', (request, socket) => {
      heard.push(JSON.stringify([request.url, request.rawHeaders]));
      socket.destroy();
    });
    other.listen(0, '127.0.0.1');
    await once(other, 'listening');
    const browser = await openBrowser();
    try {
      const context = await browser.newContext();
      const page = await context.newPage();
      await page.goto(shell.newAddress());
      await page.locator('html[data-state=ready]').waitFor();
      expect([page.url(), await page.evaluate(() => history.length)]).toEqual([`${url.origin}/`, 2]);
      // after F5 the page is let in again
      await page.reload();
      await page.locator('html[data-state=ready]').waitFor();
      expect(await page.evaluate(() => Object.values(sessionStorage))).toContain(key);
      expect(await context.cookies()).toEqual([]);

      const address = `http://127.0.0.1:${(other.address() as AddressInfo).port}/`;
      for (const visitor of [await context.newPage(), page]) {
        await visitor.goto(address);
        const kept = await visitor.evaluate(() => [
          document.cookie,
          ...Object.values({...sessionStorage, ...localStorage}),
        ]);
        expect(kept).toEqual(['']);
        const outcome = await visitor.evaluate(
          addresses =>
            Promise.all(
              addresses.map(each => {
                const socket = new window.WebSocket(each, ['interleave']);
                return new Promise(resolve => {
                  socket.onopen = () => resolve('open');
                  socket.onerror = () => resolve('shut');
                });
              }),
            ),
          [`ws://${url.host}/`, address.replace('http', 'ws')],
        );
        expect(outcome).toEqual(['shut', 'shut']);
        const read = await visitor.evaluate(
          each =>
            fetch(each).then(
              () => 'read',
              () => 'shut',
            ),
          url.origin,
        );
        expect(read).toBe('shut');
      }
      expect(heard.length).toBeGreaterThanOrEqual(4);
      for (const each of heard) expect(each).not.toContain(key);
      // the window's address, opened in another tab
      const tab = await context.newPage();
      await tab.goto(url.origin);
      await tab.getByRole('alert').filter({hasText: 'this address opens no window'}).waitFor();
    } finally {
      await browser.close();
      other.close();
    }
  });
});

test('no file outside the folder of the window is served', async () => {
  const paths = ['/../package.json', '/..%2fpackage.json', '/%2e%2e/%2e%2e/package.json', '//etc/passwd', '/assets/'];
  for (const path of paths) expect((await get(path)).status, path).toBe(404);
  expect((await get('/assets/%00')).status).toBe(404);
});

test('every answer has the security headers', async () => {
  for (const path of ['/', '/nothing']) {
    const {headers} = await get(path);
    expect(headers['content-security-policy']).toContain("default-src 'none'");
    expect(headers['content-security-policy']).toContain("script-src 'self';");
    expect(headers['x-content-type-options']).toBe('nosniff');
  }
});

test('the web shell listens on 127.0.0.1 only', async () => {
  expect(url.hostname).toBe('127.0.0.1');
  const socket = connect(Number(url.port), '127.0.0.2');
  const outcome = await new Promise(resolve => {
    socket.on('connect', () => resolve('connected'));
    socket.on('error', () => resolve('refused'));
  });
  socket.destroy();
  expect(outcome).toBe('refused');
});

describe('the WebSocket', () => {
  test('opens for the window, and does not repeat the key', async () => {
    expect(await socketOutcome(offeredProtocols(key), {origin: url.origin})).toBe('open: interleave');
  });

  test.each([
    ['another page', () => offeredProtocols(key), () => ({origin: 'http://evil.test'})],
    ['a page of another port', () => offeredProtocols(key), () => ({origin: 'http://127.0.0.1:1'})],
    ['no page', () => offeredProtocols(key), () => ({})],
    ['no key', () => ['interleave'], () => ({origin: url.origin})],
    ['no protocol', () => [], () => ({origin: url.origin})],
    ['a key without the protocol', () => offeredProtocols(key).slice(1), () => ({origin: url.origin})],
    ['a wrong key', () => offeredProtocols('0'.repeat(64)), () => ({origin: url.origin})],
    ['half a key', () => offeredProtocols(key.slice(0, 32)), () => ({origin: url.origin})],
    ['a key in a cookie', () => ['interleave'], () => ({origin: url.origin, cookie: `interleave-key=${key}`})],
    ['another Host', () => offeredProtocols(key), () => ({origin: url.origin, host: 'evil.test'})],
  ])('stays shut for %s', async (_, protocols, headers) => {
    expect(await socketOutcome(protocols(), headers())).toBe('403');
  });
});

describe('the web shell keeps running and serves the window after', () => {
  afterEach(async () => {
    expect((await get('/')).status).toBe(200);
  });

  test('a refused upgrade whose peer is gone', async () => {
    const upgrade = `GET / HTTP/1.1\r\nHost: ${url.host}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n`;
    for (let i = 0; i < 100; i++) {
      const socket = await connected();
      socket.write(upgrade, () => socket.resetAndDestroy());
      await once(socket, 'close');
    }
  });

  const deepId = Buffer.concat([Buffer.from([0x93]), Buffer.alloc(150, 0x91), encode([0, 'start', []])]);
  test.each([
    ['bytes: an id 150 deep', deepId],
    ['bytes: 60 arrays that claim a heap', Buffer.from('dd01ffffff'.repeat(60), 'hex')],
    ['no JSON', '[1, "start", ['],
    ['no list', '{"0": 1, "1": "start", "2": [], "length": 3}'],
    ['no arguments', '[1, "start"]'],
    ['an id that is no integer', '[1.5, "start", []]'],
    ['an id that is a text', '["1", "start", []]'],
    ['an id that is a list', '[[[1]], "start", []]'],
    ['a call that is no text', '[1, ["start"], []]'],
    ['arguments a thousand deep', `[1, "load", ${'['.repeat(1000)}${']'.repeat(1000)}]`],
    ['a million open brackets', '['.repeat(1e6)],
    ['a million lists', `[1, "load", ${'['.repeat(1e6)}${']'.repeat(1e6)}]`],
  ])('a wrong message, which ends the connection: %s', async (_, message) => {
    const socket = await openSocket();
    socket.send(message);
    const [code] = await once(socket, 'close');
    expect(code).toBe(1008);
  });

  test('a message larger than any story', async () => {
    const socket = await openSocket();
    socket.send('x'.repeat(13 * 1024 * 1024));
    const [code] = await once(socket, 'close');
    expect([1006, 1009]).toContain(code);
  });

  test.each(['constructor', '__proto__', 'toString', 'on', '', 'x'.repeat(1000)])(
    'a call of %j, which is refused, and another call, which is answered',
    async name => {
      const socket = await openSocket();
      const [id, message] = await answerTo(socket, [7, name, []]);
      expect([id, message]).toEqual([7, expect.stringMatching(/^no such call/)]);
      expect(await answerTo(socket, [8, 'start', []])).toEqual([8, null, expect.anything()]);
      socket.close();
    },
  );

  test('arguments of every kind', async () => {
    const socket = await openSocket();
    const calls = [
      'openPage',
      'load',
      'loadLive',
      'askPath',
      'loadSeeds',
      'packetParts',
      'capture',
      'record',
      'showRecorded',
      'takePicture',
      'setFullScreen',
      'remember',
      'keptDrafts',
      'keepDraft',
      'removeDraft',
    ];
    for (const [i, call] of calls.entries()) {
      for (const args of [[], [null], [7], ['x'], [[]], [{}], [{scenario: 7, movie: 7, name: 7}]]) {
        expect(await answerTo(socket, [i, call, args])).toHaveProperty('0', i);
      }
    }
    socket.close();
  });

  test('more connections than it accepts, while the window’s own connection is open', async () => {
    const socket = await openSocket();
    const many = await Promise.all(Array.from({length: 300}, () => connected()));
    for (const each of many) each.on('error', () => undefined).resume();
    // 256 are accepted, including the window's
    await expect.poll(() => many.filter(each => each.closed).length).toBeGreaterThanOrEqual(45);
    expect(await answerTo(socket, [9, 'start', []])).toHaveProperty('0', 9);
    const closed = many.map(each => each.closed || once(each, 'close'));
    for (const each of many) each.destroy();
    await Promise.all(closed);
    socket.close();
    // the server learns a little later that they are closed
    await expect.poll(() => get('/').catch(() => undefined)).toHaveProperty('status', 200);
  });

  test('clients that send nothing or half a request, which are disconnected', {tags: ['long']}, async () => {
    const waiting = ['', 'GET / HT', `GET / HTTP/1.1\r\nHost: ${url.host}\r\nX: y`].map(async text => {
      const socket = await connected();
      socket.on('error', () => undefined).resume();
      socket.write(text);
      await once(socket, 'close');
    });
    await Promise.all(waiting);
  });
});

/** Whether the words are in the command line, which every user can read, or in the environment of any process. */
function isSeen(words: string): boolean {
  const holds = (path: string) => {
    try {
      return readFileSync(path, 'utf8').includes(words);
    } catch {
      return false; // the process has ended
    }
  };
  const pids = readdirSync('/proc').filter(name => /^\d+$/.test(name));
  return pids.some(pid => holds(`/proc/${pid}/cmdline`) || holds(`/proc/${pid}/environ`));
}

async function connected(): Promise<Socket> {
  const socket = connect(Number(url.port), '127.0.0.1');
  await once(socket, 'connect');
  return socket;
}

async function openSocket(): Promise<WebSocket> {
  const socket = new WebSocket(`ws://127.0.0.1:${url.port}/`, [...offeredProtocols(key)], {
    origin: url.origin,
  });
  socket.on('error', () => undefined);
  await once(socket, 'open');
  return socket;
}

/** Sends a request. Returns its answer, and skips events. */
async function answerTo(socket: WebSocket, request: readonly unknown[]): Promise<readonly unknown[]> {
  socket.send(JSON.stringify(request));
  for (;;) {
    const [data] = await once(socket, 'message');
    const answer = decode(data) as readonly unknown[];
    if (answer[0] !== null) return answer;
  }
}

/** The key in a page, or undefined. */
function keyIn(body: string): string | undefined {
  return /<meta name="interleave-key" content="(\w*)">/.exec(body)?.[1];
}

function get(path: string, headers: {readonly [name: string]: string} = {}, method = 'GET') {
  return new Promise<{
    status: number | undefined;
    headers: import('node:http').IncomingHttpHeaders;
    body: string;
  }>((resolve, reject) => {
    // node:http sends the path as it is; fetch would tidy it up
    const request = httpRequest({host: '127.0.0.1', port: url.port, path, method, headers}, response => {
      const {statusCode: status, headers} = response;
      text(response).then(body => resolve({status, headers, body}), reject);
    });
    request.on('error', reject);
    request.end();
  });
}

function socketOutcome(protocols: readonly string[], headers: {readonly [name: string]: string}): Promise<string> {
  const socket = new WebSocket(`ws://127.0.0.1:${url.port}/`, [...protocols], {headers});
  return new Promise(resolve => {
    socket.on('open', () => {
      socket.close();
      resolve(`open: ${socket.protocol}`);
    });
    socket.on('unexpected-response', (_, response) => resolve(String(response.statusCode)));
    socket.on('error', error => resolve(error.message));
  });
}
