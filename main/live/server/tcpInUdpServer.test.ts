import {createHash} from 'node:crypto';
import {createSocket, type Socket} from 'node:dgram';
import {setTimeout as wait} from 'node:timers/promises';
import {afterEach, describe, expect, test} from 'vitest';
import {ResponseParser} from '../../../app/http/response.ts';
import type {TcpEndOptions} from '../../../app/http/transports.ts';
import {TcpConnection} from '../../../native/addon/index.js';
import {startClock} from '../../net/clock.ts';
import {openPage} from '../../pages/openPage.ts';
import {tcpPortOf} from '../base/tcpInUdp.ts';
import {TcpInUdpClient} from '../client/tcpInUdpClient.ts';
import {type LiveServer, startServer} from './liveServer.ts';
import {SERVER_LIMITS, type ServerLimits} from './serverLimits.ts';

const page = await openPage({kind: 'named', name: 'gallery'}, 'fixtures/pages');
/** Functions that close what a test has opened. */
const ends: (() => unknown)[] = [];

afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

async function serve(limits: Partial<ServerLimits> = {}): Promise<LiveServer> {
  const allLimits = {...SERVER_LIMITS, ...limits};
  const options = {page, host: '127.0.0.1', port: 0, token: undefined, limits: allLimits};
  const server = await startServer({...options, sweepMs: 50});
  ends.push(() => server.close());
  return server;
}

/** Opens a client. `told` is the list of its events, and `until` waits until its argument returns true. */
function opened({port}: LiveServer, profile: TcpEndOptions['profile'] = 'modern') {
  const told: string[] = [];
  const parser = new ResponseParser();
  const bodies = createHash('sha256');
  let change = (): void => undefined;
  let answers = 0;
  const client: TcpInUdpClient = new TcpInUdpClient({
    host: '127.0.0.1',
    port,
    clock: startClock(),
    onError: () => undefined,
    tcp: {profile},
    onEvents: events => {
      for (const event of events) {
        told.push(event.type === 'closed' ? `closed: ${event.reason}` : event.type);
        const bytes = event.type === 'readable' ? client.read() : new Uint8Array();
        for (const found of parser.push(bytes)) {
          if (found.type === 'body') bodies.update(found.bytes);
          if (found.type === 'end') answers += 1;
        }
      }
      change();
    },
  });
  ends.push(() => client.close());
  client.connect();
  const until = async (has: () => boolean): Promise<void> => {
    while (!has()) await new Promise<void>(resolve => (change = resolve));
  };
  const send = (text: string): void => {
    client.write(Buffer.from(text, 'latin1'));
    client.go();
  };
  const isOpen = (): boolean => told.includes('connected');
  return {client, told, until, send, isOpen, bodies, answers: () => answers};
}

function get(url: string): string {
  return `GET ${url} HTTP/1.1\r\nHost: a\r\n\r\n`;
}

async function rawSocket({tcpInUdpPort}: LiveServer): Promise<Socket> {
  const socket = createSocket('udp4');
  await new Promise<void>(resolve => socket.connect(tcpInUdpPort, '127.0.0.1', resolve));
  ends.push(() => socket.close());
  return socket;
}

/** Returns the SYN of a new client. */
function segmentOf(port: number, peerPort = tcpPortOf('modern')): Uint8Array {
  const options = {role: 'client', mtuBytes: 1492, port, peerPort, seed: port} as const;
  const connection = new TcpConnection({...options, tcp: {profile: 'modern'}});
  connection.connect();
  const [syn = new Uint8Array()] = connection.pollTransmit(0);
  connection.free();
  return syn;
}

/** Sets the flag FIN of a segment, and corrects its checksum (RFC 9293 §3.1). */
function withFin(segment: Uint8Array): Uint8Array {
  const changed = Buffer.from(segment);
  changed.writeUInt8(changed.readUInt8(FLAGS_AT) | 1, FLAGS_AT);
  changed.writeUInt16BE(changed.readUInt16BE(CHECKSUM_AT) - 1, CHECKSUM_AT);
  return changed;
}

const FLAGS_AT = 13;
const CHECKSUM_AT = 16;
const [RST, SYN_ACK] = [4, 18];

describe('HTTP/1.1 on our TCP in UDP', () => {
  test('answers requests in order, with the page’s bytes, for every profile', async () => {
    const server = await serve();
    const expected = createHash('sha256');
    for (const {body} of page.objects) expected.update(body ?? '');
    const digest = expected.digest('hex');
    for (const profile of ['classic', 'modern', 'reno', 'classic-quickack', 'classic-iw10'] as const) {
      const one = opened(server, profile);
      one.send(page.objects.map(({url}) => get(url)).join(''));
      await one.until(() => one.answers() === page.objects.length);
      expect(one.bodies.digest('hex')).toBe(digest);
    }
    expect(server.peers()).toMatchObject({tcpInUdp: 5, halfOpen: 0});
  });

  test('the server’s end has the profile of the port that the client chose', async () => {
    const server = await serve();
    for (const [profile, hasSack] of [
      ['reno', false],
      ['classic', true],
    ] as const) {
      const socket = await rawSocket(server);
      socket.send(segmentOf(40_000, tcpPortOf(profile)));
      const answer = await new Promise<Buffer>(resolve => socket.once('message', resolve));
      expect(answer[FLAGS_AT]).toBe(SYN_ACK);
      // These bytes are the option SACK permitted (RFC 2018 §2).
      expect(answer.subarray(20).includes(Buffer.from([4, 2]))).toBe(hasSack);
    }
  });

  test('thousands of SYNs leave only a few half-open connections, and do not affect open ones', async () => {
    const server = await serve({halfOpen: 20});
    const before = opened(server);
    await before.until(before.isOpen);
    const socket = await rawSocket(server);
    for (let port = 1; port <= 2000; port++) {
      socket.send(segmentOf(port));
      if (port % 100 === 0) await wait(1);
    }
    while (server.peers().halfOpen < 20) await wait(5);
    const after = opened(server);
    await after.until(after.isOpen);
    for (const one of [before, after]) {
      one.send(get('/nothing'));
      await one.until(() => one.answers() === 1);
    }
    expect(server.peers()).toMatchObject({tcpInUdp: 2});
    expect(server.peers().halfOpen).toBeLessThanOrEqual(20);
  });

  test('an unfinished handshake ends after `handshakeMs`', async () => {
    const server = await serve({handshakeMs: 100});
    const socket = await rawSocket(server);
    socket.send(segmentOf(40_000));
    while (server.peers().halfOpen === 0) await wait(1);
    while (server.peers().halfOpen > 0) await wait(20);
  });

  test('a repeated SYN begins one connection, and a damaged SYN or a SYN to another port begins none', async () => {
    const server = await serve();
    const socket = await rawSocket(server);
    const answers: Buffer[] = [];
    socket.on('message', answer => answers.push(answer));
    const damaged = segmentOf(40_001);
    damaged[4] = (damaged[4] ?? 0) ^ 1;
    for (const segment of [damaged, segmentOf(40_002, 79), segmentOf(40_003, 85), Buffer.alloc(19)])
      socket.send(segment);
    socket.send(segmentOf(40_000));
    socket.send(segmentOf(40_000));
    while (answers.length < 2) await wait(1);
    expect(answers.map(answer => [answer.readUInt16BE(2), answer[FLAGS_AT]])).toEqual([
      [40_000, SYN_ACK],
      [40_000, SYN_ACK],
    ]);
    expect(server.peers()).toMatchObject({tcpInUdp: 0, halfOpen: 1});
  });

  test('an ACK without a connection is answered with RST, and nothing is stored for it', async () => {
    const server = await serve();
    const socket = await rawSocket(server);
    // The client completes its handshake with another server, and sends its ACK to this server.
    const ports = {port: 40_000, peerPort: tcpPortOf('modern'), mtuBytes: 1492};
    const client = new TcpConnection({...ports, role: 'client', tcp: {profile: 'modern'}, seed: 1});
    const otherPorts = {port: ports.peerPort, peerPort: ports.port, mtuBytes: 1492};
    const other = new TcpConnection({...otherPorts, role: 'server', tcp: {profile: 'modern'}, seed: 2});
    client.connect();
    for (const segment of client.pollTransmit(0)) other.handlePacket(segment, 1);
    for (const segment of other.pollTransmit(1)) client.handlePacket(segment, 2);
    for (const segment of client.pollTransmit(2)) socket.send(segment);
    const answer = await new Promise<Buffer>(resolve => socket.once('message', resolve));
    expect(answer.readUInt8(FLAGS_AT) & RST).toBe(RST);
    client.handlePacket(answer, 3);
    expect(client.pollEvents()).toContainEqual({endpoint: 0, type: 'closed', reason: 'peer-abort'});
    expect(server.peers()).toMatchObject({tcpInUdp: 0, halfOpen: 0});
  });

  test('an idle peer is closed, and a peer that stops within a request or sends too many segments is aborted', async () => {
    const server = await serve({idleMs: 300, requestMs: 300, packets: 20});
    const [idle, half, endless] = [opened(server), opened(server), opened(server)];
    await half.until(half.isOpen);
    half.send('GET / HTTP/1.1\r\n');
    await endless.until(endless.isOpen);
    for (let count = 1; count <= 20; count++) {
      endless.send(get('/nothing'));
      await endless.until(() => endless.answers() === count);
    }
    endless.send(get('/nothing'));
    await endless.until(() => endless.told.includes('closed: peer-abort'));
    expect(endless.told).not.toContain('peer-closed');
    await idle.until(() => idle.told.includes('peer-closed'));
    await half.until(() => half.told.includes('closed: peer-abort'));
    while (server.peers().tcpInUdp > 0) await wait(20);
  });

  test('a peer that closes its side still gets the answers to all of its thousand requests', async () => {
    const server = await serve({waiting: 10, bufferBytes: 4096});
    const one = opened(server);
    await one.until(one.isOpen);
    one.send(
      `${get('/nothing').repeat(995)}${page.objects
        .slice(0, 5)
        .map(({url}) => get(url))
        .join('')}`,
    );
    one.client.end.close();
    one.client.go();
    await one.until(() => one.told.some(type => type.startsWith('closed')));
    expect(one.answers()).toBe(1000);
    expect(one.told.at(-1)).toBe('closed: finished');
    while (server.peers().tcpInUdp > 0) await wait(1);
  });

  test('beyond the limit a new peer replaces an idle peer, and is not answered while all peers are busy', async () => {
    const server = await serve({peers: 1});
    const first = opened(server);
    await first.until(first.isOpen);
    first.send(`${get('/nothing')}GET /nothing HTTP/1.1\r\n`);
    await first.until(() => first.answers() === 1);
    const second = opened(server);
    for (let count = 2; count <= 11; count++) {
      first.send(`Host: a\r\n\r\nGET /nothing HTTP/1.1\r\n`);
      await first.until(() => first.answers() === count);
    }
    expect(second.told).toEqual([]);
    first.send('Host: a\r\n\r\n');
    await second.until(second.isOpen);
    await first.until(() => first.told.includes('closed: peer-abort'));
  });

  test.each([
    ['SYNs', (syn: Uint8Array) => syn],
    ['SYNs with FIN', withFin],
  ])('%s beyond the allowed rate are not answered', async (_, changed) => {
    const few = {perSecond: 0.001, burst: 3};
    const server = await serve({handshakeRate: {ofOne: few, ofAll: {perSecond: 1000, burst: 1000}}});
    const socket = await rawSocket(server);
    const answers: Buffer[] = [];
    socket.on('message', answer => answers.push(answer));
    for (let port = 1; port <= 20; port++) socket.send(changed(segmentOf(port)));
    while (server.peers().halfOpen < 3) await wait(5);
    await wait(100);
    expect(server.peers().halfOpen).toBe(3);
    expect(new Set(answers.map(answer => answer.readUInt16BE(2)))).toEqual(new Set([1, 2, 3]));
  });

  test('closing the server aborts its connections', async () => {
    const server = await serve();
    const one = opened(server);
    await one.until(one.isOpen);
    const [close] = ends.splice(0, 1);
    await close?.();
    await one.until(() => one.told.includes('closed: peer-abort'));
  });
});
