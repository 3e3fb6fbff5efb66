import {describe, expect, test} from 'vitest';
import type {Json} from '../../app/base/json.ts';
import {measure} from '../../app/run/metrics/metrics.ts';
import {DIRECTION, FATE} from '../../app/run/trace/columns.ts';
import {decodeRun, encodeRun} from '../../app/run/trace/runFile.ts';
import type {TraceData} from '../../app/run/trace/traceData.ts';
import {traceProblem} from '../../app/run/trace/traceProblem.ts';
import {runDocument} from '../workers/testing/runs.ts';

const SYNTHETIC = {indexBytes: 800, objects: 5, objectBytes: 20_000, headerBytes: 250, requestBytes: 300};
const PATH = {rateBps: {down: 10_000_000, up: 1_000_000}, rttMs: 40, queuePackets: {down: 100, up: 50}};

function run(
  path: {readonly [key: string]: Json},
  pipelines = ['h2', 'h3'],
  more: {readonly [key: string]: Json} = {},
) {
  const panes = pipelines.map(pipeline => ({pipeline, profile: 'modern'}));
  return runDocument({page: {synthetic: SYNTHETIC}, path: {...PATH, ...path}, panes, ...more});
}

/** The bytes of a flow that were delivered in a direction during the load. */
function delivered({traffic, endNs}: TraceData, flow: number, direction: 'down' | 'up'): number {
  let sum = 0;
  for (const [row, each] of traffic?.packets.flow.entries() ?? []) {
    const {direction: directions, fate, fateNs, bytes} = traffic?.packets ?? raise();
    const isDelivered = fate[row] === FATE.delivered && (fateNs[row] ?? 0) >= 0 && (fateNs[row] ?? 0) < endNs;
    if (each === flow && directions[row] === DIRECTION[direction] && isDelivered) sum += bytes[row] ?? 0;
  }
  return sum;
}

function raise(): never {
  throw new Error('no traffic');
}

describe('an upload on the same path', () => {
  const upload = {kind: 'tcp', direction: 'up', startMs: -5000};
  const [alone, shared] = [run({}), run({traffic: [upload]})];

  test('makes each load several times slower, because its requests wait in the full queue', () => {
    for (const [i, pane] of shared.panes.entries()) {
      const [slow, fast] = [measure(pane).pageTimeMs ?? 0, measure(alone.panes[i] ?? raise()).pageTimeMs ?? 0];
      expect(slow).toBeGreaterThan(4 * fast);
      expect(pane.outcome).toBe('complete');
    }
  });

  test('takes what the load leaves of the rate', () => {
    for (const pane of shared.panes) {
      const share = (8 * delivered(pane, 0, 'up')) / (1e6 * (pane.endNs / 1e9));
      expect(share).toBeGreaterThan(0.8);
      expect(share).toBeLessThan(1);
    }
  });

  test('is not among the packets of the load', () => {
    for (const {packets, traffic, connections} of shared.panes) {
      const ends = new Set(connections.flatMap(({client, server}) => [client, server]));
      expect(packets.endpoint.every(endpoint => ends.has(endpoint))).toBe(true);
      expect(packets.endpoint.length).toBeLessThan(400);
      expect(traffic?.flows).toEqual([{kind: 'tcp', direction: 'up', congestion: 'cubic'}]);
      expect(traffic?.packets.flow.length).toBeGreaterThan(400);
    }
  });

  test('was on the path before the run: its packets have negative times', () => {
    const [first = 0] = shared.panes[0]?.traffic?.packets.sentNs ?? [];
    expect(first).toBeGreaterThan(-5e9);
    expect(first).toBeLessThan(-4.9e9);
    expect(shared.panes[0]?.packets.sentNs[0]).toBe(0);
  });

  test('is the same whenever it is computed, and is in the trace file', () => {
    const file = encodeRun(shared);
    expect(encodeRun(run({traffic: [upload]}))).toEqual(file);
    const decoded = decodeRun(file);
    expect(decoded.ok && decoded.run.panes.map(traceProblem)).toEqual([undefined, undefined]);
    expect(decoded.ok && decoded.run.panes).toEqual(shared.panes);
  });

  test('is absent from runs without other traffic', () => {
    expect(alone.panes.map(pane => Object.hasOwn(pane, 'traffic'))).toEqual([false, false]);
  });
});

test('a flow starts up to 100 ms after startMs, and at another time with another seed', () => {
  const starts = [1, 2].map(seed => {
    const {panes} = run({traffic: [{kind: 'cbr', direction: 'down', rateBps: 1e6, startMs: 20}]}, ['h2'], {seed});
    return panes[0]?.traffic?.packets.sentNs[0] ?? 0;
  });
  for (const start of starts) {
    expect(start).toBeGreaterThanOrEqual(20e6);
    expect(start).toBeLessThan(120e6);
  }
  expect(starts[0]).not.toBe(starts[1]);
});

test('a constant rate above that of the link takes nearly the whole rate, and the load loses packets', () => {
  const cbr = {kind: 'cbr', direction: 'down', rateBps: 15_000_000, startMs: -1000};
  const {panes} = run({traffic: [cbr]}, ['h2'], {timeLimitMs: 20_000});
  const [pane = raise()] = panes;
  expect(delivered(pane, 0, 'down') * 8).toBeGreaterThan(0.95 * 10e6 * (pane.endNs / 1e9));
  const dropped = pane.packets.fate.filter((fate, row) => fate === FATE.queueFull && pane.packets.direction[row] === 0);
  expect(dropped.length).toBeGreaterThan(2);
});

test('a list of losses loses the same packets of the load with and without other traffic', () => {
  const path = {loss: {packets: [3, 8]}, queuePackets: 1000};
  const traffic = [
    {kind: 'cbr', direction: 'up', rateBps: 100_000},
    {kind: 'tcp', direction: 'down', flows: 2},
  ];
  const lost = [run(path), run({...path, traffic})].map(({panes}) =>
    panes.map(({packets}) => ['down', 'up'].map(way => lostNumbers(packets, DIRECTION[way as 'down' | 'up']))),
  );
  expect(lost[1]).toEqual(lost[0]);
  expect(lost[0]?.[0]?.[0]).toEqual([3, 8]);
});

function lostNumbers({direction, fate}: TraceData['packets'], way: number): readonly number[] {
  const rows = Array.from(direction.keys()).filter(row => direction[row] === way);
  return rows.flatMap((row, number) => (fate[row] === FATE.lost ? [number] : []));
}

test('a packet leaves the queue when its serialisation ends, before its propagation', () => {
  const [pane = raise()] = run({loss: 0.1}, ['h2']).panes;
  const {fate, fateNs, leftNs} = pane.packets;
  for (const [row, each] of fate.entries()) {
    if (each === FATE.delivered) expect((fateNs[row] ?? 0) - (leftNs[row] ?? 0)).toBe(20e6);
    else expect(leftNs[row]).toBeNaN();
  }
  const [behind = raise()] = run({loss: {rate: 0.1, at: 'exit'}}, ['h2']).panes;
  const lost = Array.from(behind.packets.fate.keys()).filter(row => behind.packets.fate[row] === FATE.lost);
  expect(lost.length).toBeGreaterThan(0);
  for (const row of lost) expect(behind.packets.leftNs[row]).toBe(behind.packets.fateNs[row]);
});

test('packets of other traffic count towards the limit of a load', () => {
  const cbr = {kind: 'cbr', direction: 'down', rateBps: 1e9, packetBytes: 128};
  const [pane = raise()] = run({rateBps: 1e9, traffic: [cbr]}, ['h2'], {serverThinkMs: 60_000}).panes;
  expect([pane.outcome, pane.reason]).toEqual(['work-limit', expect.stringContaining('packets')]);
});
