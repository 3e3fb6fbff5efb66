import fc from 'fast-check';
import {describe, expect, test} from 'vitest';
import {type Queue, queueAt, queuesOf, trafficGroups} from './queue.ts';
import {smallTrace} from './testing/smallTrace.ts';
import {Trace} from './trace.ts';
import type {FlowTrace} from './traceData.ts';

const MS = 1e6;
const NONE = Number.NaN;

interface Stay {
  /** 0 is the load itself, other numbers are flows from 1. */
  readonly flow: number;
  readonly sentMs: number;
  /** NaN if it never entered the queue. */
  readonly leftMs: number;
}

function queueOf(stays: readonly Stay[], flows: readonly FlowTrace[] = []): Queue {
  const columns = (own: readonly Stay[], flowOf: (stay: Stay) => number) => ({
    flow: Uint32Array.from(own, flowOf),
    direction: new Uint8Array(own.length),
    bytes: new Uint32Array(own.length).fill(100),
    sentNs: Float64Array.from(own, ({sentMs}) => sentMs * MS),
    leftNs: Float64Array.from(own, ({leftMs}) => leftMs * MS),
    fate: Uint8Array.from(own, ({leftMs}) => (Number.isNaN(leftMs) ? 3 : 1)),
    fateNs: Float64Array.from(own, ({sentMs}) => (sentMs + 50) * MS),
  });
  const data = smallTrace();
  const own = stays.filter(({flow}) => flow === 0);
  const others = stays.filter(({flow}) => flow > 0);
  const queues = queuesOf(
    new Trace({
      ...data,
      packets: {
        ...columns(own, () => 0),
        endpoint: new Uint32Array(own.length),
        copyNs: new Float64Array(own.length).fill(Number.NaN),
        ecn: new Uint8Array(own.length),
        marked: new Uint8Array(own.length),
        kind: new Uint8Array(own.length),
        cumulativeAck: new Float64Array(own.length),
      },
      traffic: {flows, packets: columns(others, ({flow}) => flow - 1)},
    }),
  );
  if (queues === undefined) throw new Error('no queues');
  return queues.down;
}

const UPLOAD: FlowTrace = {kind: 'tcp', direction: 'up', congestion: 'cubic'};
const CALL: FlowTrace = {kind: 'cbr', direction: 'down', rateBps: 1e6};

test('the queue holds each packet from when it is sent until it has left, by group', () => {
  const queue = queueOf(
    [
      {flow: 0, sentMs: 0, leftMs: 10},
      {flow: 1, sentMs: 5, leftMs: 20},
      {flow: 2, sentMs: 5, leftMs: 30},
      {flow: 3, sentMs: -5, leftMs: 5},
    ],
    [UPLOAD, CALL, UPLOAD],
  );
  expect(queue.groups).toEqual(['this load', '2 uploads', 'constant traffic down']);
  expect(queueAt(queue, -1 * MS).packets).toEqual([0, 1, 0]);
  expect(queueAt(queue, 5 * MS)).toEqual({packets: [1, 1, 1], bytes: [100, 100, 100], waitNs: 25 * MS});
  expect(queueAt(queue, 9.9 * MS).packets).toEqual([1, 1, 1]);
  expect(queueAt(queue, 10 * MS).packets).toEqual([0, 1, 1]);
  expect(queueAt(queue, 29 * MS)).toEqual({packets: [0, 0, 1], bytes: [0, 0, 100], waitNs: 25 * MS});
  expect(queueAt(queue, 30 * MS)).toEqual({packets: [0, 0, 0], bytes: [0, 0, 0], waitNs: 0});
  expect(queueAt(queue, -9 * MS)).toEqual({packets: [0, 0, 0], bytes: [0, 0, 0], waitNs: 0});
});

test('a packet that was dropped before it entered is never in the queue', () => {
  const queue = queueOf([
    {flow: 0, sentMs: 0, leftMs: 10},
    {flow: 0, sentMs: 1, leftMs: NONE},
  ]);
  expect(queueAt(queue, 5 * MS).packets).toEqual([1]);
});

test('a packet that is still in the queue at the end of the run stays in it', () => {
  const data = smallTrace();
  const {packets} = data;
  const waiting = {...packets, leftNs: packets.leftNs.with(5, NONE), fate: packets.fate.with(5, 0)};
  const queues = queuesOf(new Trace({...data, packets: waiting}));
  expect(queues && queueAt(queues.down, 1e12).packets).toEqual([1]);
});

test('both directions have queues of their own', () => {
  const queues = queuesOf(new Trace(smallTrace()));
  expect(queues && [queueAt(queues.up, 0.5 * MS).packets, queueAt(queues.down, 0.5 * MS).packets]).toEqual([[1], [0]]);
});

test('a trace that does not say when packets left the queue has no queues', () => {
  const data = smallTrace();
  const {packets} = data;
  expect(queuesOf(new Trace({...data, packets: {...packets, leftNs: packets.leftNs.fill(NONE)}}))).toBeUndefined();
});

describe('the names of other traffic', () => {
  test('tell page loads apart by pipeline and pane', () => {
    const flows: readonly FlowTrace[] = [
      {kind: 'page', pane: 1, pipeline: 'h3'},
      {kind: 'tcp', direction: 'down', congestion: 'reno'},
      {kind: 'page', pane: 0, pipeline: 'h3'},
    ];
    expect(trafficGroups(flows)).toEqual([
      {label: 'HTTP/3 in pane 2', flows: [0]},
      {label: 'download', flows: [1]},
      {label: 'HTTP/3 in pane 1', flows: [2]},
    ]);
  });
});

test('the queue at any time is the count of the packets whose stay contains the time', () => {
  const stay = fc.record({
    flow: fc.nat(2),
    sentMs: fc.integer({min: -10, max: 50}),
    stayMs: fc.integer({min: 1, max: 30}),
  });
  fc.assert(
    fc.property(fc.array(stay, {minLength: 1, maxLength: 30}), fc.integer({min: -11, max: 90}), (stays, tMs) => {
      const all = stays.map(({flow, sentMs, stayMs}) => ({flow, sentMs, leftMs: sentMs + stayMs}));
      const queue = queueOf([...all, {flow: 0, sentMs: 1000, leftMs: 1001}], [UPLOAD, CALL]);
      const counts = [0, 1, 2].map(
        group => all.filter(({flow, sentMs, leftMs}) => flow === group && sentMs <= tMs && tMs < leftMs).length,
      );
      expect(queueAt(queue, tMs * MS).packets).toEqual(counts);
    }),
  );
});
