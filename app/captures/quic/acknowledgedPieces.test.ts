import {expect, test} from 'vitest';
import {acknowledgedPieces} from './acknowledgedPieces.ts';
import type {CapturedFrame} from './capturedFrame.ts';
import type {QuicDatagram} from './quicPackets.ts';

const datagram = (
  atNs: number,
  direction: 'down' | 'up',
  number: number,
  frame: CapturedFrame,
  space: 'application' | 'handshake' = 'application',
): QuicDatagram => {
  return {atNs, direction, bytes: 100, ecn: 0, known: undefined, packets: [{space, number, frames: [frame]}]};
};
const data = (first: number): CapturedFrame => ({kind: 'stream', stream: 0, first, bytes: 10, isEnd: false});
const ack = (...ranges: readonly (readonly [number, number])[]): CapturedFrame => ({kind: 'ack', ranges});

test('each packet arrives once, with its first acknowledgement, however often all are acknowledged', () => {
  const count = 20_000;
  const sent = Array.from({length: count}, (_, i) => datagram(i, 'down', i, data(10 * i)));
  const acks = Array.from({length: count}, (_, i) => datagram(count + i, 'up', i, ack([0, i === 0 ? 4 : 2 ** 52])));
  const pieces = acknowledgedPieces([...sent, ...acks]);
  expect(pieces.length).toBe(count);
  expect(pieces.map(({atNs}) => atNs).findIndex(ns => ns > count)).toBe(5);
  expect(new Set(pieces.map(({first}) => first)).size).toBe(count);
});

test('only the numbers of the same packet number space and of the other direction count', () => {
  const sent = [datagram(0, 'down', 1, data(0)), datagram(1, 'down', 2, data(10))];
  expect(acknowledgedPieces([...sent, datagram(2, 'up', 0, ack([1, 1]), 'handshake')])).toEqual([]);
  expect(acknowledgedPieces([...sent, datagram(2, 'down', 3, ack([1, 1]))])).toEqual([]);
  expect(acknowledgedPieces([...sent, datagram(2, 'up', 0, ack([2, 1]))])).toEqual([]);
  expect(acknowledgedPieces([...sent, datagram(2, 'up', 0, ack([2, 2]))])).toMatchObject([{first: 10, atNs: 2}]);
});
