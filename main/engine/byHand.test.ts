import {describe, expect, test} from 'vitest';
import type {Trace} from '../../app/run/trace/trace.ts';
import {traces} from '../workers/testing/runs.ts';

// These loads are small enough to compute their times with pencil and paper. index.html has 750 B, and two objects have
// 2000 B each. Each response has a header of 250 B, and each GET has 200 B. The path has a rate of 1 Mbit/s, at which a
// byte takes 8 µs, and a delay of 50 ms in each direction. One packet is dropped.

const document = {
  page: {synthetic: {indexBytes: 1000, objects: 2, objectBytes: 2000, headerBytes: 250, requestBytes: 200}},
  path: {rateBps: 1_000_000, rttMs: 100},
  discovery: 'complete',
};

/** The time in ms at which the last of several packets arrives if they are sent together. */
const arrival = (sentMs: number, ...packets: readonly number[]): number =>
  sentMs + packets.reduce((sum, bytes) => sum + bytes, 0) * 0.008 + 50;

/** Size of the IP and TCP headers with timestamps (20 + 20 + 12 B). One SACK block adds 12 B. */
const TCP = 52;
const TCP_SACK = TCP + 12;
/**
 * `SCTP` is the size of the IP header and the SCTP common header (20 + 12 B). The other sizes include these headers:
 * `SACK` is the size of a packet with a SACK, `SACK_GAP` that of a packet whose SACK has one gap ack block, and `DATA`
 * that of a packet with the header of a DATA chunk (16 B) without its data.
 */
const SCTP = 32;
const SACK = SCTP + 16;
const SACK_GAP = SACK + 4;
const DATA = SCTP + 16;

describe('TCP, when the second of four segments is lost', () => {
  const [trace] = traces({
    ...document,
    panes: [{pipeline: 'tcp'}],
    // The server's packets are the SYN ACK (0), index.html (1) and the objects' segments (2, 3, 4, 5). Packet 3 is
    // lost.
    path: {...document.path, loss: {down: {packets: [3]}, up: 0}},
  }) as [Trace];

  // SYN and SYN ACK have 24 B of options, which are MSS, SACK permitted, timestamps and window scale.
  const setup = arrival(arrival(0, 64), 64);
  // The client sends the ACK of the handshake and then the GET.
  const indexAsked = arrival(setup, TCP, TCP + 200);
  const index = arrival(indexAsked, TCP + 1000);
  // Both GETs share a segment, which also carries the acknowledgement.
  const objectsAsked = arrival(index, TCP + 400);
  // 4500 B are segments of 1448, 1448, 1448 and 156 B. The initial window of 4380 B allows three.
  const firstSegment = arrival(objectsAsked, 1500);
  // The second segment is lost before the queue, so the third follows the first without a gap.
  const thirdSegment = arrival(objectsAsked, 1500, 1500);
  // The third segment is out of order, so it is acknowledged at once. This acknowledgement allows the last 156 B.
  const acknowledged = arrival(thirdSegment, TCP_SACK);
  const fourthSegment = arrival(acknowledged, TCP + 156);
  // Two duplicate acknowledgements are too few for a fast retransmit. The timer expires 1 s (RFC 6298 §2.4) after the
  // last acknowledgement of new data (§5.3).
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

  test('the second object waited for the lost segment of the first', () => {
    expect(blocked(trace, 1)).toEqual([]);
    expect(blocked(trace, 2)).toEqual([[1448 + 156, thirdSegment, repaired].map(closeTo)]);
    expect(fourthSegment).toBeLessThan(repaired);
    const [loss] = trace.droppedPackets();
    expect(trace.blockingOf(loss ?? -1)?.repairedNs).toEqual(closeTo(repaired * 1e6));
    expect(trace.blockingOf(loss ?? -1)?.held.map(each => each.object)).toContain(2);
  });
});

describe('SCTP over three streams, when the first packet of the first object is lost', () => {
  const [trace] = traces({
    ...document,
    panes: [{pipeline: 'sctp', streams: 3}],
    // The server's packets are the INIT ACK (0), the COOKIE ACK (1), the SACK for the GET (2), index.html (3), the SACK
    // for both GETs (4) and the first object (5 and later). Packet 5 is lost.
    path: {...document.path, loss: {down: {packets: [5]}, up: 0}},
  }) as [Trace];

  // The handshake is INIT, INIT ACK with a cookie, COOKIE ECHO, COOKIE ACK.
  const setup = arrival(arrival(arrival(arrival(0, 64), 116), 84), SCTP + 4);
  const indexAsked = arrival(setup, DATA + 200);
  // The server sends a SACK and then the response.
  const index = arrival(indexAsked, SACK, DATA + 1000);
  // The client sends a SACK and then one GET on each of the streams 1 and 2.
  const firstAsked = arrival(index, SACK, DATA + 200);
  const secondAsked = arrival(index, SACK, DATA + 200, DATA + 200);
  // Each response is two messages. The first has 1452 B and fills a packet, the second has 798 B. The first packet is
  // dropped, so the second follows the SACK without a gap.
  const secondMessage = arrival(firstAsked, SACK, DATA + 798 + 2);
  // The second object's first packet waits until the line is free. Then cwnd is full, because 4380 B do not allow a
  // fourth message.
  const otherStream = arrival(secondMessage - 50, SACK, 1500);
  // The SACK for the second message allows the fourth.
  const gap = arrival(secondMessage, SACK_GAP);
  const otherComplete = arrival(gap, DATA + 798 + 2);
  // This is the third SACK that reports the lost packet missing, so it is retransmitted at once (RFC 9260 §7.2.4).
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

  test('only the stream of the lost packet waited for it', () => {
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

/**
 * Returns a row for each delivery: the object, how many of the object's bytes were delivered so far, and the time in
 * ms.
 */
function deliveries({data}: Trace): readonly (readonly unknown[])[] {
  const {object, bytes, atNs} = data.deliveries;
  return Array.from(atNs, (ns, row) => [object[row], bytes[row], ns / 1e6]);
}

/** Returns a row for each time that data of the object waited: the number of bytes, and the start and end in ms. */
function blocked(trace: Trace, object: number): readonly (readonly number[])[] {
  return trace.blockedOf(object).map(each => [each.bytes, each.startNs / 1e6, each.endNs / 1e6]);
}

/** Matches a time in ms to within a nanosecond, because the last bits of the arithmetic may differ. */
function closeTo(value: number): number {
  return expect.closeTo(value, 6) as unknown as number;
}
