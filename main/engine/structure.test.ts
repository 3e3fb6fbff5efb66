import {describe, expect, test} from 'vitest';
import type {Json} from '../../app/base/json.ts';
import {estimate} from '../../app/run/metrics/statistics.ts';
import type {Trace} from '../../app/run/trace/trace.ts';
import {traces} from '../workers/testing/runs.ts';

// These tests check the effects of each transport's structure, in cases that do not depend on the seed.

const path = {rateBps: 1_000_000, rttMs: 350};
const page = {synthetic: {objects: 10, objectBytes: 10_000}};

/**
 * Numbers of the server's packets with data. Each load loses one of them. They contain data of pictures, at different
 * positions in different windows. Earlier windows are too small to contain data of most pictures.
 */
const LOST = Array.from({length: 21}, (_, i) => 22 + 2 * i);

describe('one lost packet', () => {
  test.each([
    ['tcp', {pipeline: 'tcp'}],
    ['tcp with tls', {pipeline: 'tcp', tls: true}],
    ['h2', {pipeline: 'h2'}],
    ['one stream of sctp', {pipeline: 'sctp', streams: 1}],
  ])('on %s delays all data after it', (_, pane) => {
    for (const {lost, held, moved} of LOST.flatMap(k => holdsOf(pane, k))) {
      expect(moved).toEqual([]);
      expect(held.length).toBeGreaterThan(0);
      expect(held.length).toBeGreaterThanOrEqual(lost.length);
    }
  });

  test('on tcp × 6 delays only its own connection', () => {
    const holds = LOST.flatMap(k => holdsOf({pipeline: 'tcp', connections: 6, pipelining: false}, k));
    for (const {lost, held, moved} of holds) {
      expect(held).toEqual(lost);
      expect(moved).not.toContain(lost[0]);
    }
    // After the last packet of a response there is no data that could wait.
    expect(holds.length).toBeGreaterThan(LOST.length / 2);
    expect(estimate(holds.map(({moved}) => moved.length)).mean).toBeGreaterThan(5);
  });

  test.each([
    ['h3', {pipeline: 'h3'}],
    ['sctp', {pipeline: 'sctp', streams: 11}],
    ['I-DATA', {pipeline: 'sctp', streams: 11, idata: true}],
  ])('on %s delays only the objects in it', (_, pane) => {
    const holds = LOST.flatMap(k => holdsOf(pane, k));
    for (const {lost, held} of holds) expect(lost).toEqual(expect.arrayContaining([...held]));
    expect(holds.length).toBeGreaterThan(LOST.length / 2);
    const goingOn = holds.map(({lost, others}) => others.length / (10 - lost.length));
    expect(Math.min(...goingOn)).toBeGreaterThan(0.5);
    expect(estimate(goingOn).mean).toBeGreaterThan(0.9);
  });
});

test('0-RTT saves one round trip and the transmission time of the packets that it does not need', () => {
  const saved = [70, 350, 1100].map(rttMs => {
    const [first, again] = traces({
      page,
      path: {...path, rttMs},
      panes: [{pipeline: 'h3'}, {pipeline: 'h3', visit: 'again'}],
    }).map(trace => (trace.objects[0]?.firstByteNs ?? Number.NaN) / 1e6);
    return (first ?? 0) - (again ?? 0) - rttMs;
  });
  for (const ms of saved) expect(ms).toBeCloseTo(saved[0] ?? Number.NaN, 6);
  // The saved packets are those of the certificate, and two full packets of the client.
  expect(saved[0]).toBeGreaterThan(0);
  expect(saved[0]).toBeLessThan(30);
});

interface OneHold {
  /** The objects of the lost packet's data. */
  readonly lost: readonly number[];
  readonly held: readonly number[];
  /** The objects that received data while others waited for the lost packet. */
  readonly moved: readonly number[];
  /** The objects of `moved` that are not in `lost`. */
  readonly others: readonly number[];
}

/** Loads the page and loses the k-th packet with data. Returns one entry, or none if no data waited. */
function holdsOf(pane: Json, k: number): readonly OneHold[] {
  const loss = {down: {packets: [k], applies: 'data'}, up: 0};
  const [trace] = traces({page, panes: [pane], path: {...path, loss}}) as [Trace];
  const [packet = -1] = trace.droppedPackets();
  const blocking = trace.blockingOf(packet);
  const fromNs = Math.min(...(blocking?.held.map(({startNs}) => startNs) ?? []));
  if (blocking === undefined || blocking.held.length === 0) return [];
  const {atNs, object} = trace.data.deliveries;
  const moved = Array.from(object).filter((_, row) => {
    const at = atNs[row] ?? 0;
    return at > fromNs && at < (blocking.repairedNs ?? 0);
  });
  const lost = ascending(trace.objectsOf(packet).map(each => each.object));
  return [
    {
      lost,
      held: ascending(blocking.held.map(each => each.object)),
      moved: ascending(moved),
      others: ascending(moved.filter(each => !lost.includes(each))),
    },
  ];
}

function ascending(objects: readonly number[]): readonly number[] {
  return [...new Set(objects)].sort((a, b) => a - b);
}
