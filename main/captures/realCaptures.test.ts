import {execFileSync, spawnSync} from 'node:child_process';
import {readFileSync} from 'node:fs';
import {fileURLToPath} from 'node:url';
import {describe, expect, test} from 'vitest';
import type {CapturedExchange, CapturedLoad, ReadCapture} from '../../app/captures/capturedLoad.ts';
import {type KeyLog, readKeyLog} from '../../app/captures/keyLog.ts';
import {readPacketCapture} from '../../app/captures/packetCapture.ts';
import {onlyLoad} from '../../app/captures/testing/capturedLoads.ts';
import {type CaptureFile, readCaptureFile} from './captureFile.ts';
import {nodeCrypto} from './nodeCrypto.ts';

const folder = fileURLToPath(new URL('../../fixtures/captures/tcp/', import.meta.url));

/** The captures over TCP, by name. */
const files = new Map<string, CaptureFile>();
for (const name of ['curl-python.pcapng', 'curl-python-ipv6.pcap', 'openssl.pcap', 'chromium-nginx.pcap'])
  files.set(name, await readCaptureFile(readFileSync(folder + name)));

describe('a capture of curl and Python', () => {
  const file = fileOf('curl-python.pcapng');
  const {exchanges, ...load} = onlyLoad(read(file, readKeyLog(file.keys)));

  test('has its secrets inside, and shows every request and response of HTTP/1.1', () => {
    expect(load.notes).toEqual([]);
    expect(load).toMatchObject({pipeline: 'tcp', seenAt: 'client'});
    const row = ({connection, method, url, status, headerBytes, bodyBytes, body}: CapturedExchange) =>
      [connection, method, new URL(url).pathname, status, headerBytes, bodyBytes, body?.length] as const;
    expect(exchanges.map(row)).toEqual([
      [0, 'GET', '/', 200, 169, 91, 1879],
      [0, 'GET', '/p0.bin', 200, 154, 5120, 5120],
      [0, 'GET', '/none', 204, 100, 0, 0],
      [0, 'GET', '/old', 200, 111, 1234, 1234],
      [1, 'GET', '/p1.bin', 200, 154, 5120, 5120],
      [2, 'POST', '/post', 201, 116, 2, 2],
      [3, 'HEAD', '/p2.bin', 200, 154, 0, 0],
    ]);
    expect(exchanges[5]?.requestBytes).toBe(154 + 'some=data'.length);
    expect(exchanges[1]?.body?.subarray(250, 260)).toEqual(Uint8Array.of(250, 251, 252, 253, 254, 255, 0, 1, 2, 3));
  });

  test('attributes bytes of requests and responses to exchanges, but no bytes of TLS records or handshakes', () => {
    const bytesOf = (direction: 'down' | 'up', exchange: number): number =>
      load.packets
        .filter(packet => packet.direction === direction)
        .flatMap(({chunks}) => chunks.flatMap(({pieces}) => pieces))
        .filter(piece => piece.exchange === exchange)
        .reduce((sum, {bytes}) => sum + bytes, 0);
    for (const [number, {requestBytes, headerBytes, bodyBytes}] of exchanges.entries()) {
      // the page is one chunk of 91 bytes, with its size and the last chunk
      const chunked = number === 0 ? '5b\r\n\r\n0\r\n\r\n'.length : 0;
      expect(bytesOf('up', number)).toBe(requestBytes);
      expect(bytesOf('down', number)).toBe(headerBytes + bodyBytes + chunked);
    }
  });

  test('gives the times at which the client could read the responses', () => {
    const {connections, packets} = load;
    expect(connections.map(({origin}) => origin)).toEqual(connections.map(() => 'https://capture.test:4443'));
    for (const {openNs, connectedNs, tlsNs} of connections) {
      expect(openNs).toBeLessThan(connectedNs ?? 0);
      expect(connectedNs).toBeLessThan(tlsNs ?? 0);
    }
    for (const {requestNs, firstByteNs, completeNs, deliveries, bodyBytes} of exchanges) {
      expect(requestNs).toBeLessThan(firstByteNs ?? 0);
      expect(firstByteNs).toBeLessThanOrEqual(completeNs ?? 0);
      expect(deliveries.at(-1)?.bytes ?? 0).toBe(bodyBytes);
      const times = new Set(packets.filter(({direction}) => direction === 'down').map(({atNs}) => atNs));
      expect(deliveries.every(({atNs}) => times.has(atNs))).toBe(true);
    }
  });

  test('without its secrets gives an error that names the option --keys', () => {
    expect(read(file, new Map())).toEqual({
      ok: false,
      message:
        'the capture has no request of HTTP that can be read. The contents of four connections are encrypted, and no ' +
        'key log (SSLKEYLOGFILE, --keys) has their secrets.',
    });
  });
});

test('a capture over IPv6 without TLS is read', () => {
  const {connections, exchanges, notes, packets} = loadOf('curl-python-ipv6.pcap');
  expect(connections.map(({origin, hasTls}) => [origin, hasTls])).toEqual([['http://[::1]:8080', false]]);
  expect(exchanges.map(({url, status, body}) => [url, status, body?.length])).toEqual([
    ['http://[::1]:8080/', 200, 1879],
    ['http://[::1]:8080/p0.bin', 200, 5120],
    ['http://[::1]:8080/old', 200, 1234],
  ]);
  expect(packets.map(({bytes}) => bytes)).toContain(40 + 32 + 5120);
  expect(notes).toEqual([]);
});

test('TLS with a HelloRetryRequest, KeyUpdates and early data is read, without refused early data', () => {
  const {exchanges, notes} = loadOf('openssl.pcap', 'openssl.keys');
  expect(exchanges.map(({connection, url, status}) => [connection, new URL(url).pathname, status])).toEqual([
    [0, '/first', 200],
    [0, '/updated', 200],
    [1, '/early', 200],
    [1, '/late', 200],
    [2, '/repeated', 200],
  ]);
  expect(notes).toEqual([]);
});

describe('a capture of Chromium and nginx', () => {
  const {exchanges, packets, connections, notes, seenAt} = loadOf('chromium-nginx.pcap', 'chromium-nginx.keys');

  test('shows each object of the page once, as the server has it', () => {
    expect(notes).toEqual([]);
    expect(connections.map(({origin, streams}) => [origin, streams])).toEqual([['https://www.interleave.test', 1]]);
    expect(exchanges.map(({stream}) => stream)).toEqual(exchanges.map((_, i) => 2 * i + 1));
    expect(new URL(exchanges[0]?.url ?? '').pathname).toBe('/');
    const pages = fileURLToPath(new URL('../../fixtures/pages/gallery/', import.meta.url));
    for (const {url, body, status} of exchanges) {
      const name = new URL(url).pathname.slice(1) || 'index.html';
      expect(status).toBe(200);
      expect(Buffer.from(body ?? []).equals(readFileSync(pages + name)), name).toBe(true);
    }
  });

  test('says which packets the host sent, because tcpdump recorded all of its interfaces', () => {
    const recorded = fileOf('chromium-nginx.pcap').packets;
    const [first] = recorded;
    const isFirsts = recorded.map(({data}) =>
      Buffer.compare(data.subarray(12, 16), first?.data.subarray(12, 16) ?? data),
    );
    expect(recorded.map(({way}) => way)).toEqual(isFirsts.map(order => (order === 0 ? 'sent' : 'received')));
    expect(fileOf('openssl.pcap').packets.every(({way}) => way === undefined)).toBe(true);
  });

  test('at the client shows all packets of the server as delivered, and those that the client repeats as lost', () => {
    expect(seenAt).toBe('client');
    const down = packets.filter(({direction}) => direction === 'down');
    expect(down.every(({fate}) => fate === 'delivered')).toBe(true);
    const up = packets.filter(({direction, chunks}) => direction === 'up' && chunks.length > 0);
    const again = up.filter(({chunks}) => chunks[0]?.retransmission);
    expect(again.length).toBe(4);
    // one of them repeats two segments at once
    expect(up.filter(({fate}) => fate === 'lost').length).toBe(5);
    const endOf = ({chunks: [chunk]}: (typeof up)[number]): number => (chunk?.first ?? 0) + (chunk?.bytes ?? 0);
    for (const packet of up) {
      const first = packet.chunks[0]?.first ?? 0;
      const isRepeated = again.some(
        other => other.atNs > packet.atNs && (other.chunks[0]?.first ?? 0) <= first && endOf(other) >= endOf(packet),
      );
      expect(packet.fate).toBe(isRepeated ? 'lost' : 'delivered');
    }
  });

  test('has the round trip of the path: about 100 ms for each request that no loss delayed, and for no other', () => {
    const up = packets.flatMap(({direction, atNs, fate, chunks: [chunk]}) =>
      direction === 'up' && chunk !== undefined ? [{...chunk, atNs, fate}] : [],
    );
    const arrivedNs = (byte: number): number =>
      up.find(({fate, first, bytes}) => fate === 'delivered' && first <= byte && first + bytes > byte)?.atNs ?? 0;
    // the server waits for lost bytes that precede the request or are part of it
    const isDelayed = (exchange: number): boolean => {
      const sent = up.find(({pieces}) => pieces.some(piece => piece.exchange === exchange));
      if (sent === undefined) throw new Error(`no packet has request ${exchange}`);
      return up.some(({fate, first}) => fate === 'lost' && first <= sent.first && arrivedNs(first) > sent.atNs);
    };
    const waits = exchanges.map(({requestNs, firstByteNs}) => ((firstByteNs ?? 0) - requestNs) / 1e6);
    const isFast = waits.map(ms => ms > 99 && ms < 115);
    expect(isFast).toContain(true);
    expect(isFast).toEqual(exchanges.map((_, i) => !isDelayed(i)));
  });
});

test.each([
  ['aioquic', 4],
  ['aioquic-loss', 4],
  ['aioquic-early', 4],
  ['aioquic-v2-retry', 4],
  ['chromium-h3', 5],
  ['ngtcp2', 3],
  ['quic-go', 3],
])('a capture of QUIC (%s) is one load over HTTP/3', async (name, exchanges) => {
  const file = await readCaptureFile(readFileSync(`${folder}../${name}.pcap`));
  const load = onlyLoad(read(file, readKeyLog(readFileSync(`${folder}../keys.log`, 'latin1'))));
  expect(load).toMatchObject({pipeline: 'h3', seenAt: 'client', notes: []});
  // the host of quic-go had not yet cut some packets into datagrams
  expect(load.packets.length).toBeGreaterThanOrEqual(file.packets.length);
  expect(load.exchanges.length).toBe(exchanges);
  for (const {completeNs, body, bodyBytes} of load.exchanges) {
    expect(completeNs).toBeGreaterThan(0);
    expect(body?.length).toBe(bodyBytes);
  }
});

const tshark = spawnSync('tshark', ['--version']).status === 0;

test.skipIf(!tshark).each(['curl-python.pcapng', 'curl-python-ipv6.pcap', 'openssl.pcap', 'chromium-nginx.pcap'])(
  'tshark counts the same packets and repeated segments in %s (skipped without tshark)',
  name => {
    const {packets} = loadOf(name, name === 'curl-python.pcapng' ? undefined : name.replace(/\.pcap$/, '.keys'));
    const repeated = ['retransmission', 'fast_retransmission', 'spurious_retransmission', 'out_of_order'];
    const fields = ['tcp.len', 'ip.len', ...repeated.map(kind => `tcp.analysis.${kind}`)];
    const rows = dissect(folder + name, fields);
    expect(packets.map(({chunks}) => chunks[0]?.bytes ?? 0)).toEqual(rows.map(([bytes]) => Number(bytes)));
    if (!name.includes('ipv6')) expect(packets.map(({bytes}) => bytes)).toEqual(rows.map(([, bytes]) => Number(bytes)));
    const isRepeated = rows.map(([bytes, , ...kinds]) => Number(bytes) > 0 && kinds.some(kind => kind !== ''));
    expect(packets.map(({chunks}) => chunks[0]?.retransmission ?? false)).toEqual(isRepeated);
  },
);

function fileOf(name: string): CaptureFile {
  const file = files.get(name);
  if (file === undefined) throw new RangeError(`there is no capture ${name}`);
  return file;
}

function loadOf(name: string, keys?: string): CapturedLoad {
  const file = fileOf(name);
  let log = file.keys;
  if (keys !== undefined && keys !== 'curl-python-ipv6.keys') log += readFileSync(folder + keys, 'latin1');
  return onlyLoad(read(file, readKeyLog(log)));
}

function read({packets}: CaptureFile, keys: KeyLog): ReadCapture {
  return readPacketCapture(packets, keys, nodeCrypto);
}

function dissect(file: string, fields: readonly string[]): string[][] {
  const columns = fields.flatMap(field => ['-e', field]);
  const text = execFileSync('tshark', ['-r', file, '-Y', 'tcp', '-T', 'fields', ...columns], {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  return text
    .replace(/\n$/, '')
    .split('\n')
    .map(line => line.split('\t'));
}
