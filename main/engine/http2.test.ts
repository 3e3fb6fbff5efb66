import {readFileSync} from 'node:fs';
import {describe, expect, test} from 'vitest';
import type {Json} from '../../app/base/json.ts';
import {scanEnds} from '../../app/page/scanEnds.ts';
import {decodeRun, encodeRun} from '../../app/run/trace/runFile.ts';
import type {Trace} from '../../app/run/trace/trace.ts';
import {runDocument, traces} from '../workers/testing/runs.ts';

// These tests load by HTTP/2 over the network core's TCP.

const page = {synthetic: {objects: 12, objectBytes: 10_000}};
const path = {rateBps: 1_000_000, rttMs: 350, loss: 0};

describe('an h2 load', () => {
  test('delivers the same objects as HTTP/1.1, gives the same run twice, and the same run from its file', () => {
    const document = {
      seed: 5,
      page: 'gallery',
      path: {...path, loss: 0.05},
      panes: [{pipeline: 'tcp'}, {pipeline: 'h2'}],
    };
    const [run, again] = [runDocument(document), runDocument(document)];
    expect(again).toEqual(run);
    const [tcp, h2] = run.panes;
    expect(h2).toMatchObject({outcome: 'complete', pipeline: 'h2'});
    const bodies = (data: typeof h2) => data?.objects.map(({url, bytes}) => `${url} ${bytes}`);
    expect(bodies(h2)).toEqual(bodies(tcp));
    expect(decodeRun(encodeRun(run))).toEqual({ok: true, run});
  });

  test('sends fewer bytes up because of HPACK, and hardly more down', () => {
    const [tcp, h2] = load([{pipeline: 'tcp'}, {pipeline: 'h2', tls: false}]);
    const [one, two] = [bytesOf(tcp), bytesOf(h2)];
    expect(two.up / one.up).toBeLessThan(0.6);
    // Each frame of at most 1360 bytes has a header of 9 bytes.
    expect(two.down / one.down).toBeLessThan(1.01);
  });

  test('assigns frames of streams to their objects, and other frames to no object', () => {
    const [h2] = load([{pipeline: 'h2', tls: false}]);
    const {chunks, chunkPieces} = h2.data;
    const server = h2.data.connections[0]?.server;
    const pieces = h2.data.objects.map(() => 0);
    for (const [i, row] of chunkPieces.row.entries()) {
      if (h2.data.packets.endpoint[chunks.packet[row] ?? 0] !== server) continue;
      const object = chunkPieces.object[i] ?? 0;
      pieces[object] = (pieces[object] ?? 0) + (chunkPieces.bytes[i] ?? 0);
    }
    for (const [object, {bytes}] of h2.data.objects.entries()) {
      const framing = (pieces[object] ?? 0) - bytes;
      expect(framing).toBeGreaterThan(9 * Math.ceil(bytes / 1360));
      expect(framing).toBeLessThan(9 * Math.ceil(bytes / 1360) + 9 + 250);
    }
    // These are SETTINGS with a header and three values, and the acknowledgement of SETTINGS.
    const all = bytesOf(h2).down;
    expect(all - pieces.reduce((sum, bytes) => sum + bytes, 0)).toBe(9 + 18 + 9);
  });

  test('is about as fast as HTTP/1.1 if nothing is lost, because its server writes in time', () => {
    const panes = [
      {pipeline: 'tcp', profile: 'modern'},
      {pipeline: 'h2', profile: 'modern', tls: false},
    ];
    const [tcp, h2] = load(panes, {path: {...path, rttMs: 1100}});
    // A packet with SETTINGS comes first. If the server waited for the acknowledgement of a whole window, the load
    // would take a twentieth longer.
    expect(h2.data.endNs / tcp.data.endNs).toBeLessThan(1.03);
  });

  test('is delayed on all streams by one lost packet', () => {
    const panes = [{pipeline: 'h2'}, {pipeline: 'sctp', streams: 12}];
    const without = load(panes);
    // Data packet 40 towards the client belongs to the images.
    const loss = {down: {packets: [40], applies: 'data'}, up: 0};
    const held = load(panes, {path: {...path, loss}}).map((trace, pane) => {
      const [lost] = trace.droppedPackets();
      const objects = new Set(trace.blockingOf(lost ?? 0)?.held.map(({object}) => object));
      return {objects: objects.size, usual: without[pane]?.data.outcome};
    });
    expect(held).toEqual([
      {objects: 12, usual: 'complete'},
      {objects: expect.toSatisfy((n: number) => n <= 1), usual: 'complete'},
    ]);
  });

  test('has the server’s think time before each answer, for all requests at once', () => {
    // With TLS, an image's first byte also waits for the end of its record.
    const loaded = (serverThinkMs: number) => load([{pipeline: 'h2', tls: false}], {serverThinkMs})[0];
    const [quick, slow] = [loaded(0), loaded(200)];
    const laterMs = slow.objects.map(({firstByteNs}, i) => {
      return ((firstByteNs ?? 0) - (quick.objects[i]?.firstByteNs ?? 0)) / 1e6;
    });
    expect(laterMs[0]).toBeCloseTo(200, 0);
    // An image is later by the think time of index.html and its own. The think times of all images overlap.
    expect(Math.max(...laterMs)).toBeLessThan(430);
    expect(Math.min(...laterMs.slice(1))).toBeGreaterThan(380);
  });
});

test('schedulers order the bodies one after the other, all at once, or first scans first', () => {
  const panes = ['first-come', 'round-robin', 'scan-aware'].map(scheduler => ({pipeline: 'h2', scheduler}));
  const [one, all, scans] = load(panes, {page: 'gallery'});
  const completed = (trace: Trace) => trace.objects.slice(3).map(({completeNs}) => (completeNs ?? 0) / 1e6);
  expect(completed(one)).toEqual(completed(one).toSorted((a, b) => a - b));
  expect(Math.max(...completed(one)) - Math.min(...completed(one))).toBeGreaterThan(900);
  expect(Math.max(...completed(all)) - Math.min(...completed(all))).toBeLessThan(200);
  expect(firstScansNs(scans)).toBeLessThan(firstScansNs(all));
  expect(scans.data.endNs / all.data.endNs).toBeCloseTo(1, 2);
});

function load(
  panes: readonly {readonly [key: string]: Json}[],
  more: {readonly [key: string]: Json} = {},
): readonly [Trace, Trace, Trace] {
  return traces({seed: 1, page, path, panes, ...more}) as readonly Trace[] as [Trace, Trace, Trace];
}

function firstWithNs(trace: Trace, object: number, bytes: number): number {
  const {deliveries} = trace.data;
  const row = deliveries.object.findIndex((of, i) => of === object && (deliveries.bytes[i] ?? 0) >= bytes);
  return deliveries.atNs[row] ?? Number.POSITIVE_INFINITY;
}

/** Returns the time at which every picture has its first scan. */
function firstScansNs(trace: Trace, page = 'gallery'): number {
  const pictures = [...trace.objects.entries()].filter(([, {url}]) => url.endsWith('.jpg'));
  return Math.max(...pictures.map(([object, {url}]) => firstWithNs(trace, object, firstScanBytes(page, url))));
}

function firstScanBytes(page: string, url: string): number {
  return scanEnds(readFileSync(`fixtures/pages/${page}${url}`))[0] ?? 0;
}

/** Returns the bytes of all data that was sent. */
function bytesOf({data: {chunks, packets}}: Trace): {readonly down: number; readonly up: number} {
  const sums: [number, number] = [0, 0];
  for (const [row, bytes] of chunks.bytes.entries()) {
    const direction = packets.direction[chunks.packet[row] ?? 0] === 0 ? 0 : 1;
    sums[direction] += bytes;
  }
  return {down: sums[0], up: sums[1]};
}

test('SCTP’s server sends first scans first without delaying the page, even if they are larger than a packet', () => {
  // The first scans of this page are larger than a packet. Round-robin by packet delays their second packets.
  const large = 'gallery-15k';
  const loaded = (scheduler: string, fragmentation: boolean) =>
    load([{pipeline: 'sctp', profile: 'modern', scheduler, server: 'interleaving', fragmentation}], {
      page: large,
    })[0];
  const [all, scans] = [loaded('round-robin', true), loaded('scan-aware', true)];
  expect(firstScansNs(scans, large)).toBeLessThan(firstScansNs(all, large));
  expect(scans.data.endNs / all.data.endNs).toBeCloseTo(1, 1);
  const [responses, cut] = [loaded('round-robin', false), loaded('scan-aware', false)];
  expect(firstScansNs(cut, large)).toBeLessThan(0.9 * firstScansNs(responses, large));
});
