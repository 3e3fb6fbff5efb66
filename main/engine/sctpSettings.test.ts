import {describe, expect, test} from 'vitest';
import type {Json} from '../../app/base/json.ts';
import {measure} from '../../app/run/metrics/metrics.ts';
import type {Trace} from '../../app/run/trace/trace.ts';
import {traces} from '../workers/testing/runs.ts';

// These tests load in SCTP panes whose messages interleave, which use few streams at first, or whose streams are reset.

const whole = {pipeline: 'sctp', fragmentation: false};

test('with I-DATA, responses of one message each arrive as concurrently as fragmented responses', () => {
  const panes = [{pipeline: 'sctp'}, {...whole, idata: true}, whole];
  const half = [0, 0, 0];
  for (let seed = 1; seed <= 100; seed++) {
    for (const [pane, trace] of load({seed, panes, path: {loss: 0.03}}).entries()) {
      // At this time all images have half of their bytes.
      half[pane] = (half[pane] ?? 0) + (measure(trace.data).pPageMs[50] ?? Number.NaN) / 100;
    }
  }
  const [cut = 0, interleaved = 0, blocking = 0] = half;
  expect(Math.abs(interleaved / cut - 1)).toBeLessThan(0.1);
  expect(blocking / cut).toBeGreaterThan(1.3);
});

test('an interleaving server with I-DATA loads the page', () => {
  const [trace] = load({panes: [{...whole, idata: true, server: 'interleaving'}], path: {loss: 0.05}});
  expect(trace.data.outcome).toBe('complete');
});

describe('the setting firstStreams', () => {
  const page = {synthetic: {indexBytes: 10_000, objects: 30, objectBytes: 3000}};

  test('limits the streams that requests use until index.html is complete', () => {
    const [all, first] = load({page, panes: [{pipeline: 'sctp'}, {pipeline: 'sctp', firstStreams: 2}]});
    const [early, late] = [true, false].map(isEarly =>
      first.objects
        .filter(({requestNs}) => (requestNs ?? 0) < (first.objects[0]?.completeNs ?? 0) === isEarly)
        .map(({stream}) => stream),
    );
    expect([new Set(early).size, Math.max(...(early ?? []).map(Number))]).toEqual([2, 1]);
    expect((late ?? []).filter(stream => Number(stream) > 1).length).toBeGreaterThan(1);
    expect(new Set(all.objects.map(({stream}) => stream)).size).toBe(10);
  });

  test('changes nothing if the HTML ends in the packet that names the first object', () => {
    const small = {synthetic: {indexBytes: 1000, objects: 6, objectBytes: 3000}};
    const [all, first] = load({
      page: small,
      panes: [{pipeline: 'sctp'}, {pipeline: 'sctp', firstStreams: 1}],
    });
    expect(first.objects.map(({completeNs}) => completeNs)).toEqual(all.objects.map(({completeNs}) => completeNs));
  });
});

test.each([
  [{streams: 10, serverStreams: 3}, 3],
  [{streams: 3, serverStreams: 10}, 3],
  [{streams: 10, serverStreams: 10}, 10],
])('%o give the smaller number of streams (N07 §4)', (settings, streams) => {
  const [own, both] = load({
    panes: [
      {pipeline: 'sctp', ...settings},
      {pipeline: 'sctp', streams},
    ],
  });
  expect([own.data.streams, both.data.streams]).toEqual([streams, streams]);
  expect(new Set(own.objects.map(({stream}) => stream)).size).toBe(streams);
  expect(own.data.deliveries).toEqual(both.data.deliveries);
});

describe('a stream that is reset after each object', () => {
  test('carries the next object at least a round trip later', () => {
    const [on, reset] = load({
      panes: [
        {pipeline: 'sctp', streams: 3},
        {pipeline: 'sctp', streams: 3, resetStreams: true},
      ],
    });
    for (let stream = 0; stream < 3; stream++) {
      const inTurn = reset.objects
        .filter(object => object.stream === stream)
        .sort((a, b) => (a.requestNs ?? 0) - (b.requestNs ?? 0));
      expect(inTurn.length).toBeGreaterThan(2);
      for (const [i, {completeNs}] of inTurn.slice(0, -1).entries())
        expect((inTurn[i + 1]?.requestNs ?? 0) - (completeNs ?? 0)).toBeGreaterThanOrEqual(350e6);
    }
    expect(controlPackets(on)).toBe(0);
    // Each reset needs a request and an answer in both directions. One packet can reset several streams.
    expect(controlPackets(reset)).toBeGreaterThanOrEqual(12);
    expect(measure(reset.data).pageTimeMs).toBeGreaterThan(measure(on.data).pageTimeMs ?? Number.NaN);
  });

  test('delivers every object despite losses, interleaving or not', () => {
    for (let seed = 1; seed <= 20; seed++) {
      const streams = {pipeline: 'sctp', streams: 2, resetStreams: true};
      const panes = [streams, {...streams, fragmentation: false, idata: true}];
      for (const {data} of load({seed, panes, path: {loss: 0.08}})) expect(data.outcome).toBe('complete');
    }
  });
});

/** The value of `PacketColumns.kind` for RE-CONFIG packets. */
const CONTROL = 5;

function controlPackets(trace: Trace): number {
  return trace.data.packets.kind.filter(kind => kind === CONTROL).length;
}

interface Wanted {
  readonly panes: Json;
  readonly page?: Json;
  readonly path?: {readonly loss: Json};
  readonly seed?: number;
}

function load(wanted: Wanted): readonly [Trace, Trace] {
  const page = {synthetic: {objects: 10, objectBytes: 10_000}};
  const path = {rateBps: 1_000_000, rttMs: 350, loss: 0};
  const found = traces({seed: 1, page, ...wanted, path: {...path, ...wanted.path}});
  return found as unknown as readonly [Trace, Trace];
}
