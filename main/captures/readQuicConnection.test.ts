import {readFileSync} from 'node:fs';
import {expect, test} from 'vitest';
import {readKeyLog} from '../../app/captures/keyLog.ts';
import {startsQuicConnection} from '../../app/captures/quic/quicHeader.ts';
import {readQuicConnection} from '../../app/captures/quic/readQuicConnection.ts';
import type {UdpDatagram} from '../../app/captures/recordedPacket.ts';
import {readPcap} from '../../app/captures/testing/readPcap.ts';
import {nodeCrypto} from './testing/nodeCrypto.ts';

// The captures are real ones. fixtures/captures/README.md says how they were recorded.

const folder = new URL('../../fixtures/captures/', import.meta.url);
const keys = readKeyLog(readFileSync(new URL('keys.log', folder), 'utf8'));

function datagramsOf(name: string, port = 14433): readonly UdpDatagram[] {
  return readPcap(readFileSync(new URL(`${name}.pcap`, folder)), port);
}

function read(name: string, port?: number) {
  return readQuicConnection(datagramsOf(name, port), keys, nodeCrypto);
}

const PAGE = [
  ['/index.html', 200, 1480],
  ['/a.css', 200, 1400],
  ['/b.jpg', 200, 9000],
  ['/c.jpg', 200, 6000],
] as const;

function loaded(part: ReturnType<typeof read>): readonly unknown[] {
  return part.exchanges.map(({url, status, bodyBytes}) => [new URL(url).pathname, status, bodyBytes]);
}

test.each([
  ['version 1', 'aioquic', 14433, PAGE],
  ['version 2 after a Retry, with ChaCha20', 'aioquic-v2-retry', 14433, PAGE],
  ['version 1 that becomes version 2, with AES-256', 'aioquic-to-v2', 14433, PAGE],
  ['0-RTT', 'aioquic-early', 14433, PAGE],
  ['a key update', 'aioquic-update', 14433, PAGE],
  ['lost packets', 'aioquic-loss', 14434, PAGE],
  ['ngtcp2’s client', 'ngtcp2', 14433, PAGE.slice(0, 3)],
  ['a browser, with entries of QPACK’s table', 'chromium-h3', 14433, [...PAGE, ['/favicon.ico', 404, 0]]],
  ['segmentation offload', 'quic-go', 14435, [PAGE[1], PAGE[2], ['/none', 404, 19]]],
])('requests, responses and bodies are read: %s', (_, name, port, page) => {
  const part = read(name, port);
  expect(loaded(part)).toEqual(page);
  for (const {body, bodyBytes, url, deliveries, ...times} of part.exchanges) {
    expect(body?.length).toBe(bodyBytes);
    expect(deliveries.at(-1)?.bytes ?? 0).toBe(bodyBytes);
    expect(times.requestNs).toBeLessThan(times.firstByteNs ?? 0);
    expect(times.firstByteNs ?? Infinity).toBeLessThanOrEqual(deliveries[0]?.atNs ?? Infinity);
    expect(times.completeNs).toBeGreaterThanOrEqual(deliveries.at(-1)?.atNs ?? 0);
    expect(deliveries).toEqual(deliveries.toSorted((a, b) => a.atNs - b.atNs || a.bytes - b.bytes));
    if (url.endsWith('.html')) expect(new TextDecoder().decode(body ?? undefined)).toMatch(/^<!doctype html>/);
  }
  // This client protects one Initial packet with keys that belong to neither version; Wireshark cannot open it either.
  expect(part.notes).toEqual(
    name === 'aioquic-to-v2' ? ['One packet of the QUIC connection to https://localhost could not be decrypted.'] : [],
  );
});

test('the connection has its origin, the times of its handshake and the number of streams', () => {
  expect(read('chromium-h3').connection).toEqual({
    origin: 'https://localhost:14433',
    hasTls: true,
    openNs: 0,
    connectedNs: 15_548_160,
    tlsNs: null,
    streams: 128,
  });
});

test('fields have lower-case names and no pseudo-headers', () => {
  const [first] = read('chromium-h3').exchanges;
  expect(first?.requestFields).toContainEqual(['accept-encoding', 'gzip, deflate, br, zstd']);
  expect(first?.responseFields).toEqual([
    ['server', 'aioquic'],
    ['content-length', '1480'],
  ]);
  expect([first?.method, first?.requestBytes, first?.headerBytes]).toEqual(['GET', 429, 18]);
});

test('each datagram is a packet with its size, and a datagram that a network card divides is several', () => {
  const sizes = (name: string, port?: number) => read(name, port).packets.reduce((sum, {bytes}) => sum + bytes, 0);
  const datagrams = datagramsOf('quic-go', 14435);
  expect(read('aioquic').packets.map(({bytes}) => bytes)).toEqual(
    datagramsOf('aioquic').map(({packet}) => packet.bytes),
  );
  const divided = read('quic-go', 14435).packets;
  expect(divided.length).toBe(datagrams.length + 7);
  expect(Math.max(...divided.map(({bytes}) => bytes))).toBeLessThanOrEqual(1500);
  // Each segment has its own headers of IP and UDP.
  expect(sizes('quic-go', 14435)).toBe(datagrams.reduce((sum, {packet}) => sum + packet.bytes, 0) + 7 * 28);
});

test('packets that were never acknowledged are lost, and their data is sent again', () => {
  const {packets, exchanges} = read('aioquic-loss', 14434);
  const lost = packets.filter(({fate}) => fate === 'lost');
  expect(lost.map(({direction, kind}) => [direction, kind])).toEqual([
    ['up', 'data'],
    ['up', 'data'],
  ]);
  const again = packets.flatMap(({chunks, direction}) =>
    chunks.filter(chunk => chunk.retransmission).map(() => direction),
  );
  expect(new Set(again)).toEqual(new Set(['up', 'down']));
  for (const {chunks} of lost) {
    const copies = packets.filter(packet =>
      packet.chunks.some(chunk => chunk.retransmission && chunk.stream === chunks[0]?.stream),
    );
    expect(copies.length).toBeGreaterThan(0);
  }
  // The first request was sent, but the second ones waited for a lost packet.
  expect(exchanges.map(({requestNs}) => requestNs)).toEqual([56_473_856, 108_420_864, 108_420_864, 108_420_864]);
});

test('chunks of requests and responses belong to their exchanges, and those of other streams to none', () => {
  const {packets, exchanges} = read('chromium-h3');
  for (const {stream, first, bytes, pieces} of packets.flatMap(({chunks}) => chunks)) {
    const exchange = exchanges.findIndex(each => each.stream === stream);
    expect(pieces).toEqual(exchange < 0 ? [] : [{exchange, bytes}]);
    expect(first).toBeGreaterThanOrEqual(0);
  }
  const sent = packets
    .flatMap(({chunks}) => chunks)
    .filter(({stream, retransmission}) => stream === 0 && !retransmission);
  expect(sent.reduce((sum, {bytes}) => sum + bytes, 0)).toBe(429 + 18 + 3 + 1480);
});

test('without secrets there are packets and times of the handshake, and a note', () => {
  const part = readQuicConnection(datagramsOf('aioquic'), new Map(), nodeCrypto);
  expect(part.exchanges).toEqual([]);
  expect(part.packets.length).toBe(33);
  expect(part.packets.slice(0, 2).map(({kind}) => kind)).toEqual(['setUp', 'setUp']);
  expect(part.connection).toEqual({
    origin: 'https://localhost:14433',
    hasTls: true,
    openNs: 0,
    connectedNs: read('aioquic').connection.connectedNs,
    tlsNs: null,
    streams: 0,
  });
  expect(part.notes).toEqual([
    'The key log has no secrets of the QUIC connection to https://localhost:14433, so its requests are not known.',
  ]);
});

test('a capture that begins after the handshake has packets and a note', () => {
  const part = readQuicConnection(datagramsOf('aioquic').slice(5), keys, nodeCrypto);
  expect([part.exchanges, part.packets.length]).toEqual([[], 28]);
  expect(part.notes).toEqual([
    'The capture lacks the beginning of the QUIC connection to an unknown server, so its requests are not known.',
  ]);
});

test('labels of the key log with the prefix QUIC_ are known', () => {
  const prefixed = new Map(
    [...keys].map(([random, secrets]) => [
      random,
      new Map([...secrets].map(([label, secret]) => [`QUIC_${label}`, secret])),
    ]),
  );
  expect(loaded(readQuicConnection(datagramsOf('aioquic'), prefixed, nodeCrypto))).toEqual(PAGE);
});

test('reading does not change the file', () => {
  const file = readFileSync(new URL('aioquic.pcap', folder));
  const before = Uint8Array.from(file);
  readQuicConnection(readPcap(file, 14433), keys, nodeCrypto);
  expect(Uint8Array.from(file)).toEqual(before);
});

test('cut and damaged datagrams are read as far as possible', () => {
  const datagrams = datagramsOf('aioquic');
  for (const bytes of [0, 1, 5, 20, 30, 50, 300, 1199]) {
    const cut = datagrams.map(each => ({...each, payload: each.payload.subarray(0, bytes)}));
    expect(readQuicConnection(cut, keys, nodeCrypto).packets.length).toBe(33);
  }
  for (let at = 0; at < 60; at++) {
    const damaged = datagrams.map((each, i) => {
      const payload = Uint8Array.from(each.payload);
      payload[at] = ((payload[at] ?? 0) * 7 + i + 1) & 255;
      return {...each, payload};
    });
    expect(readQuicConnection(damaged, keys, nodeCrypto).packets.length).toBe(33);
  }
});

test('secrets of a wrong size are not used', () => {
  const short = new Map(
    [...keys].map(([random, secrets]) => [random, new Map([...secrets].map(([label]) => [label, new Uint8Array(20)]))]),
  );
  const part = readQuicConnection(datagramsOf('aioquic'), short, nodeCrypto);
  expect(part.exchanges).toEqual([]);
  expect(part.notes).toEqual(['33 packets of the QUIC connection to https://localhost:14433 could not be decrypted.']);
});

test('a connection starts with an Initial packet in a datagram of 1200 bytes', () => {
  const starts = (name: string, port?: number) =>
    datagramsOf(name, port).map(({payload}) => startsQuicConnection(payload));
  expect(starts('aioquic').slice(3)).not.toContain(true);
  expect(starts('aioquic')[0]).toBe(true);
  expect(starts('aioquic-v2-retry').slice(0, 2)).toEqual([true, false]);
  const [first] = datagramsOf('aioquic');
  expect(startsQuicConnection(first?.payload.subarray(0, 1199) ?? new Uint8Array())).toBe(false);
});

test('a request in 0-RTT is sent before the handshake is complete', () => {
  const times = (name: string) => {
    const {exchanges, connection} = read(name);
    return [exchanges[0]?.requestNs ?? 0, connection.connectedNs ?? 0] as const;
  };
  const [early, connected] = times('aioquic-early');
  expect(early).toBeLessThan(connected);
  const [late, before] = times('aioquic');
  expect(late).toBeGreaterThan(before);
});
