// These tests send floods, forged and malformed packets to our server, and connect silent and stuck clients. The
// variable INTERLEAVE_ABUSE sets the number of clients, and makes the tests print the memory that remains in use. Run
// them with 500 clients by: INTERLEAVE_ABUSE=500 npx vitest run native/interop/abuse.test.ts
// --disable-console-intercept
import {createHash} from 'node:crypto';
import {connect, type Socket} from 'node:net';
import {text} from 'node:stream/consumers';
import {setTimeout as wait} from 'node:timers/promises';
import {setFlagsFromString} from 'node:v8';
import {runInNewContext} from 'node:vm';
import {afterEach, beforeEach, describe, expect, test} from 'vitest';
import {parseScenario} from '../../app/run/scenario/scenario.ts';
import {PORT_OFFSETS} from '../../main/live/base/liveAddress.ts';
import {LiveLoad} from '../../main/live/client/liveLoad.ts';
import {SctpClient} from '../../main/live/client/sctpClient.ts';
import {type LiveServer, startServer} from '../../main/live/server/liveServer.ts';
import {SERVER_LIMITS, type ServerLimits} from '../../main/live/server/serverLimits.ts';
import {startClock} from '../../main/net/clock.ts';
import {openPage} from '../../main/pages/openPage.ts';
import {Association} from '../addon/index.js';
import {drawsOf, mutantOf} from './testing/mutants.ts';
import {relayWithMutants} from './testing/mutatingRelay.ts';
import {RawSctp} from './testing/rawSctp.ts';
import {withChecksum} from './testing/sctpChecksum.ts';
import {withTcpChecksum} from './testing/tcpChecksum.ts';

const ASKED = process.env['INTERLEAVE_ABUSE'];
const MANY = Number(ASKED ?? 40);

const page = await openPage({kind: 'named', name: 'gallery'}, 'fixtures/pages');
const [index] = page.objects;
const open: {close(): unknown}[] = [];
let server: LiveServer | undefined;
let before: NodeJS.MemoryUsage;
let handles: readonly string[];

setFlagsFromString('--expose-gc');
const collect: () => void = runInNewContext('gc');

beforeEach(() => {
  collect();
  before = process.memoryUsage();
  handles = openHandles();
});

afterEach(async ({task}) => {
  for (const each of open.splice(0)) each.close();
  await server?.close();
  server = undefined;
  for (let tries = 0; openHandles().length > handles.length && tries < 200; tries++) await wait(10);
  expect(openHandles()).toEqual(handles);
  collect();
  const {rss, heapUsed, external} = process.memoryUsage();
  const mb = (bytes: number): string => `${(bytes / 1e6).toFixed(1)} MB`;
  if (ASKED === undefined) return;
  const grown = [rss - before.rss, heapUsed - before.heapUsed, external - before.external].map(mb);
  console.log(`${task.name}: rss ${mb(rss)}; grown: rss, heap, external ${grown.join(', ')}`);
});

/** Returns the kind of each open socket. */
function openHandles(): string[] {
  return process
    .getActiveResourcesInfo()
    .filter(name => /^(TCP|UDP)/.test(name))
    .sort();
}

async function serve(limits: Partial<ServerLimits> = {}, token?: string): Promise<LiveServer> {
  const all = {...SERVER_LIMITS, ...limits};
  server = await startServer({page, host: '127.0.0.1', port: 0, token, limits: all});
  return server;
}

function get(url: string, ...fields: string[]): string {
  return [`GET ${url} HTTP/1.1`, 'Host: a', ...fields, '', ''].join('\r\n');
}

function tcpTo({port}: LiveServer): Socket {
  const socket = connect(port, '127.0.0.1').on('error', () => undefined);
  open.push({close: () => socket.destroy()});
  return socket;
}

async function raw({port}: LiveServer, seed: number): Promise<RawSctp> {
  const made = await RawSctp.open(port, seed);
  open.push(made);
  return made;
}

/** Sends one request over SCTP and returns the first `bytes` or more of the answer. */
function answerOverSctp({port}: LiveServer, request: string, bytes: number): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const pieces: Uint8Array[] = [];
    const client = new SctpClient({
      host: '127.0.0.1',
      port,
      clock: startClock(),
      sctp: {profile: 'modern', streams: 4},
      record: {packets: false, samples: false},
      onError: reject,
      onEvents: events => {
        for (const event of events) {
          if (event.type === 'message') pieces.push(event.bytes);
          if (event.type === 'connected') queueMicrotask(ask);
          if (event.type === 'closed') reject(new Error(event.reason));
        }
        if (pieces.reduce((sum, {length}) => sum + length, 0) >= bytes) resolve(Buffer.concat(pieces));
      },
    });
    const ask = (): void => {
      client.association.send(1, Buffer.from(request, 'latin1'));
      client.go();
    };
    open.push(client);
    client.connect();
  });
}

const responseBytes = page.headerBytes + (index?.body?.length ?? 0);
const shaOf = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');
const bodySha = shaOf(index?.body ?? new Uint8Array());

/** Checks that the server still delivers the page to well-behaved clients. */
async function expectService(one: LiveServer): Promise<void> {
  const answer = await answerOverSctp(one, get('/'), responseBytes);
  expect(shaOf(answer.subarray(page.headerBytes))).toBe(bodySha);
  const socket = tcpTo(one);
  socket.end(get('/'));
  const said = await text(socket.setEncoding('latin1'));
  expect(shaOf(Buffer.from(said, 'latin1').subarray(page.headerBytes))).toBe(bodySha);
}

async function until(has: () => boolean): Promise<void> {
  while (!has()) await wait(5);
}

describe('a server under abuse', () => {
  test('serves many clients at once, over TCP and over SCTP, and keeps nothing of them afterwards', async () => {
    const one = await serve();
    const numbers = Array.from({length: MANY}, (_, number) => number);
    const overTcp = numbers.map(async () => {
      const socket = tcpTo(one);
      socket.end(get('/'));
      return Buffer.from(await text(socket.setEncoding('latin1')), 'latin1');
    });
    const overSctp = numbers.map(() => answerOverSctp(one, get('/'), responseBytes));
    for (const answer of await Promise.all([...overTcp, ...overSctp])) {
      expect(shaOf(answer.subarray(page.headerBytes))).toBe(bodySha);
    }
    for (const each of open.splice(0)) each.close();
    await until(() => one.peers().tcp + one.peers().sctp === 0);
  });

  test('keeps no state for INITs without a COOKIE ECHO', async () => {
    const one = await serve();
    const flooding = await raw(one, 1);
    for (let seed = 0; seed < 20 * MANY; seed++) {
      const ports = {port: 1 + seed, peerPort: 80, mtuBytes: 1492};
      const client = new Association({sctp: {profile: 'modern', streams: 8}, ...ports, seed});
      client.connect();
      flooding.send(client.pollTransmit(0));
      client.free();
      // Wait for an answer now and then, because the kernel's buffer holds a limited number of packets.
      if (seed % 20 === 0) expect((await flooding.next())[12]).toBe(INIT_ACK);
    }
    expect(one.peers().sctp).toBe(0);
    await expectService(one);
  });

  test('accepts a cookie only unchanged and only from the address to which it was sent', async () => {
    const one = await serve();
    const [client, elsewhere] = [await raw(one, 1), await raw(one, 2)];
    const echo = await client.cookieEcho();
    elsewhere.send([echo]);
    const draw = drawsOf(1);
    // Only bytes before the padding are changed, because a receiver ignores padding.
    const end = COMMON_HEADER_BYTES + new DataView(echo.buffer, echo.byteOffset).getUint16(COMMON_HEADER_BYTES + 2);
    for (let forged = 0; forged < 5 * MANY; forged++) {
      const wrong = echo.slice();
      const at = COOKIE_AT + draw(end - COOKIE_AT);
      wrong[at] = (wrong[at] ?? 0) ^ (1 << draw(8));
      client.send([withChecksum(wrong)]);
    }
    await expectService(one);
    // Close the clients of `expectService`.
    for (const each of open.splice(2)) each.close();
    await until(() => one.peers().sctp === 0);
    client.send([echo]);
    await until(() => one.peers().sctp === 1);
  });

  test('drops clients that stay silent after their COOKIE ECHO', async () => {
    const one = await serve({idleMs: 50});
    for (let seed = 1; seed <= MANY / 4; seed++) {
      const client = await raw(one, seed);
      client.send([await client.cookieEcho()]);
    }
    await until(() => one.peers().sctp === Math.floor(MANY / 4));
    await until(() => one.peers().sctp === 0);
  });

  test('drops clients whose receive window stays closed', async () => {
    const one = await serve({answerMs: 100, bufferBytes: 4096});
    const client = await raw(one, 1);
    client.send([await client.cookieEcho()]);
    client.association.handlePacket(await client.next(), 2e6);
    // Request more data than the initial window allows.
    for (const [stream, {url}] of page.objects.slice(1, 8).entries())
      client.association.send(stream, Buffer.from(get(url), 'latin1'));
    client.send(client.packets(3e6));
    let packet = await client.next();
    // Skip the SACKs for the requests. The first data follows them.
    while (packet[12] === SACK) packet = await client.next();
    client.association.handlePacket(packet, 4e6);
    client.association.handleTimeout(1e9);
    const sacks = client.packets(1e9).slice(0, 1).map(withClosedWindow);
    expect(sacks.map(each => each[12])).toEqual([SACK]);
    expect(one.peers().sctp).toBe(1);
    // Answer the following window probes with a closed window.
    for (; packet[12] !== ABORT; packet = await client.next()) client.send(sacks);
    expect(one.peers().sctp).toBe(0);
  });

  test('refuses thousands of wrong tokens', async () => {
    const one = await serve({}, 'right');
    const count = 50 * MANY;
    const asking = Array.from({length: 4}, async (_, connection) => {
      const socket = tcpTo(one);
      for (let number = 0; number < count / 4; number++)
        socket.write(get('/', `Authorization: Bearer ${connection}${number}`));
      socket.end();
      return text(socket.setEncoding('latin1'));
    });
    const said = (await Promise.all(asking)).join('');
    expect(said.split('HTTP/1.1 403').length - 1).toBe(count);
    expect(said).not.toContain('HTTP/1.1 200');
    const answer = await answerOverSctp(one, get('/', 'Authorization: Bearer wrong'), 20);
    expect(answer.toString('latin1')).toMatch(/^HTTP\/1\.1 403/);
  });

  test('still serves clients after malformed packets and requests', async () => {
    const one = await serve({requestMs: 100, idleMs: 500});
    const draw = drawsOf(7);
    const client = await raw(one, 7);
    const echo = await client.cookieEcho();
    const seen: Uint8Array[] = [echo];
    for (let number = 0; number < 25 * MANY; number++) {
      const mutant = mutantOf(seen[draw(seen.length)] ?? echo, seen, draw);
      client.send([draw(2) === 0 ? mutant : withChecksum(mutant)]);
      if (number === MANY) {
        client.send([echo]);
        client.association.handlePacket(await client.next(), 2e6);
        client.association.send(1, Buffer.from(get('/'), 'latin1'));
        seen.push(...client.packets(3e6));
      }
      if (number % 20 === 0) await wait(0);
    }
    const request = Buffer.from(get('/').repeat(3), 'latin1');
    const answers = Array.from({length: MANY}, () => {
      const socket = tcpTo(one);
      socket.end(mutantOf(request, [echo], draw));
      return text(socket.setEncoding('latin1')).catch(() => '');
    });
    await Promise.all(answers);
    await expectService(one);
  });
});

describe('a live load in which damaged copies precede each packet', () => {
  const unchanged = (packet: Uint8Array): Uint8Array => packet;
  test.each([
    {name: 'SCTP', pane: {pipeline: 'sctp'}, offset: 0, repaired: withChecksum},
    {name: 'HTTP/3', pane: {pipeline: 'h3'}, offset: PORT_OFFSETS.quic, repaired: unchanged},
    {name: 'TCP in UDP', pane: {pipeline: 'tcp'}, offset: PORT_OFFSETS.tcpInUdp, repaired: withTcpChecksum},
  ])('is complete over $name', async ({pane, offset, repaired}) => {
    const one = await serve();
    const [draw, seen] = [drawsOf(offset), [] as Uint8Array[]];
    const relay = await relayWithMutants(one.port + offset, packet => {
      seen.push(packet);
      const mutants = Array.from({length: draw(3)}, () => mutantOf(packet, seen.slice(-20), draw));
      // Leave out damage that the checksum cannot detect.
      return repaired === unchanged
        ? mutants
        : mutants.filter(each => !Buffer.from(each).equals(repaired(new Uint8Array(each))));
    });
    open.push(relay);
    const way = offset === PORT_OFFSETS.tcpInUdp ? {tcp: 'udp'} : {fingerprint: one.quic.fingerprint};
    const live = `127.0.0.1:${relay.port - offset}`;
    const parsed = parseScenario({path: {live, ...way}, panes: [pane], timeLimitMs: 20_000});
    if (!parsed.ok) throw new Error(JSON.stringify(parsed.problems));
    const {panes} = await new LiveLoad(page, parsed.scenario, {signal: new AbortController().signal}).run();
    expect(panes[0]).toMatchObject({outcome: 'complete', reason: null});
    expect(seen.length).toBeGreaterThan(50);
  });
});

/** Changes a_rwnd to 0 in the packet's SACKs (RFC 9260 §3.3.4). */
function withClosedWindow(packet: Uint8Array): Uint8Array {
  const view = new DataView(packet.buffer, packet.byteOffset, packet.byteLength);
  for (let at = COMMON_HEADER_BYTES; at + 4 <= packet.length; ) {
    if (view.getUint8(at) === SACK) view.setUint32(at + 8, 0);
    at += Math.max(4, 4 * Math.ceil(view.getUint16(at + 2) / 4));
  }
  return withChecksum(packet);
}

const COMMON_HEADER_BYTES = 12;
/** Offset of the cookie in a packet whose first chunk is a COOKIE ECHO. */
const COOKIE_AT = 16;
/** Chunk types (RFC 9260 §3.2). */
const [INIT_ACK, SACK, ABORT] = [2, 3, 6];
