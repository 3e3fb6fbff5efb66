import {createHash, randomBytes} from 'node:crypto';
import {createSocket} from 'node:dgram';
import {setTimeout as wait} from 'node:timers/promises';
import {afterEach, describe, expect, test} from 'vitest';
import {ResponseParser} from '../../../app/http/response.ts';
import {Association} from '../../../native/addon/index.js';
import {startClock} from '../../net/clock.ts';
import {openPage} from '../../pages/openPage.ts';
import {SctpClient} from '../client/sctpClient.ts';
import {type LiveServer, startServer} from './liveServer.ts';
import {SERVER_LIMITS, type ServerLimits} from './serverLimits.ts';

const page = await openPage({kind: 'named', name: 'gallery'}, 'fixtures/pages');
let server: LiveServer | undefined;
const clients: SctpClient[] = [];

afterEach(async () => {
  for (const client of clients.splice(0)) client.close();
  await server?.close();
  server = undefined;
});

async function serve(limits: Partial<ServerLimits> = {}): Promise<LiveServer> {
  const allLimits = {...SERVER_LIMITS, ...limits};
  const options = {page, host: '127.0.0.1', port: 0, token: undefined, limits: allLimits};
  server = await startServer({...options, sweepMs: 50});
  return server;
}

/** Opens a client. `told` is the list of its events, and `until` waits until its argument returns true. */
function opened({port}: LiveServer) {
  const told: string[] = [];
  const streams = new Map<number, Uint8Array[]>();
  let change = (): void => undefined;
  const client = new SctpClient({
    host: '127.0.0.1',
    port,
    clock: startClock(),
    onError: () => undefined,
    sctp: {profile: 'modern', streams: 8},
    record: {packets: true},
    onEvents: events => {
      for (const event of events) {
        told.push(event.type === 'closed' ? `closed: ${event.reason}` : event.type);
        if (event.type === 'message') streams.set(event.stream, [...(streams.get(event.stream) ?? []), event.bytes]);
      }
      change();
    },
  });
  clients.push(client);
  client.connect();
  const until = async (has: () => boolean): Promise<void> => {
    while (!has()) await new Promise<void>(resolve => (change = resolve));
  };
  const send = (stream: number, text: string): void => {
    client.association.send(stream, Buffer.from(text, 'latin1'));
    client.go();
  };
  return {client, told, streams, until, send};
}

function get(url: string): string {
  return `GET ${url} HTTP/1.1\r\nHost: a\r\n\r\n`;
}

function shaOf(pieces: readonly Uint8Array[]): string {
  const hash = createHash('sha256');
  for (const piece of pieces) hash.update(piece);
  return hash.digest('hex');
}

describe('HTTP over SCTP in UDP', () => {
  test('each object arrives on the stream on which it was requested, with the page’s bytes', async () => {
    // Ten packets are enough, because acknowledgements do not count.
    const one = opened(await serve({packets: 10}));
    await one.until(() => one.told.includes('connected'));
    const objects = page.objects.slice(0, 8);
    for (const [stream, {url}] of objects.entries()) one.send(stream, get(url));
    const bytesOf = (stream: number): number =>
      (one.streams.get(stream) ?? []).reduce((sum, {length}) => sum + length, 0);
    await one.until(() => objects.every(({body}, stream) => bytesOf(stream) >= page.headerBytes + (body?.length ?? 0)));
    for (const [stream, {body}] of objects.entries()) {
      const parser = new ResponseParser();
      const events = (one.streams.get(stream) ?? []).flatMap(bytes => [...parser.push(bytes)]);
      const pieces = events.flatMap(event => (event.type === 'body' ? [event.bytes] : []));
      expect(shaOf(pieces)).toBe(shaOf([body ?? new Uint8Array()]));
      expect(events.at(-1)).toEqual({type: 'end'});
    }
  });

  test('random packets are not answered, and no association is stored for them', async () => {
    const one = await serve();
    const socket = createSocket('udp4');
    const answers: Buffer[] = [];
    socket.on('message', packet => answers.push(packet));
    await new Promise<void>(resolve => socket.connect(one.port, '127.0.0.1', resolve));
    const client = opened(one);
    await client.until(() => client.told.includes('connected'));
    expect(one.peers().sctp).toBe(1);
    for (let i = 0; i < 1000; i++) socket.send(randomBytes(i % 80));
    client.send(0, get('/nothing'));
    await client.until(() => client.told.includes('message'));
    expect(one.peers().sctp).toBe(1);
    expect(answers).toEqual([]);
    socket.close();
  });

  test('a repeated cookie is acknowledged again, and a peer that restarts gets a new association', async () => {
    const one = await serve();
    const socket = createSocket('udp4');
    await new Promise<void>(resolve => socket.connect(one.port, '127.0.0.1', resolve));
    const answer = (packet: Uint8Array): Promise<Buffer> => {
      socket.send(packet);
      return new Promise(resolve => socket.once('message', resolve));
    };
    /** Connects, always from the same UDP port and SCTP port. Returns the packet with the COOKIE ECHO. */
    const connected = async (seed: number): Promise<Uint8Array> => {
      const ports = {port: 40_000, peerPort: 80, mtuBytes: 1492};
      const client = new Association({sctp: {profile: 'modern', streams: 8}, ...ports, seed});
      client.connect();
      const [init = new Uint8Array()] = client.pollTransmit(0);
      client.handlePacket(await answer(init), 1);
      const [echo = new Uint8Array()] = client.pollTransmit(1);
      client.handlePacket(await answer(echo), 2);
      expect(client.pollEvents()).toMatchObject([{type: 'connected'}]);
      return echo;
    };
    const echo = await connected(1);
    const COOKIE_ACK = 11;
    expect((await answer(echo))[12]).toBe(COOKIE_ACK);
    expect(one.peers().sctp).toBe(1);
    await connected(2);
    expect(one.peers().sctp).toBe(1);
    socket.close();
  });

  test('a peer with as many requests as may wait is answered', async () => {
    const one = opened(await serve({waiting: 10, bufferBytes: 2048}));
    await one.until(() => one.told.includes('connected'));
    const largest = page.objects.reduce((a, b) => ((a.body?.length ?? 0) > (b.body?.length ?? 0) ? a : b));
    for (let i = 0; i < 10; i++) one.send(i % 8, get(largest.url));
    await one.until(() => one.told.length > 60 || one.told.includes('closed: peer-abort'));
    expect(one.told).not.toContain('closed: peer-abort');
  });

  test('a peer with more requests than may wait is aborted', async () => {
    const one = opened(await serve({waiting: 10, bufferBytes: 2048}));
    await one.until(() => one.told.includes('connected'));
    const largest = page.objects.reduce((a, b) => ((a.body?.length ?? 0) > (b.body?.length ?? 0) ? a : b));
    for (let i = 0; i < 12; i++) one.send(i % 8, get(largest.url));
    await one.until(() => one.told.includes('closed: peer-abort'));
  });

  test('a peer that sends more packets than the limit is aborted', async () => {
    const one = opened(await serve({packets: 50}));
    await one.until(() => one.told.includes('connected'));
    for (let i = 0; i < 40; i++) one.send(i % 8, get('/nothing'));
    await one.until(() => one.told.filter(type => type === 'message').length === 40);
    expect(one.told).not.toContain('closed: peer-abort');
    for (let i = 0; i < 20; i++) one.send(i % 8, get('/nothing'));
    await one.until(() => one.told.includes('closed: peer-abort'));
  });

  test('a peer without a request is shut down, and one that stops within a request is aborted', async () => {
    const one = await serve({idleMs: 300, requestMs: 300});
    const [idle, half] = [opened(one), opened(one)];
    await half.until(() => half.told.includes('connected'));
    half.send(0, 'GET / HTTP/1.1\r\n');
    await idle.until(() => idle.told.includes('closed: finished'));
    await half.until(() => half.told.includes('closed: peer-abort'));
    while (one.peers().sctp > 0) await wait(20);
  });

  test('beyond the limit a new peer replaces an idle peer, and is not answered while all peers are busy', async () => {
    const one = await serve({peers: 1});
    const first = opened(one);
    await first.until(() => first.told.includes('connected'));
    first.send(0, 'GET /nothing HTTP/1.1\r\n');
    const second = opened(one);
    while (second.client.association.packets().sentNs.length === 0) await wait(1);
    // The second client sent its INIT before these requests, so the server had time to answer it.
    for (let count = 1; count <= 10; count++) {
      first.send(1, get('/nothing'));
      await first.until(() => first.told.filter(type => type === 'message').length === count);
    }
    expect(second.told).toEqual([]);
    first.send(0, 'Host: a\r\n\r\n');
    await second.until(() => second.told.includes('connected'));
    await first.until(() => first.told.includes('closed: peer-abort'));
  });

  test('INITs beyond the allowed rate are not answered', async () => {
    const few = {perSecond: 0.001, burst: 3};
    const one = await serve({handshakeRate: {ofOne: few, ofAll: {perSecond: 1000, burst: 1000}}});
    const allowed = [opened(one), opened(one), opened(one)];
    for (const each of allowed) await each.until(() => each.told.includes('connected'));
    const beyond = opened(one);
    while (beyond.client.association.packets().sentNs.length === 0) await wait(1);
    const [first] = allowed;
    for (let count = 1; count <= 10; count++) {
      first?.send(0, get('/nothing'));
      await first?.until(() => first.told.filter(type => type === 'message').length === count);
    }
    expect(beyond.told).toEqual([]);
  });

  test('partial heads are bounded for an association, on all of its streams together', async () => {
    const one = await serve({headBytes: 20_000});
    const [many, other] = [opened(one), opened(one)];
    for (const each of [many, other]) await each.until(() => each.told.includes('connected'));
    other.send(0, `GET / HTTP/1.1\r\nX: ${'x'.repeat(12_000)}`);
    for (const stream of [0, 1]) many.send(stream, `GET / HTTP/1.1\r\nX: ${'x'.repeat(12_000)}`);
    await many.until(() => many.told.includes('closed: peer-abort'));
    other.send(1, get('/nothing'));
    await other.until(() => other.told.includes('message'));
  });

  test('partial heads are bounded for all associations together, and the oldest association is aborted', async () => {
    const one = await serve({headInAllBytes: 20_000});
    const [before, after] = [opened(one), opened(one)];
    for (const each of [before, after]) {
      await each.until(() => each.told.includes('connected'));
      each.send(0, `GET / HTTP/1.1\r\nX: ${'x'.repeat(12_000)}`);
      // When the next request is answered, the partial head has arrived.
      each.send(1, get('/nothing'));
      await each.until(() => each.told.includes('message'));
    }
    await before.until(() => before.told.includes('closed: peer-abort'));
    expect(after.told.some(type => type.startsWith('closed'))).toBe(false);
  });

  test('closing the server aborts its associations', async () => {
    const running = await serve();
    const one = opened(running);
    await one.until(() => one.told.includes('connected'));
    await running.close();
    server = undefined;
    await one.until(() => one.told.includes('closed: peer-abort'));
  });
});
