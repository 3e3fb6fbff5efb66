import {spawn, spawnSync} from 'node:child_process';
import {once} from 'node:events';
import {
  chmodSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import {request as httpRequest} from 'node:http';
import {connect, type Socket} from 'node:net';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {text} from 'node:stream/consumers';
import {fileURLToPath} from 'node:url';
import {decode, encode} from '@msgpack/msgpack';
import {afterAll, afterEach, beforeAll, describe, expect, test} from 'vitest';
import {WebSocket} from 'ws';
import {openChromiumStudio} from '../main/movie/chromiumStudio.ts';
import type {WebShell} from '../main/shells/web.ts';
import {openBrowser, openShell, whySkipped} from './window.ts';

// The web shell against whoever is not the window: other programs, and other pages in the same browser.

let shell: WebShell;
let url: URL;
let cookie: string;
beforeAll(async () => {
  shell = await openShell();
  url = new URL(shell.newAddress());
  cookie = (await get(url.pathname + url.search)).cookie;
});
afterAll(() => shell.close());

test('an address brings the cookie once, and leaves the token behind', async () => {
  const {pathname, search} = new URL(shell.newAddress());
  const {status, headers, body} = await get(pathname + search);
  expect(status).toBe(200);
  expect(body).toContain('<meta http-equiv="refresh" content="0;url=/">');
  expect(body).not.toContain(search);
  expect(headers['set-cookie']?.[0]).toMatch(/HttpOnly; SameSite=Strict/);
  const second = await get(pathname + search);
  expect([second.status, second.headers['set-cookie']]).toEqual([403, undefined]);
  expect((await get('/', {cookie})).status).toBe(200);
  // whoever is in and opens the printed address again
  expect((await get(pathname + search, {cookie})).headers.location).toBe('/');
});

test('the cookie does not hold a token', () => {
  expect(cookie).not.toContain(url.searchParams.get('token'));
});

describe('an address in a file', () => {
  test('is for this user only, and gone once it was used', async () => {
    const file = new URL(shell.newFileAddress());
    const [token] = /(?<=token=)\w{64}/.exec(readFileSync(file, 'utf8')) ?? [''];
    expect(file.href).not.toContain(token);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(statSync(new URL('.', file)).mode & 0o777).toBe(0o700);
    expect((await get(`/?token=${token}`)).status).toBe(200);
    expect(existsSync(new URL('.', file))).toBe(false);
  });

  test('that nobody used goes with the window', async () => {
    const other = await openShell();
    const file = new URL(other.newFileAddress());
    expect(existsSync(file)).toBe(true);
    await other.close();
    expect(existsSync(new URL('.', file))).toBe(false);
  });

  const isRoot = process.getuid?.() === 0;
  test.skipIf(!isRoot)(`is not read by another user${isRoot ? '' : ' (skipped: needs root)'}`, () => {
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
  test.skipIf(whySkipped !== '')(`of the browser that pictures are taken with${whySkipped}`, async () => {
    const address = shell.newAddress();
    const studio = await openChromiumStudio(address);
    try {
      expect(isSeen('--remote-debugging-pipe')).toBe(true);
      expect(isSeen(new URL(address).searchParams.get('token') ?? '')).toBe(false);
    } finally {
      await studio.close();
    }
  });

  test('of the browser that the window is in', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'interleave-browser-'));
    try {
      const browser = join(folder, 'browser');
      // in place of a browser: tells what it was given, and stays
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

describe('who is refused:', () => {
  test.each([
    ['without the token', '/', {}],
    ['with a wrong token', '/?token=0000', {}],
    ['with a token of the right length', `/?token=${'0'.repeat(64)}`, {}],
    ['with a wrong cookie', '/', {cookie: 'interleave-1=0'}],
  ])('%s', async (_, path, headers) => {
    expect((await get(path, headers)).status).toBe(403);
  });

  test('under another Host, as by DNS rebinding, cookie or not', async () => {
    expect((await get('/', {cookie, host: 'evil.test'})).status).toBe(403);
    expect((await get('/', {cookie, host: `localhost:${url.port}`})).status).toBe(403);
  });

  test('with another method', async () => {
    expect((await get('/', {cookie}, 'POST')).status).toBe(405);
  });
});

test('nothing outside of its folder is served', async () => {
  const paths = [
    '/../package.json',
    '/..%2fpackage.json',
    '/%2e%2e/%2e%2e/package.json',
    '//etc/passwd',
    '/assets/',
  ];
  for (const path of paths) expect((await get(path, {cookie})).status, path).toBe(404);
  expect((await get('/assets/%00', {cookie})).status).toBe(404);
});

test('every answer carries the policies', async () => {
  for (const path of ['/', '/nothing']) {
    const {headers} = await get(path, {cookie});
    expect(headers['content-security-policy']).toContain("default-src 'none'");
    expect(headers['content-security-policy']).toContain("script-src 'self';");
    expect(headers['x-content-type-options']).toBe('nosniff');
  }
});

test('it listens on loopback only', async () => {
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
  test('opens for the window', async () => {
    expect(await socketOutcome({cookie, origin: url.origin})).toBe('open');
  });

  test.each([
    ['another page', () => ({cookie, origin: 'http://evil.test'})],
    ['no page', () => ({cookie})],
    ['no cookie', () => ({origin: url.origin})],
    ['another Host', () => ({cookie, origin: url.origin, host: 'evil.test'})],
  ])('stays shut for %s', async (_, headers) => {
    expect(await socketOutcome(headers())).toBe('403');
  });
});

describe('it stays up, and the window is served, whatever comes:', () => {
  afterEach(async () => {
    expect((await get('/', {cookie})).status).toBe(200);
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
  ])('a message of %s ends the connection', async (_, message) => {
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
    'a call of %j is refused, and the next one answered',
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
      'record',
      'showRecorded',
      'takePicture',
      'setFullScreen',
      'keepStories',
    ];
    for (const [i, call] of calls.entries()) {
      for (const args of [[], [null], [7], ['x'], [[]], [{}], [{scenario: 7, movie: 7, name: 7}]]) {
        expect(await answerTo(socket, [i, call, args])).toHaveProperty('0', i);
      }
    }
    socket.close();
  });

  test('more connections than are taken, with the window’s own open', async () => {
    const socket = await openSocket();
    const many = await Promise.all(Array.from({length: 300}, () => connected()));
    for (const each of many) each.on('error', () => undefined).resume();
    // 256 are taken, with the window's
    await expect.poll(() => many.filter(each => each.closed).length).toBeGreaterThanOrEqual(45);
    expect(await answerTo(socket, [9, 'start', []])).toHaveProperty('0', 9);
    const closed = many.map(each => each.closed || once(each, 'close'));
    for (const each of many) each.destroy();
    await Promise.all(closed);
    socket.close();
    // the server hears of it a little later
    await expect.poll(() => get('/', {cookie}).catch(() => undefined)).toHaveProperty('status', 200);
  });

  test('who says nothing, or begins and never ends, is not waited for', async () => {
    const waiting = ['', 'GET / HT', `GET / HTTP/1.1\r\nHost: ${url.host}\r\nX: y`].map(async text => {
      const socket = await connected();
      socket.on('error', () => undefined).resume();
      socket.write(text);
      await once(socket, 'close');
    });
    await Promise.all(waiting);
  });
});

/** In what every user of the machine can read of the others' processes, or in an environment. */
function isSeen(words: string): boolean {
  const holds = (path: string) => {
    try {
      return readFileSync(path, 'utf8').includes(words);
    } catch {
      return false; // it has ended
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
  const socket = new WebSocket(`ws://127.0.0.1:${url.port}/`, {headers: {cookie, origin: url.origin}});
  socket.on('error', () => undefined);
  await once(socket, 'open');
  return socket;
}

/** The answer; events are not. */
async function answerTo(socket: WebSocket, request: readonly unknown[]): Promise<readonly unknown[]> {
  socket.send(JSON.stringify(request));
  for (;;) {
    const [data] = await once(socket, 'message');
    const answer = decode(data) as readonly unknown[];
    if (answer[0] !== null) return answer;
  }
}

function get(path: string, headers: {readonly [name: string]: string} = {}, method = 'GET') {
  return new Promise<{
    status: number | undefined;
    headers: import('node:http').IncomingHttpHeaders;
    cookie: string;
    body: string;
  }>((resolve, reject) => {
    // node:http sends the path as it is; fetch would tidy it up
    const request = httpRequest({host: '127.0.0.1', port: url.port, path, method, headers}, response => {
      const [given = ''] = response.headers['set-cookie'] ?? [];
      const {statusCode: status, headers} = response;
      text(response).then(
        body => resolve({status, headers, cookie: given.split(';')[0] ?? '', body}),
        reject,
      );
    });
    request.on('error', reject);
    request.end();
  });
}

function socketOutcome(headers: {readonly [name: string]: string}): Promise<string> {
  const socket = new WebSocket(`ws://127.0.0.1:${url.port}/`, {headers});
  return new Promise(resolve => {
    socket.on('open', () => {
      socket.close();
      resolve('open');
    });
    socket.on('unexpected-response', (_, response) => resolve(String(response.statusCode)));
    socket.on('error', error => resolve(error.message));
  });
}
