import {expect, test} from 'vitest';
import {encodeFrame, type Frame} from '../http/datagrams/datagramFrame.ts';
import {encodeDatagramRequest} from '../http/datagrams/datagramRequest.ts';
import {readFramesParts} from './framesPart.ts';
import type {UdpDatagram} from './recordedPacket.ts';
import {NO_CRYPTO} from './testing/wire.ts';

interface Own {
  readonly isLost?: boolean;
  /** How many bytes of the packet the file has. */
  readonly captured?: number;
}

function datagram(atMs: number, direction: 'up' | 'down', payload: Uint8Array, {isLost, captured}: Own): UdpDatagram {
  const bytes = 28 + payload.length;
  const name = direction === 'up' ? 'up (client to server)' : 'down (server to client)';
  const comment = isLost === true ? 'dropped: lost on the path' : '';
  const data = new Uint8Array(captured ?? bytes);
  const packet = {row: 0, atNs: atMs * 1e6, bytes, data, comment, interface: name};
  return {packet, direction, payload: payload.subarray(0, data.length - 28), ecn: 0};
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
  const {parts, isSplit} = readFramesParts(datagrams, [], NO_CRYPTO);
  const [{exchanges, packets, notes}] = parts;
  return {exchanges, packets, notes, isSplit, first: packets.map(({chunks}) => chunks[0]?.first)};
}

test('the frames of an abstract, which overtake others, do not number responses', () => {
  const {first, isSplit} = read(
    get(0, 0),
    get(1, 1),
    frame(10, {request: 1, index: 0, frames: 2, abstractFrames: 1}),
    frame(11, {request: 0, index: 0, frames: 3}),
    frame(12, {request: 1, index: 1, frames: 2, abstractFrames: 1}),
  );
  expect(first).toEqual([0, 1, 3, 0, 4]);
  expect(isSplit).toBe(true);
});

test('a response is numbered when the first of its requests arrives', () => {
  const abstract = {frames: 2, abstractFrames: 2};
  const {first} = read(
    get(0, 0, {isLost: true}),
    get(1, 1),
    get(30, 0),
    frame(40, {...abstract, request: 0}),
    frame(41, {...abstract, request: 1}),
  );
  expect(first).toEqual([0, 1, 0, 2, 0]);
});

const RESPONSE = new TextEncoder().encode('HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok');

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

test('without any time from a request to its answer, contents are read without times', () => {
  const payload = RESPONSE;
  const {exchanges, notes, isSplit} = read(get(0, 0), frame(10, {payload}), frame(20, {request: 7, payload}));
  expect(exchanges).toMatchObject([{status: 200, bodyBytes: 2, completeNs: null, firstByteNs: null, deliveries: []}]);
  expect([exchanges.length, isSplit]).toEqual([1, false]);
  expect(notes).toEqual(['Datagrams are not acknowledged, so the times of responses are not known.']);
});
