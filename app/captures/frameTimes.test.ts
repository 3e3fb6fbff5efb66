import {expect, test} from 'vitest';
import type {SentRequest} from './framePipe.ts';
import {wayDown} from './frameTimes.ts';

const MS = 1e6;

function request(atMs: number, datagram: number, rttMs: number | null = null): SentRequest {
  const asked = {url: '/', request: 0, datagram, ranges: null, rttUs: rttMs === null ? null : rttMs * 1e3};
  return {asked, bytes: new Uint8Array(0), sentNs: atMs * MS};
}

function frame(atMs: number, answers: number | null, hasArrived = true) {
  const frame = {request: 0, index: 0, frames: 1, answers, abstractFrames: 0, continues: false};
  return {frame: {...frame, payload: new Uint8Array(0)}, sentNs: atMs * MS, hasArrived};
}

test('a round trip that the client states shows when the last answer before it arrived', () => {
  const way = wayDown([request(0, 0), request(100, 1, 70)], [frame(40, 0), frame(45, null), frame(150, 1)], undefined);
  expect(way).toEqual({
    ns: 30 * MS,
    note:
      'Datagrams are not acknowledged. They are taken to have arrived 30.0 ms after they were sent, as those did whose ' +
      'round trip the client stated.',
  });
});

test('a round trip is that of an answer that arrived, and had arrived before it was stated', () => {
  const requests = [request(0, 0), request(10, 1), request(60, 2), request(125, 3, 70)];
  // the third would have arrived later than it was stated, and the last one before it was sent
  const answers = [frame(40, 0), frame(50, 0, false), frame(90, 2), frame(100, 1)];
  expect(wayDown(requests, answers, undefined).ns).toBe(30 * MS);
});

test('the median of the times counts', () => {
  const requests = [request(0, 0), request(90, 1, 70), request(190, 2, 80), request(290, 3, 95)];
  expect(wayDown(requests, [frame(40, 0), frame(130, 1), frame(240, 2)], undefined).ns).toBe(40 * MS);
});

test('without a stated round trip, the least time from a request to its answer counts, also if that was lost', () => {
  const way = wayDown([request(0, 0), request(100, 1)], [frame(45, 0), frame(140, 1, false)], undefined);
  expect([way.ns, way.note]).toEqual([40 * MS, expect.stringContaining('the client stated no round trip')]);
  expect(wayDown([request(0, 0)], [frame(200, 0)], 35 * MS).ns).toBe(35 * MS);
});

test('without any answer, a sentence says that the times are not known', () => {
  const unknown = {ns: null, note: 'Datagrams are not acknowledged, so the times of responses are not known.'};
  expect(wayDown([request(0, 0)], [frame(40, null), frame(50, 7)], undefined)).toEqual(unknown);
  expect(wayDown([], [], 5)).toEqual(unknown);
});
