// These tests flood our server with half-open handshakes, over the transports whose servers keep state for them.
import {randomBytes} from 'node:crypto';
import {createSocket, type Socket} from 'node:dgram';
import {setTimeout as wait} from 'node:timers/promises';
import {afterEach, describe, expect, test} from 'vitest';
import {H3Client} from '../../app/http/h3/h3Client.ts';
import type {TransportEvent} from '../../app/http/transports.ts';
import {QuicClient} from '../../main/live/client/quicClient.ts';
import {TcpInUdpClient} from '../../main/live/client/tcpInUdpClient.ts';
import {writePieces} from '../../main/live/server/h3End.ts';
import {type LiveServer, startServer} from '../../main/live/server/liveServer.ts';
import {SERVER_LIMITS} from '../../main/live/server/serverLimits.ts';
import {startClock} from '../../main/net/clock.ts';
import {openPage} from '../../main/pages/openPage.ts';
import {QuicConnection, TcpConnection} from '../addon/index.js';

const page = await openPage({kind: 'named', name: 'gallery'}, 'fixtures/pages');
const FLOOD = 400;
const HALF_OPEN = 10;
const closing: (() => unknown)[] = [];

afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

/** Returns the first datagram of a client that sends nothing more. */
function firstOfTcp(number: number): Uint8Array | undefined {
  const ports = {port: 1 + number, peerPort: 80 + (number % 5)};
  const options = {role: 'client', tcp: {profile: 'modern'}, mtuBytes: 1492, seed: number} as const;
  return firstOf(new TcpConnection({...options, ...ports}));
}

function firstOfQuic(_: number, fingerprint: string): Uint8Array | undefined {
  return firstOf(new QuicConnection({quic: {profile: 'modern'}, mtuBytes: 1500, fingerprint}, randomBytes(64)));
}

function firstOf(end: TcpConnection | QuicConnection): Uint8Array | undefined {
  end.connect();
  const [first] = end.pollTransmit(0);
  end.free();
  return first;
}

/** Opens a connection. Returns a function that sends a request and waits for the answer. */
type Opens = (server: LiveServer) => Promise<() => Promise<void>>;

const overTcp: Opens = async ({port}) => {
  const [said, told] = [[] as Buffer[], new Set<string>()];
  const onEvents = (events: readonly TransportEvent[]): void => {
    for (const {type} of events) told.add(type);
    said.push(Buffer.from(client.read()));
  };
  const client: TcpInUdpClient = new TcpInUdpClient({
    host: '127.0.0.1',
    port,
    clock: startClock(),
    tcp: {profile: 'modern'},
    onEvents,
    onError: () => undefined,
  });
  closing.push(() => client.close());
  client.connect();
  while (!told.has('connected')) await wait(2);
  return async () => {
    client.write(Buffer.from('GET /nothing HTTP/1.1\r\nHost: a\r\n\r\n'));
    client.go();
    while (!Buffer.concat(said).includes('HTTP/1.1 404')) await wait(2);
  };
};

const overQuic: Opens = async ({quic: {port, fingerprint}}) => {
  const told = new Set<string>();
  const onEvents = (events: readonly TransportEvent[]): void => {
    for (const event of events) {
      told.add(event.type);
      if (event.type === 'readable') client.end.read(event.stream);
      if (event.type === 'finished') told.add(`finished ${event.stream}`);
    }
  };
  const client: QuicClient = new QuicClient({
    host: '127.0.0.1',
    port,
    clock: startClock(),
    quic: {profile: 'modern'},
    fingerprint,
    onEvents,
    onError: () => undefined,
  });
  closing.push(() => client.close());
  client.connect();
  while (!told.has('connected')) await wait(2);
  return async () => {
    const http = new H3Client({requestBytes: 200, scheduler: 'round-robin', onResponse: () => undefined});
    http.request(0, '/nothing');
    for (let piece = http.poll(); piece !== undefined; piece = http.poll()) writePieces(client.end, [piece]);
    client.go();
    while (!told.has('finished 0')) await wait(2);
  };
};

async function socketTo(port: number): Promise<Socket> {
  const socket = createSocket('udp4');
  closing.push(() => socket.close());
  await new Promise<void>(resolve => socket.connect(port, '127.0.0.1', resolve));
  return socket;
}

describe('half-open handshakes', () => {
  test.each([
    {
      name: 'TCP in UDP',
      opens: overTcp,
      first: firstOfTcp,
      portOf: (server: LiveServer) => server.tcpInUdpPort,
      // This server counts open connections separately.
      countsOf: ({halfOpen, tcpInUdp}: Peers) => ({halfOpen, open: tcpInUdp}),
    },
    {
      name: 'QUIC',
      opens: overQuic,
      first: firstOfQuic,
      portOf: (server: LiveServer) => server.quic.port,
      countsOf: ({quic}: Peers) => ({halfOpen: Math.max(0, quic - 2), open: Math.min(2, quic)}),
    },
  ])('over $name are limited, do not keep other clients out, and are dropped', async of => {
    const limits = {...SERVER_LIMITS, halfOpen: HALF_OPEN, handshakeMs: 500};
    const server = await startServer({page, host: '127.0.0.1', port: 0, token: undefined, limits});
    closing.push(() => server.close());
    const before = await of.opens(server);
    const sockets = await Promise.all(Array.from({length: 4}, () => socketTo(of.portOf(server))));
    let most = 0;
    for (let number = 0; number < FLOOD; number++) {
      sockets[number % 4]?.send(of.first(number, server.quic.fingerprint) ?? new Uint8Array());
      if (number % 20 === 0) await wait(1);
      most = Math.max(most, of.countsOf(server.peers()).halfOpen);
    }
    const after = await of.opens(server);
    most = Math.max(most, of.countsOf(server.peers()).halfOpen);
    await Promise.all([before(), after()]);
    expect(most).toBeGreaterThan(HALF_OPEN / 2);
    expect(most).toBeLessThanOrEqual(HALF_OPEN);
    while (of.countsOf(server.peers()).halfOpen > 0) await wait(10);
    expect(of.countsOf(server.peers()).open).toBe(2);
    closing.shift();
    await server.close();
    expect(Object.values(server.peers()).every(count => count === 0)).toBe(true);
  });
});

type Peers = ReturnType<LiveServer['peers']>;
