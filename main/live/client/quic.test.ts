import {createSocket, type Socket} from 'node:dgram';
import {once} from 'node:events';
import {setTimeout as wait} from 'node:timers/promises';
import {afterEach, describe, expect, test} from 'vitest';
import {H3Client} from '../../../app/http/h3/h3Client.ts';
import type {TransportEvent} from '../../../app/http/transports.ts';
import {measure} from '../../../app/run/metrics/metrics.ts';
import {parseScenario, type Scenario} from '../../../app/run/scenario/scenario.ts';
import {decodeRun, encodeRun} from '../../../app/run/trace/runFile.ts';
import {Trace} from '../../../app/run/trace/trace.ts';
import type {TraceData} from '../../../app/run/trace/traceData.ts';
import {QuicConnection} from '../../../native/addon/index.js';
import {startClock} from '../../net/clock.ts';
import {openPage} from '../../pages/openPage.ts';
import {writePieces} from '../server/h3End.ts';
import {type LiveServer, startServer} from '../server/liveServer.ts';
import {SERVER_LIMITS, type ServerLimits} from '../server/serverLimits.ts';
import {LiveLoad} from './liveLoad.ts';
import {QuicClient} from './quicClient.ts';

const page = await openPage({kind: 'named', name: 'gallery'}, 'fixtures/pages');
const never = new AbortController().signal;
const OTHER = 'ab'.repeat(32);
const closing: (() => unknown)[] = [];

afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

async function serve(limits: Partial<ServerLimits> = {}, token?: string): Promise<LiveServer> {
  const all = {...SERVER_LIMITS, ...limits};
  const server = await startServer({page, host: '127.0.0.1', port: 0, token, limits: all, sweepMs: 20});
  closing.push(() => server.close());
  return server;
}

function scenarioOf(port: number, fingerprint: string, pane: object = {}): Scenario {
  const path = {live: `127.0.0.1:${port}`, fingerprint};
  const parsed = parseScenario({path, panes: [{pipeline: 'h3', profile: 'modern', ...pane}]});
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.problems));
  return parsed.scenario;
}

async function loaded(
  {port, quic}: Pick<LiveServer, 'port' | 'quic'>,
  {fingerprint = quic.fingerprint, token, pane}: {fingerprint?: string; token?: string; pane?: object} = {},
): Promise<TraceData> {
  const run = await new LiveLoad(page, scenarioOf(port, fingerprint, pane), {
    signal: never,
    tokenFor: () => token,
  }).run();
  const {ok} = decodeRun(encodeRun(run));
  expect(ok).toBe(true);
  return run.panes[0] as TraceData;
}

/** Returns for each object whether it arrived completely. */
function whole(data: TraceData): boolean[] {
  const {objects} = measure(data, new Trace(data));
  return objects.map(({completeMs}) => completeMs !== null);
}

async function bound(port = 0): Promise<Socket> {
  const socket = createSocket('udp4');
  closing.push(() => socket.close());
  socket.bind(port, '127.0.0.1');
  await once(socket, 'listening');
  return socket;
}

/** Returns the first datagram of a client that sends nothing else. */
function firstDatagram(fingerprint: string): Uint8Array {
  const options = {quic: {profile: 'modern'}, mtuBytes: 1500, fingerprint} as const;
  const key = crypto.getRandomValues(new Uint8Array(64));
  const client = new QuicConnection(options, key);
  client.connect();
  const [datagram = new Uint8Array()] = client.pollTransmit(0);
  client.free();
  return datagram;
}

/**
 * Connects a client. `told` waits for an event of a type, on the stream `stream`. If `stream` is undefined, an event on
 * any stream counts.
 */
async function connected({quic: {port, fingerprint}}: LiveServer) {
  const events: TransportEvent[] = [];
  const clock = startClock();
  const onEvents = (more: readonly TransportEvent[]): void => {
    events.push(...more);
    for (const event of more) if (event.type === 'readable') client.end.read(event.stream);
  };
  const own = {quic: {profile: 'modern'} as const, fingerprint, clock, onEvents, onError: () => undefined};
  const client = new QuicClient({...own, host: '127.0.0.1', port});
  closing.push(() => client.close());
  client.connect();
  const told = async (type: TransportEvent['type'], stream?: number): Promise<TransportEvent> => {
    for (; ; await wait(1)) {
      const is = (event: TransportEvent): boolean =>
        event.type === type && (stream === undefined || ('stream' in event && event.stream === stream));
      const found = events.find(is);
      if (found !== undefined) return found;
    }
  };
  await told('connected');
  return {client, told};
}

/** A client that has requested three objects and received the first bytes of the second one. */
async function threeResponses() {
  const server = await serve({bufferBytes: 8192});
  const {client, told} = await connected(server);
  const sources = [1, 2, 3].map(object => page.objects[object]?.url ?? '');
  const http = new H3Client({requestBytes: 200, scheduler: 'round-robin', onResponse: () => undefined});
  for (const [object, url] of sources.entries()) http.request(object, url);
  for (let piece = http.poll(); piece !== undefined; piece = http.poll()) writePieces(client.end, [piece]);
  client.go();
  await told('readable', 4);
  return {server, client, told};
}

/** The error code H3_REQUEST_CANCELLED (RFC 9114 §8.1). */
const REQUEST_CANCELLED = 0x10c;

describe('HTTP/3 live', () => {
  test('loads every object completely, and knows the object of every byte', async () => {
    const server = await serve();
    for (const scheduler of ['round-robin', 'first-come']) {
      const data = await loaded(server, {pane: {scheduler}});
      expect(data).toMatchObject({outcome: 'complete', reason: null, pipeline: 'h3'});
      expect(whole(data).every(Boolean)).toBe(true);
      // Each object's pieces contain its body and a few bytes of frames.
      const bytesOf = page.objects.map(() => 0);
      const {object, bytes, row} = data.chunkPieces;
      for (const [at, chunk] of row.entries()) {
        const packet = data.chunks.packet[chunk] ?? 0;
        const isAgain = data.chunks.retransmission[chunk] === 1;
        const number = object[at] ?? 0;
        if (data.packets.direction[packet] === 0 && !isAgain)
          bytesOf[number] = (bytesOf[number] ?? 0) + (bytes[at] ?? 0);
      }
      for (const [number, {body}] of page.objects.entries()) {
        expect(bytesOf[number]).toBeGreaterThan(body?.length ?? 0);
        expect(bytesOf[number]).toBeLessThan((body?.length ?? 0) + 300);
      }
      expect(data.samples.srttNs.at(-1)).toBeGreaterThan(0);
    }
    while (server.peers().quic > 0) await wait(1);
  });

  test('ends with both fingerprints in the reason if the certificate has another fingerprint', async () => {
    const server = await serve();
    const data = await loaded(server, {fingerprint: OTHER});
    expect(data.outcome).toBe('aborted');
    expect(data.reason).toContain(server.quic.fingerprint);
    expect(data.reason).toContain(OTHER);
    expect(whole(data).some(Boolean)).toBe(false);
  });

  test('every request must contain the token', async () => {
    const server = await serve({}, 'T');
    expect((await loaded(server)).reason).toContain('403');
    expect(whole(await loaded(server, {token: 'T'})).every(Boolean)).toBe(true);
  });

  test('ends the pane with the reason if nobody listens', async () => {
    const socket = await bound();
    const {port} = socket.address();
    closing.pop();
    socket.close();
    await once(socket, 'close');
    const data = await loaded({port: port - 1, quic: {port, fingerprint: OTHER}});
    expect(data).toMatchObject({outcome: 'aborted', reason: `nobody listens at 127.0.0.1:${port}`});
  });

  test('a server that ends during the load ends the pane, which keeps the data received before', async () => {
    const server = await serve({bufferBytes: 1024});
    const load = loaded(server);
    while (server.peers().quic === 0) await wait(1);
    await server.close();
    closing.pop();
    const data = await load;
    expect(data.outcome).not.toBe('complete');
    expect(data.reason).toMatch(/peer-abort|nobody listens at/);
    expect(data.packets.sentNs.length).toBeGreaterThan(0);
  });
});

describe('a server of HTTP/3', () => {
  test('stores nothing for datagrams that are not QUIC, and still serves clients', async () => {
    const server = await serve();
    const socket = await bound();
    const first = firstDatagram(OTHER);
    const bad: Uint8Array[] = [
      new Uint8Array(),
      Uint8Array.of(0xc0),
      new Uint8Array(1200),
      new Uint8Array(1472).fill(0xff),
    ];
    // These datagrams are cut short or damaged.
    for (let bytes = 1; bytes < first.length; bytes += 97) bad.push(first.subarray(0, bytes));
    for (let at = 0; at < 60; at++)
      bad.push(Uint8Array.from(first, (byte, index) => (index === at * 20 ? byte ^ 0x55 : byte)));
    for (const datagram of bad) socket.send(datagram, server.quic.port, '127.0.0.1');
    expect(whole(await loaded(server)).every(Boolean)).toBe(true);
    while (server.peers().quic > 0) await wait(1);
  });

  test('keeps a bounded number of unfinished handshakes, and other clients can still load', async () => {
    const server = await serve({halfOpen: 3});
    const socket = await bound();
    const answers: number[] = [];
    socket.on('message', answer => answers.push((answer[0] ?? 0) & 0xf0));
    for (let count = 0; count < 20; count++) socket.send(firstDatagram(OTHER), server.quic.port, '127.0.0.1');
    // 0xf0 is a Retry packet (RFC 9000 §17.2.5).
    while (answers.filter(kind => kind === 0xf0).length < 17) await wait(1);
    expect(server.peers().quic).toBe(3);
    expect(whole(await loaded(server)).every(Boolean)).toBe(true);
  });

  test('ends peers that do not finish their handshake, and no longer counts them', async () => {
    const server = await serve({handshakeMs: 50, halfOpen: 1});
    const socket = await bound();
    const answers: number[] = [];
    socket.on('message', answer => answers.push((answer[0] ?? 0) & 0xf0));
    const datagram = firstDatagram(OTHER);
    for (let times = 0; times < 2; times++) {
      socket.send(datagram, server.quic.port, '127.0.0.1');
      while (server.peers().quic === 0) await wait(1);
      while (server.peers().quic > 0) await wait(10);
    }
    expect(answers).not.toContain(0xf0);
  });

  test('closes peers that request nothing', async () => {
    const server = await serve({idleMs: 500});
    const {told} = await connected(server);
    await told('closed');
    expect(server.peers().quic).toBe(0);
  });

  test('counts a handshake only until it is complete', async () => {
    const server = await serve({halfOpen: 1});
    for (let times = 0; times < 3; times++) await loaded(server);
    while (server.peers().quic > 0) await wait(1);
    const socket = await bound();
    socket.send(firstDatagram(OTHER), server.quic.port, '127.0.0.1');
    while (server.peers().quic === 0) await wait(1);
  });

  test('still sends the other responses when the client cancels one', async () => {
    const {client, told} = await threeResponses();
    client.end.reset(4, REQUEST_CANCELLED);
    client.go();
    for (const stream of [0, 8]) await told('finished', stream);
  });

  test('continues its responses when the port of the client changes', async () => {
    const {server, client, told} = await threeResponses();
    client.move();
    for (const stream of [0, 4, 8]) await told('finished', stream);
    expect(server.peers().quic).toBe(1);
  });

  test('ends a peer that breaks the protocol, opens too many streams, or has too many requests at once', async () => {
    const dataFrame = Uint8Array.of(0, 1, 7);
    for (const [limits, pieces] of [
      [{}, [{stream: 0, bytes: dataFrame, object: null, isEnd: true}]],
      [
        {streamBytes: 2000},
        Array.from({length: 20}, (_, at) => ({
          stream: 4 * at,
          bytes: new Uint8Array(),
          object: null,
          isEnd: true,
        })),
      ],
    ] as const) {
      const {client, told} = await connected(await serve(limits));
      writePieces(client.end, pieces);
      client.go();
      expect(await told('closed')).toMatchObject({reason: 'peer-abort'});
    }
    expect((await loaded(await serve({waiting: 2}))).reason).toContain('peer-abort');
  });

  test('ends a peer that sends too much', async () => {
    const server = await serve({streamBytes: 1000});
    expect((await loaded(server)).reason).toContain('peer-abort');
  });

  test('has no more peers than its limit', async () => {
    const server = await serve({peers: 2, halfOpen: 10});
    const socket = await bound();
    for (let count = 0; count < 5; count++) socket.send(firstDatagram(OTHER), server.quic.port, '127.0.0.1');
    while (server.peers().quic < 2) await wait(1);
    await wait(20);
    expect(server.peers().quic).toBe(2);
  });
});
