import {once} from 'node:events';
import {mkdtempSync, rmSync, writeFileSync} from 'node:fs';
import {createServer, type Server} from 'node:http';
import {type AddressInfo, connect} from 'node:net';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {pathToFileURL} from 'node:url';
import {afterAll, afterEach, beforeAll, describe, expect, test} from 'vitest';
import {REFUSED_TOKEN} from '../../net/token.ts';
import {FetchError} from '../base/pageErrors.ts';
import type {Bundle} from '../store/bundle.ts';
import {bundleOf} from '../store/testing/bundleOf.ts';
import {frameOf} from './gatewayFrames.ts';
import type {GatewayRequest} from './gatewayMessage.ts';
import {type ListeningGateway, type ListenOptions, listenGateway} from './listeningGateway.ts';
import {fetchRemotely} from './remoteGateway.ts';

const TOKEN = 'a token';
let folder: string;
let module: URL;
let gateway: ListeningGateway | undefined;
let server: Server | undefined;

/** The code of a gateway's process that answers immediately. Its answer depends on the address. */
const PROCESS = `
  import {createHash} from 'node:crypto';
  const bundleOf = bytes => {
    const sha256 = createHash('sha256').update(bytes).digest('hex');
    const index = {address: 'page', file: 'index.html', type: 'text/html', bytes: bytes.length, sha256};
    const document = {address: 'page', date: 'today', objects: [index], leftOut: [], notLoaded: []};
    return {files: [{path: 'index.html', bytes}], document};
  };
  process.on('disconnect', () => process.exit());
  process.once('message', ({address, isPrivateAllowed}) => {
    process.send({type: 'progress', done: 1, all: 2});
    if (address === 'waits') setInterval(() => {}, 1000);
    else if (address === 'dies') process.exit(1);
    else if (address === 'private' && !isPrivateAllowed)
      process.send({type: 'refused', why: 'it is 10.0.0.7', isPrivate: true});
    else process.send({type: 'bundle', bundle: bundleOf(Buffer.alloc(address === 'large' ? 20_000_000 : 9, 'a'))});
  });`;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'interleave-listen-'));
  const path = join(folder, 'process.mjs');
  writeFileSync(path, PROCESS);
  module = pathToFileURL(path);
});

afterEach(async () => {
  await gateway?.close();
  server?.close();
  [gateway, server] = [undefined, undefined];
});

afterAll(() => rmSync(folder, {recursive: true}));

async function listen(options: Partial<ListenOptions> = {}): Promise<ListeningGateway> {
  const usual = {host: '127.0.0.1', port: 0, token: TOKEN, isPrivateAllowed: false, module};
  gateway = await listenGateway({...usual, ...options});
  return gateway;
}

interface Asked extends Partial<GatewayRequest> {
  readonly token?: string;
  readonly signal?: AbortSignal;
  readonly onProgress?: (done: number, all: number) => void;
}

function ask({address}: {readonly address: string}, asked: Asked = {}): Promise<Bundle> {
  const {token = TOKEN, signal = new AbortController().signal, onProgress, ...request} = asked;
  return fetchRemotely(
    {address: 'page', isProgressive: false, isPrivateAllowed: false, ...request},
    {gateway: {address, token}, signal, ...(onProgress === undefined ? {} : {onProgress})},
  );
}

describe('a gateway that listens', () => {
  test('sends the page’s bundle and the progress to a client with the token', async () => {
    const told: string[] = [];
    const onProgress = (done: number, all: number) => void told.push(`${done} of ${all}`);
    const bundle = await ask(await listen(), {onProgress});
    expect(bundle.document).toMatchObject({address: 'page', objects: [{file: 'index.html', bytes: 9}]});
    expect(bundle.files.map(({bytes}) => Buffer.from(bytes).toString())).toEqual(['aaaaaaaaa']);
    expect(told).toEqual(['1 of 2']);
  });

  test('tells a client without the right token only that its token is refused', async () => {
    const {address} = await listen();
    for (const token of ['', 'a toke', 'a token.', 'another']) {
      await expect(ask({address}, {token})).rejects.toThrow(`the gateway answers 401: ${REFUSED_TOKEN}`);
    }
    for (const [path, init] of [
      ['/bundle', {}],
      ['/bundle', {method: 'POST', headers: {authorization: TOKEN}}],
      ['/other', {}],
    ] as const) {
      const {status, headers} = await fetch(address + path, init);
      expect([status, headers.get('www-authenticate')]).toEqual([401, 'Bearer']);
    }
  });

  test('refuses invalid requests with a reason', async () => {
    const {address} = await listen();
    const headers = {authorization: `Bearer ${TOKEN}`};
    const post = async (path: string, body: string, method = 'POST') => {
      const answer = await fetch(address + path, {method, headers, ...(method === 'POST' ? {body} : {})});
      return `${answer.status} ${await answer.text()}`;
    };
    expect(await post('/other', '{}')).toBe('404 the only path is /bundle\n');
    expect(await post('/bundle', '', 'GET')).toBe('405 the only method is POST\n');
    expect(await post('/bundle', '{')).toBe('400 the body of the request is not JSON\n');
    expect(await post('/bundle', '{}')).toBe('400 address is missing (a page)\n');
    expect(await post('/bundle', `{"address": "${'x'.repeat(20_000)}"}`)).toMatch(/^413 /);
  });

  test('fetches from private addresses only if both sides allow it', async () => {
    const closed = await listen();
    const refused = await ask(closed, {address: 'private'}).catch(error => error);
    expect([refused.message, refused.isPrivate]).toEqual(['it is 10.0.0.7', true]);
    await expect(ask(closed, {address: 'private', isPrivateAllowed: true})).rejects.toThrow(
      'the gateway answers 403: this gateway fetches from public addresses only',
    );
    await closed.close();
    const open = await listen({isPrivateAllowed: true});
    await expect(ask(open, {address: 'private'})).rejects.toThrow('it is 10.0.0.7');
    expect((await ask(open, {address: 'private', isPrivateAllowed: true})).files).toHaveLength(1);
  });

  test('fetches a limited number of pages at once, and a client that disconnects makes room for another', async () => {
    const listening = await listen({limits: {...LIMITS, pages: 2}});
    const enough = new AbortController();
    const {got} = await begin(listening, enough.signal);
    const other = await begin(listening);
    await expect(ask(listening)).rejects.toThrow('the gateway answers 503: this gateway already fetches 2 pages');
    enough.abort(new Error('enough'));
    expect(await got).toEqual(new Error('enough'));
    await expect.poll(processes).toBeLessThanOrEqual(1);
    await expect.poll(() => isServed(listening)).toBe(true);
    await listening.close();
    expect(await other.got).toEqual(new FetchError('the gateway closed the connection early'));
  });

  test('disconnects clients that send nothing', async () => {
    const {address} = await listen({limits: {...LIMITS, idleMs: 300}});
    const silent = connect(Number(new URL(address).port), '127.0.0.1');
    // The gateway may send an error before it disconnects. This test does not check that.
    await once(silent.resume(), 'close');
  });

  test.each([
    {what: 'receives nothing', limits: {idleMs: 300}},
    {what: 'receives too slowly', limits: {answerMs: 300}},
  ])('disconnects a client that $what', async ({limits}) => {
    const listening = await listen({limits: {...LIMITS, pages: 1, ...limits}});
    const body = '{"address": "large"}';
    const taker = connect(Number(new URL(listening.address).port), '127.0.0.1').on('error', () => undefined);
    taker.write(`POST /bundle HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${TOKEN}\r\n`);
    taker.write(`Content-Length: ${body.length}\r\n\r\n${body}`);
    await once(taker, 'readable');
    expect(await isServed(listening)).toBe(false);
    await expect.poll(() => isServed(listening)).toBe(true);
    taker.destroy();
  });

  test('survives the end of its processes', async () => {
    const listening = await listen();
    await expect(ask(listening, {address: 'dies'})).rejects.toThrow('the gateway’s process ended');
    expect(await isServed(listening)).toBe(true);
  });
});

describe('the client of a gateway', () => {
  const bundle = bundleOf({'index.html': 'a', 'files/1-a.png': 'b'});
  const sent = (change: Partial<Bundle>) => Buffer.from(frameOf({type: 'bundle', bundle: {...bundle, ...change}}));
  const [index, picture] = bundle.files;

  test.each([
    ['a frame that claims to be large', Buffer.from([0xff, 0xff, 0xff, 0xff]), 'the gateway’s answer is too large'],
    ['bytes that are not MessagePack', Buffer.from([0, 0, 0, 1, 0xc1]), 'the gateway’s answer is damaged'],
    // these are 12 nested arrays of 33 million values each, which would need 3 GB if memory were reserved for them
    [
      '64 bytes that claim 400 million values',
      Buffer.from(`0000003c${'dd01ffffff'.repeat(12)}`, 'hex'),
      'the gateway’s answer is damaged',
    ],
    [
      'MessagePack that is not a message',
      Buffer.from([0, 0, 0, 1, 0xc0]),
      'the gateway’s answer is invalid: it has no known type',
    ],
    ['half an answer', sent({}).subarray(0, 100), 'the gateway closed the connection early'],
    ['an empty answer', Buffer.of(), 'the gateway closed the connection early'],
    [
      'a bundle with fewer files',
      sent({files: bundle.files.slice(0, 1)}),
      'files/1-a.png is not what its bundle.json says',
    ],
    [
      'a bundle with other bytes',
      sent({files: [{...index, bytes: Buffer.from('c')}, picture] as never}),
      'index.html is not what',
    ],
    [
      'a bundle with a path out of the folder',
      sent({files: [index, {...picture, path: '../a'}] as never}),
      '"../a": must be',
    ],
    ['a bundle whose first file is not the page', sent({files: [...bundle.files].reverse()}), 'it has no index.html'],
  ])('accepts no bundle from %s', async (_what, answer, why) => {
    await expect(ask(await serve(answer))).rejects.toThrow(why);
  });

  test('accepts an answer in pieces of any size', async () => {
    const told: string[] = [];
    const onProgress = (done: number, all: number) => void told.push(`${done} of ${all}`);
    const progress = Buffer.from(frameOf({type: 'progress', done: 1, all: 2}));
    const answer = Buffer.concat([progress, sent({})]);
    for (const size of [1, 3, 1000]) {
      const at = await serve(answer, size);
      expect((await ask(at, {onProgress})).document).toEqual(bundle.document);
    }
    expect(told).toEqual(['1 of 2', '1 of 2', '1 of 2']);
  });

  test('follows no redirect, so that no other server gets the token', async () => {
    const at = await serve(Buffer.of(), 1, 302);
    await expect(ask(at)).rejects.toThrow('the gateway answers 302');
  });

  test('reports that no gateway answers', async () => {
    const {address} = await serve(Buffer.of());
    server?.close();
    server?.closeAllConnections();
    await expect(ask({address})).rejects.toThrow('no gateway answers at this address');
  });
});

/** Requests a page whose process waits. Resolves when that process has started. */
async function begin(at: ListeningGateway, signal = new AbortController().signal) {
  let onProgress = (): void => {};
  const begun = new Promise<void>(resolve => {
    onProgress = resolve;
  });
  const got = ask(at, {address: 'waits', signal, onProgress: () => onProgress()}).catch(error => error);
  await begun;
  return {got};
}

async function isServed(at: ListeningGateway): Promise<boolean> {
  return ask(at).then(
    () => true,
    () => false,
  );
}

/** A server that answers every request with these bytes, in pieces. */
async function serve(answer: Buffer, size = answer.length, status = 200): Promise<{readonly address: string}> {
  server?.close();
  server = createServer((_request, response) => {
    response.writeHead(status, {location: 'http://127.0.0.1:1/'});
    for (let at = 0; at < answer.length; at += size) response.write(answer.subarray(at, at + size));
    response.end();
  });
  await new Promise<void>(done => server?.listen(0, '127.0.0.1', done));
  return {address: `http://127.0.0.1:${(server.address() as AddressInfo).port}`};
}

/** Limits that no test reaches, because no test takes ten minutes. */
const LIMITS = {pages: 4, idleMs: 600_000, answerMs: 600_000};

const processes = () => process.getActiveResourcesInfo().filter(kind => kind === 'ProcessWrap').length;
