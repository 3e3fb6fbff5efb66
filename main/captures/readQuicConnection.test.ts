import {readFileSync} from 'node:fs';
import {expect, test} from 'vitest';
import type {CaptureCrypto} from '../../app/captures/capturedLoad.ts';
import {readKeyLog} from '../../app/captures/keyLog.ts';
import {startsQuicConnection} from '../../app/captures/quic/quicHeader.ts';
import {readQuicConnection} from '../../app/captures/quic/readQuicConnection.ts';
import type {UdpDatagram} from '../../app/captures/recordedPacket.ts';
import {readPcap} from '../../app/captures/testing/readPcap.ts';
import {long, short} from '../../app/run/packets/testing/packetsByHand.ts';
import {nodeCrypto} from './nodeCrypto.ts';

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

test('each datagram is a packet with its size, and one that a network card divides is several packets', () => {
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
  // The first request was sent at once, but the other three waited for a lost packet.
  expect(exchanges.map(({requestNs}) => requestNs)).toEqual([56_473_856, 108_420_864, 108_420_864, 108_420_864]);
});

test('chunks of requests and responses belong to their exchanges, and chunks of other streams to none', () => {
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
    'No key log (--keys) has the secrets of the QUIC connection to https://localhost:14433, so its requests are not known.',
  ]);
});

test('a capture that begins after the handshake has packets and a note', () => {
  const part = readQuicConnection(datagramsOf('aioquic').slice(5), keys, nodeCrypto);
  expect([part.exchanges, part.packets.length]).toEqual([[], 28]);
  expect(part.notes).toEqual([
    'The capture lacks the beginning of the QUIC connection to an unknown server, so its requests are not known.',
  ]);
});

test('in a capture at the server, responses arrive when they are acknowledged', () => {
  const datagrams = datagramsOf('aioquic');
  const [client, server] = (['client', 'server'] as const).map(end =>
    readQuicConnection(datagrams, keys, nodeCrypto, end),
  );
  const timesOf = (direction: UdpDatagram['direction']) =>
    new Set(datagrams.filter(each => each.direction === direction).map(({packet}) => packet.atNs));
  const [down, up] = [timesOf('down'), timesOf('up')];
  expect(server?.exchanges.length).toBe(PAGE.length);
  for (const [i, {completeNs, firstByteNs, deliveries, body}] of (server?.exchanges ?? []).entries()) {
    const seen = client?.exchanges[i];
    expect(down.has(seen?.completeNs ?? 0) && up.has(completeNs ?? 0) && up.has(firstByteNs ?? 0)).toBe(true);
    expect(completeNs).toBeGreaterThan(seen?.completeNs ?? 0);
    expect([deliveries.at(-1)?.bytes, body]).toEqual([seen?.deliveries.at(-1)?.bytes, seen?.body]);
  }
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

/** Node's primitives, which throw if an input has a wrong size, as the contract says. */
const strict: CaptureCrypto = {
  ...nodeCrypto,
  open: (aead, key, nonce, sealed, associated) => {
    if (nonce.length !== 12 || sealed.length < 16) throw new RangeError('wrong size');
    return nodeCrypto.open(aead, key, nonce, sealed, associated);
  },
  headerMask: (aead, key, sample) => {
    if (sample.length !== 16) throw new RangeError('wrong size');
    return nodeCrypto.headerMask(aead, key, sample);
  },
};

test('cut and damaged datagrams are read as far as possible', () => {
  const datagrams = datagramsOf('aioquic');
  for (const bytes of [0, 1, 5, 20, 27, 28, 29, 30, 31, 50, 300, 1199]) {
    const cut = datagrams.map(each => ({...each, payload: each.payload.subarray(0, bytes)}));
    expect(readQuicConnection(cut, keys, strict).packets.length).toBe(33);
  }
  for (let at = 0; at < 60; at++) {
    const damaged = datagrams.map((each, i) => {
      const payload = Uint8Array.from(each.payload);
      payload[at] = ((payload[at] ?? 0) * 7 + i + 1) & 255;
      return {...each, payload};
    });
    expect(readQuicConnection(damaged, keys, strict).packets.length).toBe(33);
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

test('packets with the keys from before an update are read, even if they arrive after the update', () => {
  const datagrams = datagramsOf('aioquic-update');
  const part = (order: readonly UdpDatagram[]) => readQuicConnection(order, keys, nodeCrypto);
  expect(part(datagrams).notes).toEqual([]);
  const down = datagrams.filter(({direction}) => direction === 'down');
  const [late, ...others] = down.slice(2);
  if (late === undefined) throw new Error('no packet');
  for (const after of [2, 4, 6, 8]) {
    const place = datagrams.indexOf(others[after] ?? late);
    const order = datagrams.filter(each => each !== late);
    expect(part(order.toSpliced(place, 0, late)).notes, `after ${after}`).toEqual([]);
  }
});

test('without the ServerHello each cipher suite is tried', () => {
  for (const name of ['aioquic', 'aioquic-to-v2']) {
    const [first, , ...others] = datagramsOf(name);
    const part = readQuicConnection([...(first === undefined ? [] : [first]), ...others], keys, nodeCrypto);
    expect(part.exchanges.map(({status}) => status)).toEqual(name === 'aioquic' ? [200, 200, 200, 200] : []);
  }
});

test('datagrams that cannot be opened are not divided again and again', () => {
  const datagrams = datagramsOf('quic-go', 14435);
  const [last] = datagrams.filter(({direction}) => direction === 'down').slice(-1);
  if (last === undefined) throw new Error('no datagram');
  let masks = 0;
  const counting: CaptureCrypto = {
    ...nodeCrypto,
    headerMask: (...input) => {
      masks += 1;
      return nodeCrypto.headerMask(...input);
    },
  };
  const garbage = Array.from({length: 400}, () => ({...last, payload: new Uint8Array(3000).fill(0x51)}));
  const part = readQuicConnection([...datagrams, ...garbage], keys, counting);
  expect(part.exchanges.length).toBe(3);
  expect(masks).toBeLessThan(101 * 302 + 5000);
});

test('the handshake is complete when the client has sent its Finished, or else its first 1-RTT packet', () => {
  const crypto = (type: number) => Uint8Array.of(0x06, 0, 4, type, 0, 0, 0);
  const at = (atNs: number, direction: 'down' | 'up', payload: Uint8Array): UdpDatagram => ({
    packet: {row: 0, atNs, bytes: payload.length + 28, data: payload, comment: '', interface: ''},
    direction,
    payload,
    ecn: 0,
  });
  const ping = short(0, Uint8Array.of(1));
  const connectedNs = (...datagrams: readonly UdpDatagram[]) =>
    readQuicConnection([at(0, 'up', long(0, crypto(1))), ...datagrams], new Map(), nodeCrypto).connection.connectedNs;
  expect(connectedNs(at(5, 'down', long(2, crypto(20))), at(7, 'up', long(2, crypto(20))), at(9, 'up', ping))).toBe(7);
  expect(connectedNs(at(5, 'down', ping), at(9, 'up', ping))).toBe(9);
  expect(connectedNs(at(5, 'down', ping))).toBeNull();
});

test('only a first connection ID of 8 to 20 bytes starts a connection', () => {
  const initial = (bytes: number) => {
    const payload = new Uint8Array(1200);
    payload.set([0xc3, 0, 0, 0, 1, bytes]);
    payload.set([0, 0, 0x44, 0], 6 + bytes);
    return payload;
  };
  expect([7, 8, 20, 21].map(bytes => startsQuicConnection(initial(bytes)))).toEqual([false, true, true, false]);
});
