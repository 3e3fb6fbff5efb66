import {describe, expect, test} from 'vitest';
import type {Trace} from '../../app/run/trace/trace.ts';
import {traces} from '../workers/testing/runs.ts';

// Loads small enough to compute by hand: index.html of 750 B and two objects of 2000 B, each response with a
// header of 250 B, each GET 200 B; 1 Mbit/s, so 8 µs a byte, and 50 ms each way; one packet is dropped.

const document = {
  page: {synthetic: {indexBytes: 1000, objects: 2, objectBytes: 2000, headerBytes: 250, requestBytes: 200}},
  path: {rateBps: 1_000_000, rttMs: 100},
  discovery: 'complete',
};

/** When packets that leave together have all arrived, in ms. */
const arrival = (sentMs: number, ...packets: readonly number[]): number =>
  sentMs + packets.reduce((sum, bytes) => sum + bytes, 0) * 0.008 + 50;

/** Size of IP and TCP headers with timestamps (20 + 20 + 12 B), and with one SACK block in addition. */
const TCP = 52;
const TCP_SACK = TCP + 12;
/**
 * Sizes of IP and SCTP common header (20 + 12 B), of a SACK without and with one gap ack block, and of DATA's header
 * (16 B).
 */
const SCTP = 32;
const SACK = SCTP + 16;
const SACK_GAP = SACK + 4;
const DATA = SCTP + 16;

describe('TCP, when the second of three segments is lost', () => {
  const [trace] = traces({
    ...document,
    panes: [{pipeline: 'tcp'}],
    // down: SYN ACK is 0, index.html 1, the objects' segments 2, 3, 4
    path: {...document.path, loss: {down: {packets: [3]}, up: 0}},
  }) as [Trace];

  // SYN and SYN ACK have 24 B of options: MSS, SACK permitted, timestamps, window scale
  const setup = arrival(arrival(0, 64), 64);
  // the ACK of the handshake goes first, then the GET
  const indexAsked = arrival(setup, TCP, TCP + 200);
  const index = arrival(indexAsked, TCP + 1000);
  // both GETs share a segment, which also carries the acknowledgement
  const objectsAsked = arrival(index, TCP + 400);
  // 4500 B are 1448 + 1448 + 1448 + 156; the initial window of 4380 B holds three
  const firstSegment = arrival(objectsAsked, 1500);
  // the loss comes before the queue, so the third follows the first at once
  const thirdSegment = arrival(objectsAsked, 1500, 1500);
  // it is out of order, so acknowledged at once; that lets the last 156 B go
  const acknowledged = arrival(thirdSegment, TCP_SACK);
  const fourthSegment = arrival(acknowledged, TCP + 156);
  // two duplicate acknowledgements are no three, so the timer it is: 1 s (RFC 6298 §2.4) from the last
  // acknowledgement of new data (§5.3)
  const timeout = acknowledged + 1000;
  const repaired = arrival(timeout, 1500);

  test('every time follows from the path and the RFCs', () => {
    expectTimes(trace, {setup, asked: [setup, index, index], firstByte: [index, firstSegment, repaired]});
    expect(completeMs(trace)).toEqual([index, repaired, repaired].map(closeTo));
    expect(deliveries(trace)).toEqual([
      [0, 750, closeTo(index)],
      [1, 1448 - 250, closeTo(firstSegment)],
      [1, 2000, closeTo(repaired)],
      [2, 2000, closeTo(repaired)],
    ]);
  });

  test('the second object waited for the first one’s loss', () => {
    expect(blocked(trace, 1)).toEqual([]);
    expect(blocked(trace, 2)).toEqual([[1448 + 156, thirdSegment, repaired].map(closeTo)]);
    expect(fourthSegment).toBeLessThan(repaired);
    const [loss] = trace.droppedPackets();
    expect(trace.holdOf(loss ?? -1)?.repairedNs).toEqual(closeTo(repaired * 1e6));
    expect(trace.holdOf(loss ?? -1)?.held.map(each => each.object)).toContain(2);
  });
});

describe('SCTP over three streams, when the first packet of the first object is lost', () => {
  const [trace] = traces({
    ...document,
    panes: [{pipeline: 'sctp', streams: 3}],
    // down: INIT ACK is 0, COOKIE ACK 1, the GET's SACK 2, index.html 3, the GETs' SACK 4, the first object 5
    path: {...document.path, loss: {down: {packets: [5]}, up: 0}},
  }) as [Trace];

  // INIT, INIT ACK with its cookie, COOKIE ECHO, COOKIE ACK
  const setup = arrival(arrival(arrival(arrival(0, 64), 116), 84), SCTP + 4);
  const indexAsked = arrival(setup, DATA + 200);
  // the server acknowledges, then answers
  const index = arrival(indexAsked, SACK, DATA + 1000);
  // a SACK, then one GET on each of streams 1 and 2
  const firstAsked = arrival(index, SACK, DATA + 200);
  const secondAsked = arrival(index, SACK, DATA + 200, DATA + 200);
  // each response is two messages: 1452 B fill a packet, 798 B are left; the first packet is dropped, so the
  // second follows the SACK
  const secondMessage = arrival(firstAsked, SACK, DATA + 798 + 2);
  // the second object's first packet waits for the line; cwnd is full then: 4380 B hold no fourth message
  const otherStream = arrival(secondMessage - 50, SACK, 1500);
  // the SACK of the second message makes room for the fourth
  const gap = arrival(secondMessage, SACK_GAP);
  const otherComplete = arrival(gap, DATA + 798 + 2);
  // that was the third SACK that reports it missing: fast retransmit (RFC 9260 §7.2.4)
  const thirdReport = arrival(otherComplete, SACK_GAP);
  const repaired = arrival(thirdReport, 1500);

  test('every time follows from the path and the RFCs', () => {
    expectTimes(trace, {setup, asked: [setup, index, index], firstByte: [index, repaired, otherStream]});
    expect(secondAsked).toBeLessThan(secondMessage - 50);
    expect(deliveries(trace)).toEqual([
      [0, 750, closeTo(index)],
      [2, 1452 - 250, closeTo(otherStream)],
      [2, 2000, closeTo(otherComplete)],
      [1, 1452 - 250, closeTo(repaired)],
      [1, 2000, closeTo(repaired)],
    ]);
  });

  test('only the stream of the loss waited for it', () => {
    expect(blocked(trace, 1)).toEqual([[798, secondMessage, repaired].map(closeTo)]);
    expect(blocked(trace, 2)).toEqual([]);
    expect(trace.objects.map(object => object.stream)).toEqual([0, 1, 2]);
  });
});

interface Times {
  readonly setup: number;
  readonly asked: readonly number[];
  readonly firstByte: readonly number[];
}

function expectTimes(trace: Trace, {setup, asked, firstByte}: Times): void {
  expect((trace.data.setupNs ?? 0) / 1e6).toEqual(closeTo(setup));
  expect(trace.objects.map(object => (object.requestNs ?? 0) / 1e6)).toEqual(asked.map(closeTo));
  expect(trace.objects.map(object => (object.firstByteNs ?? 0) / 1e6)).toEqual(firstByte.map(closeTo));
}

function completeMs(trace: Trace): readonly number[] {
  return trace.objects.map(object => (object.completeNs ?? 0) / 1e6);
}

/** Object, its size in bytes, time in ms. */
function deliveries({data}: Trace): readonly (readonly unknown[])[] {
  const {object, bytes, atNs} = data.deliveries;
  return Array.from(atNs, (ns, row) => [object[row], bytes[row], ns / 1e6]);
}

/** Bytes, start and end in ms. */
function blocked(trace: Trace, object: number): readonly (readonly number[])[] {
  return trace.blockedOf(object).map(each => [each.bytes, each.startNs / 1e6, each.endNs / 1e6]);
}

/** Equal to within a nanosecond: the last bits of the arithmetic may differ. */
function closeTo(value: number): number {
  return expect.closeTo(value, 6) as unknown as number;
}
