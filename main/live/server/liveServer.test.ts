import {createSocket} from 'node:dgram';
import {once} from 'node:events';
import {connect, type Socket} from 'node:net';
import {text} from 'node:stream/consumers';
import {setTimeout as wait} from 'node:timers/promises';
import {afterEach, describe, expect, test} from 'vitest';
import {openPage} from '../../pages/openPage.ts';
import {PORT_OFFSETS} from '../base/liveAddress.ts';
import {type LiveServer, type LiveServerOptions, startServer} from './liveServer.ts';
import {SERVER_LIMITS} from './serverLimits.ts';

const page = await openPage({kind: 'named', name: 'gallery'}, 'fixtures/pages');
let server: LiveServer | undefined;

afterEach(async () => {
  await server?.close();
  server = undefined;
});

async function serve(options: Partial<LiveServerOptions> = {}): Promise<LiveServer> {
  server = await startServer({page, host: '127.0.0.1', port: 0, token: undefined, ...options});
  return server;
}

function opened({port}: LiveServer): Socket {
  return connect(port, '127.0.0.1').on('error', () => undefined);
}

/** Returns everything that the server sends until the connection ends. */
function said(socket: Socket): Promise<string> {
  return text(socket.setEncoding('latin1'));
}

function get(path: string, ...fields: string[]): string {
  return [`GET ${path} HTTP/1.1`, 'Host: a', ...fields, '', ''].join('\r\n');
}

describe('HTTP/1.1 on the kernel’s TCP', () => {
  test('answers requests in order, with the page’s bytes, even after the peer has ended its side', async () => {
    const socket = opened(await serve());
    const [index, first] = page.objects;
    socket.end(`${get('/')}${get('/nothing')}${get(first?.url ?? '')}`);
    const all = await said(socket);
    const body = (bytes: Uint8Array | null | undefined) => Buffer.from(bytes ?? []).toString('latin1');
    expect(all.match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 200', 'HTTP/1.1 404', 'HTTP/1.1 200']);
    expect(all).toContain(`\r\n\r\n${body(index?.body)}HTTP/1.1 404`);
    expect(all.endsWith(`\r\n\r\n${body(first?.body)}`)).toBe(true);
  });

  test('a client that guesses tokens must wait, and during the wait even the right token is refused', async () => {
    const one = await serve({token: 'T'});
    const socket = opened(one);
    const guesses = Array.from({length: 30}, (_, i) => get('/', `Authorization: Bearer ${i}`));
    socket.end(guesses.join('') + get('/', 'Authorization: Bearer T'));
    const answers = (await said(socket)).match(/HTTP\/1\.1 \d+/g);
    expect(answers).toEqual(Array(31).fill('HTTP/1.1 403'));
    // A new connection does not end the wait.
    const again = opened(one);
    again.end(get('/', 'Authorization: Bearer T'));
    expect(await said(again)).toMatch(/^HTTP\/1\.1 403 /);
  });

  test('every request must contain the token', async () => {
    const socket = opened(await serve({token: 'T'}));
    const wrong = ['', 'Authorization: Bearer t', 'Authorization: T'].map(field => get('/', field || 'X: y'));
    socket.end([...wrong, get('/', 'authorization: Bearer T')].join(''));
    expect((await said(socket)).match(/HTTP\/1\.1 \d+/g)?.map(line => line.slice(-3))).toEqual([
      '403',
      '403',
      '403',
      '200',
    ]);
  });

  test('a POST request is refused with 400', async () => {
    const socket = opened(await serve());
    socket.end('POST / HTTP/1.1\r\n\r\n');
    expect(await said(socket)).toMatch(/^HTTP\/1\.1 400 /);
  });

  test('HEAD is answered with the length of the body, but without the body', async () => {
    const socket = opened(await serve());
    socket.end(`HEAD / HTTP/1.1\r\nHost: a\r\n\r\n${get('/nothing')}`);
    const [head, rest] = (await said(socket)).split('\r\n\r\n');
    expect(head).toMatch(/^HTTP\/1\.1 200 /);
    expect(head).toContain(`Content-Length: ${page.objects[0]?.body?.length}`);
    expect(rest).toMatch(/^HTTP\/1\.1 404 /);
  });

  test('the connection ends after a request with Connection: close, and after a request of HTTP/1.0', async () => {
    const one = await serve();
    for (const last of [get('/', 'Connection: close'), get('/').replace('/1.1', '/1.0')]) {
      const socket = opened(one);
      socket.write(`${get('/')}${last}${get('/')}`);
      expect((await said(socket)).match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 200', 'HTTP/1.1 200']);
    }
  });

  test.each([
    ['has chunks', 'Transfer-Encoding: chunked', 411],
    ['ends a line without CR', 'X: y\nContent-Length: 5', 400],
    ['has a blank before a colon', 'Content-Length : 5', 400],
    ['folds a line', 'X: y\r\n Content-Length: 5', 400],
    ['has a NUL', 'X: \0', 400],
    ['has two hosts', 'host: b', 400],
  ])('a request that %s is refused, and nothing after it is read', async (_, field, status) => {
    const one = await serve();
    const socket = opened(one);
    socket.write(`${get('/')}${get('/', field)}${get('/')}`);
    const all = await said(socket);
    expect(all.match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 200', `HTTP/1.1 ${status}`]);
    expect(all.slice(all.lastIndexOf('HTTP'))).toContain('\r\nConnection: close\r\n');
  });

  test('thousands of requests at once are all answered', async () => {
    const socket = opened(await serve());
    const count = 5000;
    socket.end(get('/nothing').repeat(count));
    const all = await said(socket);
    expect(all.split('HTTP/1.1 404').length - 1).toBe(count);
  });

  test('beyond the limit a new peer replaces an idle peer, and is refused while all peers are busy', async () => {
    const one = await serve({limits: {...SERVER_LIMITS, peers: 1}});
    const first = opened(one);
    first.write(`${get('/nothing')}GET /nothing HTTP/1.1\r\n`);
    await once(first, 'data');
    expect(await said(opened(one))).toBe('');
    first.write('Host: a\r\n\r\n');
    await once(first, 'data');
    const third = opened(one);
    third.end(get('/nothing'));
    expect(await said(third)).toMatch(/404/);
    expect(await said(first)).toBe('');
  });

  test.runIf(process.platform === 'linux')('one address cannot lock out others', async () => {
    const one = await serve({limits: {...SERVER_LIMITS, peers: 3}});
    const attackers = Array.from({length: 3}, () => opened(one));
    for (const socket of attackers) {
      socket.write(`${get('/nothing')}GET /nothing HTTP/1.1\r\n`);
      await once(socket, 'data');
    }
    const other = connect({port: one.port, host: '127.0.0.1', localAddress: '127.0.0.2'});
    other.end(get('/nothing'));
    expect(await said(other)).toMatch(/404/);
    expect(one.peers().tcp).toBeLessThanOrEqual(3);
  });

  test('a peer that is silent, stops within a request or does not read is disconnected', async () => {
    const short = {idleMs: 50, requestMs: 50, answerMs: 50};
    const one = await serve({limits: {...SERVER_LIMITS, ...short}, sweepMs: 20});
    const silent = opened(one);
    const half = opened(one);
    half.write('GET / HTTP/1.1\r\n');
    const deaf = opened(one);
    deaf.pause();
    for (let i = 0; i < 50; i++) deaf.write(get('/').repeat(100));
    expect(await said(silent)).toBe('');
    expect(await said(half)).toBe('');
    while (one.peers().tcp > 0) await wait(50);
    deaf.destroy();
  });

  test('closing the server closes every connection', async () => {
    const one = await serve();
    const socket = opened(one);
    socket.write(get('/nothing'));
    await new Promise(resolve => socket.once('data', resolve));
    await one.close();
    server = undefined;
    expect(await said(socket)).not.toContain('HTTP');
  });
});

test('a server does not start if its port is in use', async () => {
  const {port} = await serve();
  await expect(startServer({page, host: '127.0.0.1', port, token: undefined})).rejects.toThrow('EADDRINUSE');
});

test.each([PORT_OFFSETS.sctp, PORT_OFFSETS.quic, PORT_OFFSETS.tcpInUdp])(
  'a server leaves no socket open if the UDP port at offset %i is in use',
  async offset => {
    const {port} = await serve();
    await server?.close();
    server = undefined;
    const taken = createSocket('udp4').bind(port + offset, '127.0.0.1');
    await once(taken, 'listening');
    await expect(startServer({page, host: '127.0.0.1', port, token: undefined})).rejects.toThrow('EADDRINUSE');
    // Node drops closed sockets from this list in a later turn of its event loop.
    const openSockets = (): string[] => process.getActiveResourcesInfo().filter(name => /^(TCP|UDP)/.test(name));
    await expect.poll(openSockets).toEqual(['UDPWrap']);
    taken.close();
  },
);
