import {describe, expect, test} from 'vitest';
import {causeOf} from '../../app/run/cause/cause.ts';
import {causeSentence} from '../../app/run/cause/causeSentence.ts';
import {measure} from '../../app/run/metrics/metrics.ts';
import {decodeRun, encodeRun} from '../../app/run/trace/runFile.ts';
import type {Trace} from '../../app/run/trace/trace.ts';
import {runDocument, traces} from '../workers/testing/runs.ts';

const document = {
  page: {synthetic: {indexBytes: 1000, objects: 2, objectBytes: 2000, headerBytes: 250, requestBytes: 200}},
  path: {rateBps: 1_000_000, rttMs: 100},
  panes: [{pipeline: 'udp', ratePercent: 80}],
  discovery: 'complete',
};

/**
 * Sizes of the IP and UDP headers together, and of a frame's header. The path needs 8 µs per byte and 50 ms per
 * direction.
 */
const [UDP, FRAME] = [28, 20];
const [REQUEST, FULL] = [UDP + 200, 1500];
const lineMs = (...packets: readonly number[]) => packets.reduce((sum, bytes) => sum + bytes * 0.008, 0);
/** The server sends at 80 % of the path's rate. */
const sendMs = (bytes: number) => bytes * 0.01;

describe('UDP, when the first of two frames of the first object is lost', () => {
  const [trace] = traces({...document, path: {...document.path, loss: {down: {packets: [1]}, up: 0}}}) as [Trace];
  // UDP has no handshake.
  const indexAsked = lineMs(REQUEST) + 50;
  const index = indexAsked + lineMs(UDP + FRAME + 1000) + 50;
  const objectsAsked = index + lineMs(REQUEST) + 50;
  // The server sends at 80 % of the path's rate. It sends the second frame when the first would end at this rate.
  const secondFrame = objectsAsked + sendMs(FULL) + lineMs(UDP + FRAME + 2250 - 1452) + 50;

  test('every time before the retransmission follows from the path and the rate', () => {
    expect(trace.data.setupNs).toBe(0);
    expect(trace.objects[0]?.completeNs).toBeCloseTo(index * 1e6, -3);
    const [blocked] = trace.blockedOf(1);
    expect(blocked?.startNs).toBeCloseTo(secondFrame * 1e6, -3);
  });

  test('only the lost frame is requested after an RTT of silence, and retransmitted', () => {
    const {packets, chunks} = trace.data;
    const objectsMs = index;
    const isLater = (row: number) => packets.direction[row] === 1 && (packets.sentNs[row] ?? 0) > objectsMs * 1e6;
    const asked = Array.from(packets.sentNs.keys()).find(isLater) ?? -1;
    // The client has measured the RTT with index.html.
    expect(packets.sentNs[asked]).toBeCloseTo((objectsMs + index) * 1e6, -3);
    const again = Array.from(chunks.packet).filter((_, row) => chunks.retransmission[row] === 1);
    const ofServer = again.filter(packet => packets.direction[packet] === 0);
    expect(ofServer.map(packet => trace.objectsOf(packet))).toEqual([[{object: 1, bytes: 1472}]]);
    expect(trace.objects[1]?.completeNs).toBe(packets.fateNs[ofServer[0] ?? -1]);
    expect(measure(trace.data).retransmitted).toBe(again.length);
  });

  test('the sentence about the lost frame says that it was requested', () => {
    const [lost] = trace.droppedPackets();
    const cause = causeOf(trace, lost ?? -1);
    expect(cause?.cargo.kind).toBe('data');
    if (cause === undefined) throw new Error('nothing was lost');
    expect(causeSentence(trace, cause)).toContain('requested again by the browser, and sent again after 110 ms');
  });

  test('only the object of the lost frame waits in the trace', () => {
    const [lost] = trace.droppedPackets();
    const blocking = trace.blockingOf(lost ?? -1);
    expect(blocking?.repairedNs).toBe(trace.objects[1]?.completeNs);
    expect(blocking?.held.map(({object}) => object)).toEqual([1]);
    expect(trace.blockedOf(2)).toEqual([]);
  });
});

test('a lost request is sent again, and the sentence about it says so', () => {
  const loss = {down: 0, up: {packets: [1], applies: 'data'}};
  const [trace] = traces({...document, path: {...document.path, loss}}) as [Trace];
  const [lost = -1] = trace.droppedPackets();
  const cause = causeOf(trace, lost);
  if (cause?.cargo.kind !== 'data') throw new Error('a request was lost');
  const [again] = cause.cargo.sendings;
  expect(again?.packet).toBeGreaterThan(lost);
  expect(cause.cargo.arrivedNs).toBe(again?.arrivedNs);
  expect(causeSentence(trace, cause)).toMatch(
    /: the browser’s request for \d+\S*; noticed after \d+ ms by a timeout and sent again, arrived at /,
  );
});

test('HTML can be delivered with gaps, and is complete in the end', () => {
  const [trace] = traces({...document, page: 'text-10k', panes: [{pipeline: 'udp'}]}) as [Trace];
  const [html] = trace.objects;
  const times = [...trace.deliveriesOf(0).atNs];
  const holed = times.filter(atNs => trace.rangesAt(0, atNs).length > 1);
  expect(holed.length).toBeGreaterThan(1);
  expect(trace.bytesAt(0, holed[0] ?? 0)).toBeLessThan(10_000);
  expect(trace.rangesAt(0, html?.completeNs ?? 0)).toEqual([{first: 0, end: 10_000}]);
});

describe('a load over UDP', () => {
  const lossy = (loss: number, timeLimitMs = 600_000) =>
    runDocument({...document, path: {...document.path, loss}, seed: 7, timeLimitMs});

  test('has a sentence that a lost request was sent again after a timeout', () => {
    const [late] = traces({...document, path: {...document.path, loss: {down: 0, up: {packets: [0]}}}}) as [Trace];
    const cause = causeOf(late, 0);
    if (cause === undefined) throw new Error('nothing was lost');
    expect(causeSentence(late, cause)).toContain('noticed after 1.00 s by a timeout and sent again');
  });

  test('is complete if half of the packets are lost', () => {
    expect(lossy(0.5).panes[0]?.outcome).toBe('complete');
  });

  test('ends with a reason if every packet is lost', () => {
    expect(lossy(1, 20_000).panes[0]).toMatchObject({
      outcome: 'time-limit',
      reason: 'not complete after 20 s',
      setupNs: 0,
    });
  });

  test('gives the same run twice, and the same run from its file', () => {
    const run = lossy(0.1);
    expect(lossy(0.1)).toEqual(run);
    expect(decodeRun(encodeRun(run))).toEqual({ok: true, run});
  });
});
