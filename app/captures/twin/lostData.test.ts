import {describe, expect, test} from 'vitest';
import type {CapturedChunk, CapturedExchange, CapturedPacket} from '../capturedLoad.ts';
import {lostData} from './lostData.ts';

const RTT = 100e6;
const packet = (
  atMs: number,
  direction: 'down' | 'up',
  range: readonly [first: number, bytes: number] | null,
  more: Partial<CapturedPacket> = {},
): CapturedPacket => ({
  connection: 0,
  direction,
  bytes: 1500,
  atNs: atMs * 1e6,
  fate: null,
  ecn: 0,
  kind: range === null ? 'acknowledgement' : 'data',
  cumulativeAck: Number.NaN,
  chunks: range === null ? [] : [chunk(...range)],
  ...more,
});
const chunk = (first: number, bytes: number): CapturedChunk => {
  return {first, bytes, stream: 0, message: 0, retransmission: false, pieces: [{exchange: 0, bytes}]};
};
const exchange = (requestMs: number, completeMs: number): CapturedExchange => ({
  connection: 0,
  stream: 0,
  method: 'GET',
  url: 'https://a.test/',
  requestFields: [],
  responseFields: [],
  requestNs: requestMs * 1e6,
  firstByteNs: null,
  completeNs: completeMs * 1e6,
  status: 200,
  requestBytes: 100,
  headerBytes: 0,
  bodyBytes: 10_000,
  body: null,
  deliveries: [],
  initiator: null,
  priority: null,
});
/** A response that nobody awaits any more. */
const ENDED = exchange(-1, -1);
/** What is found on connections that carried these requests. By default, one connection carried one request. */
const found = (packets: readonly CapturedPacket[], exchanges: readonly CapturedExchange[] = [ENDED], thinkNs = 0) =>
  lostData({packets, exchanges}, RTT, thinkNs).map(
    ({first, direction, copies, seenNs, repairedNs, offset, isSetUp}) => {
      return {first, direction, copies, seenMs: seenNs / 1e6, repairedMs: repairedNs / 1e6, offset, isSetUp};
    },
  );

describe('data from the server', () => {
  test('that fill a gap about an RTT later were lost, and have their place in the response', () => {
    const packets = [packet(0, 'down', [0, 1000]), packet(1, 'down', [2000, 1000]), packet(90, 'down', [1000, 1000])];
    expect(found(packets)).toEqual([
      {first: 1000, direction: 'down', copies: 1, seenMs: 1, repairedMs: 90, offset: 1000, isSetUp: false},
    ]);
  });

  test('that fill a gap much sooner than an RTT were only overtaken', () => {
    const packets = [packet(0, 'down', [0, 1000]), packet(1, 'down', [2000, 1000]), packet(30, 'down', [1000, 1000])];
    expect(found(packets)).toEqual([]);
  });

  test('that arrive twice were not lost', () => {
    const packets = [packet(0, 'down', [0, 1000]), packet(1, 'down', [1000, 1000]), packet(200, 'down', [0, 1000])];
    expect(found(packets)).toEqual([]);
  });

  test('that end a silence while a response is awaited were lost, although no later data showed a gap', () => {
    const packets = [packet(0, 'down', [0, 1000]), packet(400, 'down', [1000, 1000])];
    expect(found(packets, [exchange(-50, 400)])).toMatchObject([{first: 1000, seenMs: 0, repairedMs: 400}]);
    expect(found(packets, [exchange(-50, 0)])).toEqual([]);
    expect(found(packets, [exchange(350, 400)])).toEqual([]);
  });

  test('that come after the think time of the server were not lost', () => {
    const packets = [packet(0, 'up', [0, 100]), packet(400, 'down', [0, 1000])];
    expect(found(packets, [exchange(0, 400)], 300e6)).toEqual([]);
    expect(found(packets, [exchange(0, 400)], 100e6)).toHaveLength(1);
  });

  test('that waited while the link was busy with another connection were not lost', () => {
    const others = Array.from({length: 30}, (_, i) => packet(10 + i * 12, 'down', [i * 1000, 1000], {connection: 1}));
    const packets = [packet(0, 'down', [0, 1000]), ...others, packet(400, 'down', [1000, 1000])];
    expect(found(packets, [exchange(-50, 400)])).toEqual([]);
  });
});

describe('data from the client', () => {
  test('that it sends again were lost, as often as it sends them again', () => {
    const packets = [0, 300, 900].map(atMs => packet(atMs, 'up', [0, 500]));
    expect(found(packets)).toMatchObject([{first: 0, direction: 'up', copies: 2, seenMs: 0, repairedMs: 900}]);
  });

  test('that an earlier packet is known to have brought were not lost', () => {
    const copies = (first: CapturedPacket['fate'], second: CapturedPacket['fate']) => [
      packet(0, 'up', [0, 500], {fate: first}),
      packet(300, 'up', [0, 500], {fate: second}),
      packet(900, 'up', [100, 400]),
    ];
    expect(found(copies('delivered', null))).toEqual([]);
    expect(found(copies('lost', 'delivered'))).toMatchObject([{first: 0, copies: 1, repairedMs: 300}]);
    expect(found([packet(0, 'up', [0, 499], {fate: 'delivered'}), packet(300, 'up', [0, 500])])).toHaveLength(1);
  });

  test('a SYN was lost if the client sends it again before an answer arrives', () => {
    const syn = (atMs: number) => packet(atMs, 'up', null, {kind: 'setUp'});
    expect(found([syn(0), syn(1000), packet(1100, 'down', null, {kind: 'setUp'})])).toMatchObject([
      {isSetUp: true, direction: 'up', seenMs: 0, repairedMs: 1000},
    ]);
    expect(found([syn(0), packet(100, 'down', null, {kind: 'setUp'}), syn(1000)])).toEqual([]);
  });

  test('on a connection without requests do not count as lost, because the twin does not open the connection', () => {
    const syns = [packet(0, 'up', null, {kind: 'setUp'}), packet(1000, 'up', null, {kind: 'setUp'})];
    const data = [300, 600].map(atMs => packet(atMs, 'up', [0, 500], {connection: 1}));
    const lost = lostData({packets: [...syns, ...data], exchanges: [{...ENDED, connection: 1}]}, RTT, 0);
    expect(lost.map(({connection, isSetUp}) => [connection, isSetUp])).toEqual([[0, false]]);
  });

  test('the loss of a SYN and the loss of the first data are two losses', () => {
    const syns = [0, 1000].map(atMs => packet(atMs, 'up', null, {kind: 'setUp'}));
    const data = [1100, 1400].map(atMs => packet(atMs, 'up', [0, 500]));
    expect(found([...syns, packet(1050, 'down', null, {kind: 'setUp'}), ...data])).toMatchObject([
      {isSetUp: true, copies: 1},
      {isSetUp: false, copies: 1},
    ]);
  });
});
