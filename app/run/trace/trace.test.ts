import {describe, expect, test} from 'vitest';
import {smallTrace} from './testing/smallTrace.ts';
import {runEndNs, Trace} from './trace.ts';

const MS = 1e6;
const trace = new Trace(smallTrace());

describe('at time t', () => {
  test('an object has the bytes that were delivered at or before t', () => {
    const at = [0, 29.999, 30, 69, 70, 1e6].map(ms => trace.bytesAt(1, ms * MS));
    expect(at).toEqual([0, 0, 100, 100, 400, 400]);
    expect([0, 1, 2, 7].map(i => trace.bytesAt(i, 35 * MS))).toEqual([100, 100, 0, 0]);
    expect(trace.totalBytesAt(35 * MS)).toBe(200);
  });

  test('the percentage refers to the body, and an empty body has 100 % once it is complete', () => {
    expect([29, 30, 70].map(ms => trace.percentAt(1, ms * MS))).toEqual([0, 25, 100]);
    const data = smallTrace();
    const [index, image] = data.objects;
    if (index === undefined || image === undefined) throw new Error('the small trace has two objects');
    const empty = new Trace({...data, objects: [{...index, bytes: 0}, image]});
    expect([19, 20].map(ms => empty.percentAt(0, ms * MS))).toEqual([0, 100]);
  });

  test('an object has one state after the other', () => {
    expect([19, 20, 29, 30, 69, 70].map(ms => trace.stateAt(1, ms * MS))).toEqual([
      'unknown',
      'requested',
      'requested',
      'receiving',
      'receiving',
      'complete',
    ]);
    const data = smallTrace();
    const failed = data.objects.map(object => ({
      ...object,
      completeNs: null,
      failedNs: 50 * MS,
      failure: {kind: 'status', status: 404} as const,
    }));
    expect(new Trace({...data, objects: failed}).stateAt(1, 50 * MS)).toBe('failed');
    expect(trace.stateAt(7, 50 * MS)).toBe('unknown');
  });

  test('samplesOf returns the samples of one endpoint only', () => {
    expect(trace.samplesOf('server')).toEqual([1, 2]);
  });
});

test('reachedNs returns the time of the first delivery with which an object reaches the percentage', () => {
  expect([1, 25, 26, 100].map(percent => trace.reachedNs(1, percent))).toEqual([30, 30, 70, 70].map(ms => ms * MS));
});

test('objectsOf lists the objects of a packet’s data', () => {
  expect(trace.objectsOf(4)).toEqual([{object: 1, bytes: 200}]);
  expect(trace.objectsOf(0)).toEqual([]);
  expect([3, 5].map(packet => trace.isRetransmission(packet))).toEqual([false, true]);
});

test('a packet with several retransmitted chunks is listed once', () => {
  expect(trace.retransmissions()).toEqual([5]);
  const data = smallTrace();
  const {packet, retransmission} = data.chunks;
  const chunks = {...data.chunks, packet: packet.with(3, 5), retransmission: retransmission.with(3, 1)};
  expect(new Trace({...data, chunks}).retransmissions()).toEqual([5]);
});

describe('head-of-line blocking', () => {
  test('has the data that waited, and the times', () => {
    expect(trace.blockedOf(1)).toEqual([{startNs: 40 * MS, endNs: 70 * MS, bytes: 200}]);
    expect(trace.blockedOf(0)).toEqual([]);
  });

  test('is attributed to the lost packet that caused it, until the data of that packet arrive', () => {
    expect(trace.droppedPackets()).toEqual([3]);
    expect(trace.blockingOf(3)).toEqual({
      packet: 3,
      repairedNs: 70 * MS,
      held: [{object: 1, startNs: 40 * MS, endNs: 70 * MS, bytes: 200}],
    });
    expect(trace.blockingOf(2)).toBeUndefined();
  });

  test('by a lost packet of the client concerns requests', () => {
    const data = smallTrace();
    const [connections, endpoint] = [[{client: 1, server: 0, streams: 1}], data.packets.endpoint];
    const packets = {...data.packets, endpoint, direction: data.packets.direction.map(from => 1 - from)};
    expect(new Trace({...data, connections, packets}).blockingOf(3)).toMatchObject({held: [{object: 1}]});
    expect(new Trace({...data, connections}).blockingOf(3)).toMatchObject({held: []});
  });

  test('of one loss ends when the lost data arrive, even if later data then wait for other losses', () => {
    const data = smallTrace();
    const blocked = {...data.blocked, endNs: Float64Array.of(99 * MS)};
    expect(new Trace({...data, blocked}).blockingOf(3)?.held).toEqual([
      {object: 1, startNs: 40 * MS, endNs: 70 * MS, bytes: 200},
    ]);
  });

  test.each([
    ['in a chunk that begins before this byte', 150, 100, 70],
    ['in a chunk that begins with this byte', 200, 1, 70],
    ['not in a chunk that ends before this byte', 100, 100, null],
    ['not in a chunk that begins after this byte', 201, 100, null],
  ])('ends when the first byte of the lost packet arrives, %s', (_name, first, bytes, repairedMs) => {
    const data = smallTrace();
    const chunks = {...data.chunks, first: data.chunks.first.with(4, first), bytes: data.chunks.bytes.with(4, bytes)};
    const repairedNs = repairedMs === null ? null : repairedMs * MS;
    expect(new Trace({...data, chunks}).blockingOf(3)).toMatchObject({repairedNs});
  });

  test('ends when the first of several copies arrives, and not with another stream’s or endpoint’s data', () => {
    const data = smallTrace();
    const repairedNs = (change: Partial<typeof data.chunks>, endpoint = data.packets.endpoint) =>
      new Trace({
        ...data,
        packets: {...data.packets, endpoint},
        chunks: {...data.chunks, first: Float64Array.of(0, 100, 200, 200, 200), ...change},
      }).blockingOf(3)?.repairedNs;
    expect(repairedNs({})).toBe(40 * MS);
    expect(repairedNs({stream: Uint32Array.of(0, 0, 0, 1, 0)})).toBe(70 * MS);
    expect(repairedNs({}, Uint32Array.of(0, 1, 1, 1, 0, 1))).toBe(70 * MS);
  });

  test('covers whole chunks if the pipeline numbers chunks', () => {
    const data = smallTrace();
    const chunks = {...data.chunks, first: Float64Array.of(0, 1, 2, 3, 2)};
    const blocked = {...data.blocked, first: Float64Array.of(3)};
    const counted = new Trace({...data, pipeline: 'sctp', chunks, blocked});
    expect(counted.blockingOf(3)).toMatchObject({repairedNs: 70 * MS, held: [{object: 1}]});
  });

  test('lasts until the end of the run if the data never arrive', () => {
    const data = smallTrace();
    const fate = data.packets.fate.with(5, 2);
    const blocked = {...data.blocked, endNs: Float64Array.of(Number.NaN)};
    const never = new Trace({...data, packets: {...data.packets, fate}, blocked});
    expect(never.blockingOf(3)).toMatchObject({repairedNs: null, held: [{endNs: 70 * MS}]});
  });
});

test('a run ends when its last pane ends', () => {
  const [early, late] = [70e6, 90e6].map(endNs => new Trace({...smallTrace(), endNs}));
  expect(early && late && runEndNs([late, early])).toBe(90e6);
  expect(runEndNs([])).toBe(0);
});
