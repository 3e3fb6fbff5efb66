import {expect, test} from 'vitest';
import {encodeFrame, type Frame} from '../http/datagrams/datagramFrame.ts';
import {encodeDatagramRequest} from '../http/datagrams/datagramRequest.ts';
import {readFramesParts} from './framesPart.ts';
import type {UdpDatagram} from './recordedPacket.ts';
import {NO_CRYPTO} from './testing/wire.ts';

interface Own {
  readonly isLost?: boolean;
  /** How long the packet took, and its copy if there is one. Absent if the capture does not say it. */
  readonly delayMs?: number;
  readonly copyMs?: number;
  /** How many bytes of the packet the file has. */
  readonly captured?: number;
}

const RESPONSE = new TextEncoder().encode('HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok');

function datagram(atMs: number, direction: 'up' | 'down', payload: Uint8Array, own: Own): UdpDatagram {
  const bytes = 28 + payload.length;
  const name = direction === 'up' ? 'up (client to server)' : 'down (server to client)';
  const comment = own.isLost === true ? 'dropped: lost on the path' : arrivalText(own);
  const data = new Uint8Array(own.captured ?? bytes);
  const packet = {row: 0, atNs: atMs * 1e6, bytes, data, comment, interface: name};
  return {packet, direction, payload: payload.subarray(0, data.length - 28), ecn: 0};
}

function arrivalText({delayMs, copyMs}: Own): string {
  if (delayMs === undefined) return '';
  const copy = copyMs === undefined ? '' : `, its copy after ${copyMs * 1e6} ns`;
  return `arrived ${delayMs * 1e6} ns after it was sent${copy}`;
}

const get = (atMs: number, request: number, own: Own = {}): UdpDatagram => {
  const asked = {url: `/${request}`, request, datagram: 0, ranges: null, rttUs: null};
  return datagram(atMs, 'up', encodeDatagramRequest(asked, 100), own);
};
const frame = (atMs: number, fields: Partial<Frame>, own: Own = {}): UdpDatagram => {
  const all = {request: 0, index: 0, frames: 1, answers: null, abstractFrames: 0, continues: false};
  return datagram(atMs, 'down', encodeFrame({...all, payload: Uint8Array.of(1, 2), ...fields}), own);
};

function read(...datagrams: readonly UdpDatagram[]) {
  const [{exchanges, packets, notes, pipeline}] = readFramesParts(datagrams, [], NO_CRYPTO);
  return {exchanges, packets, notes, pipeline, first: packets.map(({chunks}) => chunks[0]?.first)};
}

test('a response is numbered when the first of its requests arrives, also if the path reorders requests', () => {
  const {first, pipeline} = read(
    get(0, 0, {isLost: true}),
    get(1, 1, {delayMs: 50}),
    get(2, 2, {delayMs: 60, copyMs: 40}),
    get(30, 0, {delayMs: 20}),
    get(40, 0, {delayMs: 60}),
    frame(60, {request: 0, frames: 3, abstractFrames: 1}),
    frame(61, {request: 1, frames: 4}),
    frame(62, {request: 2, frames: 5}),
  );
  expect(first).toEqual([0, 1, 2, 0, 0, 5, 8, 0]);
  expect(pipeline).toBe('catp');
});

test('a response is numbered by the first of several requests for it over TCP', () => {
  const over = (atMs: number, request: number) => {
    const asked = {url: `/${request}`, request, datagram: 0, ranges: null, rttUs: null};
    return {asked, bytes: encodeDatagramRequest(asked, 100), sentNs: atMs * 1e6};
  };
  const pipe = {requests: [over(0, 0), over(1, 1), over(2, 0)], frames: [], up: [], down: []};
  const connection = {origin: null, hasTls: false, openNs: 0, connectedNs: 0, tlsNs: null, streams: 1};
  const part = {connection, exchanges: [], packets: [], notes: []};
  const frames = [frame(10, {request: 0, frames: 3}), frame(11, {request: 1, frames: 4})];
  const [{packets}] = readFramesParts(frames, [{part, pipe, isClients: true}], NO_CRYPTO);
  expect(packets.map(({chunks}) => chunks[0]?.first)).toEqual([0, 3]);
});

test('packets have the times of arrival that the capture says, and responses use a copy that arrived earlier', () => {
  const [head, body] = [RESPONSE.subarray(0, -1), RESPONSE.subarray(-1)];
  const {packets, exchanges, notes} = read(
    get(0, 0, {delayMs: 10}),
    frame(10, {frames: 2, payload: head}, {delayMs: 20}),
    frame(11, {frames: 2, index: 1, payload: body}, {delayMs: 50, copyMs: 30}),
    frame(12, {frames: 2, index: 1, payload: body}, {isLost: true}),
  );
  expect(packets.map(({arrivedNs}) => arrivedNs)).toEqual([10e6, 30e6, 61e6, undefined]);
  expect(exchanges).toMatchObject([{firstByteNs: 30e6, completeNs: 41e6, bodyBytes: 2}]);
  expect(notes).toEqual([]);
});

test('packets of which the file has only the beginning keep their sizes, and have no contents', () => {
  const cut = frame(10, {answers: 0, payload: RESPONSE}, {captured: 28 + 20 + RESPONSE.length - 1});
  const {packets, exchanges} = read(get(0, 0), cut, frame(11, {}, {captured: 40}));
  expect(packets.map(({bytes, chunks}) => [bytes, chunks[0]?.bytes, chunks[0]?.pieces.length])).toEqual([
    [128, 100, 1],
    [48 + RESPONSE.length, 20 + RESPONSE.length, 1],
    [50, 22, 0],
  ]);
  expect(exchanges).toMatchObject([{url: 'http://page.test/0', status: null, completeNs: null}]);
});

test('without times of arrival, contents are read, and a sentence says what is not known', () => {
  const payload = RESPONSE;
  const {exchanges, notes, pipeline} = read(get(0, 0), frame(10, {payload}), frame(20, {request: 7, payload}));
  expect(exchanges).toMatchObject([{status: 200, bodyBytes: 2, completeNs: null, firstByteNs: null, deliveries: []}]);
  expect([exchanges.length, pipeline]).toEqual([1, 'udp']);
  expect(notes).toEqual([
    'The capture does not say when datagrams arrived, and nothing acknowledges them, so the times of responses are not ' +
      'known.',
  ]);
});
