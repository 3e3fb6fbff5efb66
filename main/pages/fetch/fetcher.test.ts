import {createServer, type RequestListener, type Server} from 'node:http';
import type {AddressInfo, Socket} from 'node:net';
import {setTimeout as sleep} from 'node:timers/promises';
import {brotliCompressSync, constants, gzipSync} from 'node:zlib';
import {afterAll, beforeAll, describe, expect, test} from 'vitest';
import {type LiveServer, startServer} from '../../live/server/liveServer.ts';
import {isPublic, type Resolve} from '../../net/publicAddress.ts';
import {GATEWAY_LIMITS, type GatewayLimits} from '../base/gatewayLimits.ts';
import {FetchError} from '../base/pageErrors.ts';
import {openPage} from '../openPage.ts';
import {Fetcher} from './fetcher.ts';

const MB = 1_000_000;
const BOMB = Buffer.alloc(10 * MB);
const QUICK = {params: {[constants.BROTLI_PARAM_QUALITY]: 1}};
const answers: {readonly [path: string]: RequestListener} = {
  '/plain': (_, response) => void response.setHeader('content-type', 'Text/Plain').end('plain'),
  '/gzip': (_, response) => void response.setHeader('content-encoding', 'gzip').end(gzipSync('zipped')),
  '/brotli': (_, response) => void response.setHeader('content-encoding', 'br').end(brotliCompressSync('b')),
  '/bomb': (_, response) => void response.setHeader('content-encoding', 'gzip').end(gzipSync(BOMB)),
  '/brotli-bomb': (_, response) =>
    void response.setHeader('content-encoding', 'br').end(brotliCompressSync(BOMB, QUICK)),
  '/damaged': (_, response) => void response.setHeader('content-encoding', 'gzip').end('no gzip at all'),
  '/short': (_, response) => {
    response.writeHead(200, {'content-length': 100}).write('short');
    setTimeout(() => response.destroy(), 20);
  },
  '/endless': (_, response) => {
    const more = () => response.writable && response.write(Buffer.alloc(100_000), () => setImmediate(more));
    more();
  },
  '/silent': () => {},
  '/slow': (_, response) => {
    response.write('a');
    const timer = setInterval(() => response.write('a'), 50);
    response.on('close', () => clearInterval(timer));
  },
  '/there': (_, response) => void response.writeHead(302, {location: '/plain#x'}).end(),
  '/named': (_, response) =>
    void response.writeHead(302, {location: Buffer.from('/caf\u00e9').toString('latin1')}).end(),
  '/caf%C3%A9': (_, response) => void response.end('there'),
  '/circle': (_, response) => void response.writeHead(301, {location: '/circle'}).end(),
  '/inside': (_, response) => void response.writeHead(307, {location: 'http://10.0.0.7/plain'}).end(),
  '/rebound': (request, response) => {
    const {port} = request.socket.address() as AddressInfo;
    response.writeHead(307, {location: `http://rebind.test:${port}/plain`}).end();
  },
  '/file': (_, response) => void response.writeHead(302, {location: 'file:///etc/passwd'}).end(),
};

let server: Server;
let port = 0;
const sockets = new Set<Socket>();
let requests: string[] = [];

beforeAll(async () => {
  server = createServer((request, response) => {
    requests.push(request.url ?? '');
    (answers[request.url ?? ''] ?? ((_, missing) => void missing.writeHead(404).end()))(request, response);
  });
  server.on('connection', socket => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
  });
  await new Promise<void>(done => server.listen(0, '127.0.0.1', done));
  port = (server.address() as AddressInfo).port;
});

afterAll(() => server.close());

interface Choice {
  readonly limits?: Partial<GatewayLimits>;
  readonly mayReach?: (address: string) => boolean;
  readonly resolve?: Resolve;
  readonly signal?: AbortSignal;
}

async function get(path: string, choice: Choice = {}): Promise<string> {
  return (await getAll([path], choice))[0] ?? '';
}

/** Fetches these paths or addresses one after the other with one fetcher. */
async function getAll(paths: readonly string[], choice: Choice = {}): Promise<readonly string[]> {
  const fetcher = new Fetcher({
    limits: {...GATEWAY_LIMITS, objectMs: 5000, ...choice.limits},
    mayReach: choice.mayReach ?? (() => true),
    resolve: choice.resolve ?? answer('127.0.0.1'),
    signal: choice.signal ?? new AbortController().signal,
  });
  requests = [];
  const texts: string[] = [];
  try {
    for (const path of paths) texts.push(await textAt(path, fetcher));
  } finally {
    await fetcher.close();
  }
  return texts;
}

async function textAt(path: string, fetcher: Fetcher): Promise<string> {
  try {
    const address = path.startsWith('/') ? `http://page.test:${port}${path}` : path;
    const {body, ...rest} = await fetcher.get(address);
    return `${rest.address.replace(String(port), 'PORT')} ${rest.contentType} ${Buffer.from(body).toString()}`;
  } catch (error) {
    if (!(error instanceof FetchError)) throw error;
    return error.message.replace(String(port), 'PORT');
  }
}

/** A resolver that returns these answers one after the other, and repeats the last answer. */
function answer(...addresses: readonly string[]): Resolve {
  let at = 0;
  return (_, callback) => {
    const address = addresses[Math.min(at++, addresses.length - 1)] ?? '';
    callback(null, [{address, family: 4}]);
  };
}

describe('a fetcher', () => {
  test('returns the content, decompressed, and its final address', async () => {
    expect(await get('/plain')).toBe('http://page.test:PORT/plain text/plain plain');
    expect(await get('/there')).toBe('http://page.test:PORT/plain text/plain plain');
    expect(await get('/named')).toBe('http://page.test:PORT/caf%C3%A9  there');
    expect(await get('/gzip')).toContain('zipped');
    expect(await get('/brotli')).toMatch(/ b$/);
    expect(await get('/missing')).toBe('the server answers 404');
  });

  test('stops at its limits, even if the body is compressed', async () => {
    const limits = {objectBytes: MB};
    for (const path of ['/bomb', '/brotli-bomb', '/endless']) {
      expect(await get(path, {limits})).toBe('it has more than 1000000 bytes');
    }
    expect(await get('/bomb', {limits: {pageBytes: 2 * MB}})).toBe(
      'with it, the page would have more than 2000000 bytes',
    );
  });

  test('counts only the bytes of whole objects towards the limit of a page', async () => {
    const plain = 'http://page.test:PORT/plain text/plain plain';
    expect((await getAll(['/bomb', '/plain'], {limits: {pageBytes: 2 * MB}}))[1]).toBe(plain);
    expect((await getAll(['/short', '/short', '/plain'], {limits: {pageBytes: 9}}))[2]).toBe(plain);
    expect((await getAll(['/slow', '/plain'], {limits: {pageBytes: 9, objectMs: 300}}))[1]).toBe(plain);
    expect((await getAll(['/plain', '/plain'], {limits: {pageBytes: 9}}))[1]).toBe(
      'with it, the page would have more than 9 bytes',
    );
  });

  test('reports damaged, truncated, slow and missing responses', async () => {
    expect(await get('/damaged')).toBe('its compressed data is damaged');
    expect(await get('/short')).toMatch(/closed the connection early|its length differs/);
    const limits = {objectMs: 300};
    expect(await get('/silent', {limits})).toBe('it takes more than 0.3 s');
    expect(await get('/slow', {limits})).toBe('it takes more than 0.3 s');
    expect(await get('/silent', {limits: {pageMs: 300}})).toBe('the page takes more than 0.3 s');
    expect(await get('/circle', {limits: {redirects: 3}})).toBe('it is redirected more than 3 times');
    expect(requests).toHaveLength(4);
    await expect.poll(() => sockets.size).toBe(0);
  });

  test('refuses other schemes, invalid addresses and passwords, and reports that no server answers', async () => {
    expect(await get('/file')).toBe('it is not an http(s) or sctp address, but file:');
    expect(await get('nothing')).toBe('it is not a valid address');
    expect(await get('http://a:b@page.test/')).toBe('it has a user name or password');
    expect(await get('http://page.test:1/')).toMatch(/no server answers at this address|the request failed/);
  });

  test('ends with the reason of its signal when it is aborted', async () => {
    const abort = new AbortController();
    const got = get('/silent', {signal: abort.signal});
    await sleep(50);
    abort.abort(new Error('enough'));
    await expect(got).rejects.toThrow('enough');
    await expect.poll(() => sockets.size).toBe(0);
  });
});

describe('a refused address', () => {
  const mayReach = isPublic;

  test('is every address outside the public Internet', () => {
    const open = ['8.8.8.8', '2606:4700::1111', '::ffff:8.8.8.8', '64:ff9b::808:808'];
    expect(open.filter(isPublic)).toEqual(open);
    const closed = [
      '100.64.0.1',
      '224.0.0.1',
      '255.255.255.255',
      '192.0.2.1',
      'fc00::1',
      'ff02::1',
      '::',
      // forms that contain IPv4 addresses (compatible, translated, 6to4, Teredo), and unassigned addresses
      '::7f00:1',
      '::808:808',
      '64:ff9b::a00:7',
      '64:ff9b:1::a00:7',
      '2002:7f00:1::',
      '2001:0:7f00:1::',
      '4000::1',
      'x',
      '',
    ];
    expect(closed.filter(isPublic)).toEqual([]);
  });

  test('is refused in every notation', async () => {
    const hosts = ['127.0.0.1', '0x7f.1', '2130706433', '[::1]', '[::ffff:127.0.0.1]', '[::ffff:7f00:1]'];
    for (const host of [...hosts, '10.1.2.3', '169.254.169.254', '[fe80::1]', '0.0.0.0', '[64:ff9b::7f00:1]']) {
      expect(await get(`http://${host}:${port}/plain`, {mayReach}), host).toMatch(/is not a public address/);
    }
    expect(requests).toEqual([]);
  });

  test('is refused if a name resolves to it', async () => {
    const resolve = answer('10.0.0.7');
    expect(await get('/plain', {mayReach, resolve})).toBe('page.test is 10.0.0.7, which is not a public address');
    const mixed: Resolve = (_, callback) =>
      callback(null, [
        {address: '93.184.215.14', family: 4},
        {address: '::1', family: 6},
      ]);
    expect(await get('/plain', {mayReach, resolve: mixed})).toContain('is ::1, which is not a public address');
  });

  test('is refused after a redirect, and if a later look-up returns it', async () => {
    // as if the server were on the Internet
    const reachServer = (address: string) => address === '127.0.0.1';
    expect(await get('/inside', {mayReach: reachServer})).toContain('10.0.0.7 is not a public address');
    const resolve = answer('127.0.0.1', '10.0.0.7');
    expect(await get('/rebound', {mayReach: reachServer, resolve})).toContain(
      'rebind.test is 10.0.0.7, which is not a public address',
    );
    expect(requests).toEqual(['/rebound']);
  });
});

describe('an address of a server over SCTP', () => {
  let live: LiveServer;
  beforeAll(async () => {
    const page = await openPage({kind: 'named', name: 'gallery'}, 'fixtures/pages');
    live = await startServer({page, host: '127.0.0.1', port: 0, token: undefined});
  });
  afterAll(() => live.close());

  /** Fetches the texts at these paths or addresses with one fetcher. */
  async function had(paths: readonly string[], choice: Choice = {}): Promise<readonly string[]> {
    const fetcher = new Fetcher({
      limits: {...GATEWAY_LIMITS, ...choice.limits},
      mayReach: choice.mayReach ?? (() => true),
      resolve: choice.resolve ?? answer('127.0.0.1'),
      signal: new AbortController().signal,
    });
    const read = async (path: string): Promise<string> => {
      const address = path.startsWith('/') ? `sctp://server.test:${live.port}${path}` : path;
      return Buffer.from((await fetcher.get(address)).body).toString();
    };
    try {
      return await Promise.all(paths.map(read));
    } finally {
      await fetcher.close();
    }
  }

  test('is fetched, and its association ends when the fetcher is closed', async () => {
    const [html = '', again] = await had(['/', '/#y']);
    expect(html).toContain('<title>Ten Views</title>');
    expect(again).toBe(html);
    while (live.peers().sctp > 0) await sleep(10);
  });

  test('is refused before a packet is sent if it is not public, both as an IP address and as a name', async () => {
    for (const address of [`sctp://127.0.0.1:${live.port}/`, '/'])
      await expect(had([address], {mayReach: isPublic})).rejects.toThrow('is not a public address');
    expect(live.peers().sctp).toBe(0);
  });

  test('is refused with a reason: a status, no server, a body that is too large, no host', async () => {
    await expect(had(['/nothing'])).rejects.toThrow('the server answers 404');
    await expect(had(['sctp://127.0.0.1:1/'])).rejects.toMatchObject({
      name: 'FetchError',
      message: '127.0.0.1:1: nobody listens there',
    });
    await expect(had(['/'], {limits: {objectBytes: 1000}})).rejects.toThrow('more than 1000 bytes');
    await expect(had(['sctp:///x'])).rejects.toThrow('it has no host');
  });
});
