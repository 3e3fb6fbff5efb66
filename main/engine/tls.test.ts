import {expect, test} from 'vitest';
import {recordContentBytes} from '../../app/http/tls/tlsRecord.ts';
import {DIRECTION} from '../../app/run/trace/columns.ts';
import type {Trace} from '../../app/run/trace/trace.ts';
import {traces} from '../workers/testing/runs.ts';

// These tests load with TLS 1.3 over the network core's TCP.

const page = {synthetic: {objects: 3, objectBytes: 10_000}};
const path = {rateBps: 10_000_000, rttMs: 350, loss: 0};

test('TLS adds one round trip and the time of its handshake’s bytes before the first request', () => {
  const [plain, tls] = load([{}, {tls: true}]);
  const moreMs = ((tls.data.setupNs ?? 0) - (plain.data.setupNs ?? 0)) / 1e6;
  expect(moreMs).toBeGreaterThan(350);
  expect(moreMs).toBeLessThan(350 + 10);
  expect(requestMs(tls)).toBe((tls.data.setupNs ?? 0) / 1e6);
});

test('bytes of TLS belong to no object, and each record adds 22 bytes', () => {
  const [plain, tls] = load([{}, {tls: true}]);
  const [ofPlain, ofTls] = [plain, tls].map(({data}) => ({
    all: sum(data.chunks.bytes),
    objects: sum(data.chunkPieces.bytes),
  }));
  expect(ofTls?.objects).toBe(ofPlain?.objects);
  const responses = plain.objects.map(({bytes}) => bytes + 250);
  const handshake = 305 + (95 + 6 + 2928) + (6 + 58);
  expect((ofTls?.all ?? 0) - (ofTls?.objects ?? 0)).toBe(handshake + 22 * (responses.length + recordsOf(responses)));
});

test('each of several connections has its own handshake', () => {
  const [trace] = load([{tls: true, connections: 3, pipelining: false}]);
  expect(trace.data.outcome).toBe('complete');
  const hellos = trace.data.connections.map(({client}) => {
    const {packets, chunks} = trace.data;
    return chunks.bytes[chunks.packet.findIndex(packet => packets.endpoint[packet] === client)];
  });
  expect(hellos).toEqual([305, 305, 305]);
});

test('a load with TLS is complete despite losses, and reproducible', () => {
  const document = {seed: 3, page, path: {...path, loss: 0.05}, panes: [{pipeline: 'tcp', tls: true}]};
  const [once, again] = [traces(document), traces(document)];
  expect(once[0]?.data.outcome).toBe('complete');
  expect(again[0]?.data).toEqual(once[0]?.data);
});

test('Chromium’s first frames share a packet, and each of its requests over HTTP/2 has one', () => {
  // captured: 1448, 511, 64, 92, 471, 31, then 173, 60, 61, 61, 60, 62, 61, 62, 63, then 626, in which 10 packets in
  // flight filled the window
  const sentBy = (browser: string): readonly number[] => {
    const document = {page: 'gallery', browser, server: 'nginx', path: {rateBps: 10_000_000, rttMs: 30, loss: 0}};
    const [trace] = traces({...document, panes: [{pipeline: 'h2', profile: 'modern', tls: true}]});
    if (trace === undefined) throw new Error('no trace');
    const {packets, chunks} = trace.data;
    return [...chunks.packet.keys()]
      .filter(chunk => packets.direction[chunks.packet[chunk] ?? 0] === DIRECTION.up)
      .map(chunk => chunks.bytes[chunk] ?? 0);
  };
  const [hello, rest, finished, first, get, settings, ...requests] = sentBy('chromium');
  expect([hello, finished, first, settings]).toEqual([1448, 64, 92, 31]);
  expect((rest ?? 0) + (get ?? 0)).toBeLessThan(1000);
  expect(requests.slice(0, 9).every(bytes => bytes < 150)).toBe(true);
  expect(sentBy('firefox').length).toBeLessThan(10);
});

function load(panes: readonly object[]): readonly [Trace, Trace] {
  const found = traces({
    seed: 1,
    page,
    path,
    panes: panes.map(pane => ({pipeline: 'tcp', ...pane})) as never,
  });
  return found as never as [Trace, Trace];
}

function requestMs(trace: Trace): number {
  return (trace.objects[0]?.requestNs ?? 0) / 1e6;
}

/** Returns the number of records for these responses. Each response is written at once. */
function recordsOf(responses: readonly number[]): number {
  let records = 0;
  for (const bytes of responses) {
    for (let left = bytes; left > 0; left -= recordContentBytes(records++));
  }
  return records;
}

function sum(column: ArrayLike<number>): number {
  return Array.from(column).reduce((total, value) => total + value, 0);
}
