import {describe, expect, test} from 'vitest';
import type {Json} from '../../app/base/json.ts';
import {measure} from '../../app/run/metrics/metrics.ts';
import {decodeRun, encodeRun} from '../../app/run/trace/runFile.ts';
import type {Trace} from '../../app/run/trace/trace.ts';
import {runDocument, traces} from '../workers/testing/runs.ts';

// These tests load by HTTP/3 over the network core's QUIC.

const page = {synthetic: {objects: 12, objectBytes: 10_000}};
const path = {rateBps: 1_000_000, rttMs: 350, loss: 0};

describe('an h3 load', () => {
  test('delivers the same objects as HTTP/1.1, gives the same run twice, and the same run from its file', () => {
    const panes = [{pipeline: 'tcp'}, {pipeline: 'h3'}];
    const document = {seed: 5, page: 'gallery', path: {...path, loss: 0.05}, panes};
    const [run, again] = [runDocument(document), runDocument(document)];
    expect(again).toEqual(run);
    const [tcp, h3] = run.panes;
    expect(h3).toMatchObject({outcome: 'complete', pipeline: 'h3'});
    const bodies = (data: typeof h3) => data?.objects.map(({url, bytes}) => `${url} ${bytes}`);
    expect(bodies(h3)).toEqual(bodies(tcp));
    expect(decodeRun(encodeRun(run))).toEqual({ok: true, run});
  });

  test('has a stream for each object, which carries only bytes of that object', () => {
    const [{data}] = load([{pipeline: 'h3'}]);
    expect(data.objects.map(({stream}) => stream)).toEqual(data.objects.map((_, object) => 4 * object));
    const pieces = data.objects.map(() => 0);
    for (const [i, row] of data.chunkPieces.row.entries()) {
      const packet = data.chunks.packet[row] ?? 0;
      const object = data.chunkPieces.object[i] ?? 0;
      expect(data.chunks.stream[row]).toBe(4 * object);
      if (data.packets.endpoint[packet] === data.connections[0]?.server) {
        pieces[object] = (pieces[object] ?? 0) + (data.chunkPieces.bytes[i] ?? 0);
      }
    }
    for (const [object, {bytes}] of data.objects.entries()) {
      const framing = (pieces[object] ?? 0) - bytes;
      expect(framing).toBeGreaterThan(4);
      expect(framing).toBeLessThan(250);
    }
  });

  test('is delayed on one stream by a lost packet, and HTTP/2 on all streams', () => {
    const panes = [
      {pipeline: 'h3', profile: 'modern'},
      {pipeline: 'h2', profile: 'modern'},
    ];
    const loss = {down: {packets: [60], applies: 'data'}, up: 0};
    const held = load(panes, {path: {...path, loss}}).map(({data}) => new Set(data.blockedPieces.object).size);
    // A packet may contain the end of one object's piece and the beginning of another's.
    expect(held[0]).toBeLessThanOrEqual(2);
    expect(held[1]).toBeGreaterThan(8);
  });

  test('sends pieces of all responses round-robin, or one response after the other', () => {
    const together = (scheduler: string): number => {
      const [{data}] = load([{pipeline: 'h3', scheduler}]);
      const {chunks, packets, connections} = data;
      const sent = new Map<number, number>();
      let most = 0;
      for (const [row, stream] of chunks.stream.entries()) {
        const isServers = packets.endpoint[chunks.packet[row] ?? 0] === connections[0]?.server;
        if (!isServers || stream % 4 !== 0) continue;
        sent.set(stream, (sent.get(stream) ?? 0) + (chunks.bytes[row] ?? 0));
        // These responses have begun, and less than half of each was sent.
        most = Math.max(most, [...sent.values()].filter(bytes => bytes > 1000 && bytes < 5000).length);
      }
      return most;
    };
    expect(together('round-robin')).toBeGreaterThan(9);
    expect(together('first-come')).toBeLessThanOrEqual(2);
  });

  test('on a second visit has its answers one round trip earlier', () => {
    const [first, second] = load([{pipeline: 'h3'}, {pipeline: 'h3', visit: 'again'}]).map(({data}) => data);
    expect(first?.setupNs).toBeGreaterThan(350e6);
    expect(second?.setupNs).toBe(0);
    const saved = (first?.objects[0]?.firstByteNs ?? 0) - (second?.objects[0]?.firstByteNs ?? 0);
    expect(saved / 1e6).toBeGreaterThan(340);
    expect(saved / 1e6).toBeLessThan(400);
  });

  test('in Chromium repeats a lost packet of its first flight one round trip earlier than in Firefox', () => {
    const setUpMs = (browser: string) => {
      const drop = {up: {packets: [1], applies: 'all'}};
      const panes = [{pipeline: 'h3', profile: 'modern', browser, drop}];
      return (load(panes, {discovery: 'streaming', path: {...path, rttMs: 200}})[0].data.setupNs ?? 0) / 1e6;
    };
    // the probe timeouts are SRTT + 2 RTTVAR and SRTT + 4 RTTVAR, and RTTVAR is half of the first sample
    expect(setUpMs('firefox') - setUpMs('chromium')).toBeGreaterThan(200);
    expect(setUpMs('firefox') - setUpMs('chromium')).toBeLessThan(225);
  });

  test('in Chromium acknowledges every tenth packet from the hundredth on, and four packets after a gap', () => {
    const drop = {down: {packets: [300], applies: 'all'}};
    const panes = [
      {pipeline: 'h3', profile: 'modern', browser: 'chromium', drop},
      {pipeline: 'h3', profile: 'modern', browser: 'firefox', drop},
    ];
    const large = {synthetic: {objects: 1, objectBytes: 600_000}};
    const acknowledged = load(panes, {page: large, path: {rateBps: 20_000_000, rttMs: 60}}).map(each =>
      acknowledgedAtOnce(each),
    );
    const [chromium, firefox] = acknowledged.map(rows => (from: number, to: number) => {
      return rows.slice(from, to).filter(isAcknowledged => isAcknowledged).length;
    });
    // the server skips a packet number here, as RFC 9000 §21.4 advises, which looks like a gap to the client
    expect([chromium?.(20, 90), firefox?.(20, 90)]).toEqual([37, 35]);
    expect([chromium?.(150, 290), firefox?.(150, 290)]).toEqual([14, 70]);
    // the packet with the number 300 is lost
    expect(acknowledged[0]?.slice(301, 305)).toEqual([true, true, true, true]);
    expect([chromium?.(305, 345), firefox?.(305, 345)]).toEqual([4, 20]);
  });

  test('in Chromium has a datagram for each request, and in Firefox requests share datagrams', () => {
    const requestsOf = (browser: string): readonly number[] => {
      const [{data}] = load([{pipeline: 'h3', profile: 'modern', browser}], {path: {rateBps: 10_000_000, rttMs: 100}});
      const {chunks, packets, connections} = data;
      const perPacket = new Map<number, number>();
      for (const [row, packet] of chunks.packet.entries()) {
        const isRequest = packets.endpoint[packet] === connections[0]?.client && (chunks.stream[row] ?? 0) % 4 === 0;
        if (isRequest) perPacket.set(packet, (perPacket.get(packet) ?? 0) + 1);
      }
      return [...perPacket.values()];
    };
    expect(requestsOf('chromium')).toEqual(Array.from({length: 13}, () => 1));
    expect(requestsOf('firefox').length).toBeLessThan(5);
  });

  test('in Chromium from a server that acknowledges every second packet, however many it has received', () => {
    // 95 requests take some 400 packets, and while the server thinks, it sends only acknowledgements
    const requests = {synthetic: {objects: 95, objectBytes: 100, requestBytes: 8192}};
    const more = {page: requests, path: {rateBps: 20_000_000, rttMs: 60}, serverThinkMs: 3000};
    const [trace] = load([{pipeline: 'h3', profile: 'modern', browser: 'chromium'}], more);
    const acknowledged = acknowledgedAtOnce(trace, 'server');
    const count = acknowledged.slice(150, 250).filter(isAcknowledged => isAcknowledged).length;
    expect(Math.abs(count - 50)).toBeLessThanOrEqual(2);
  });

  test('loads all objects, even if the server allows fewer streams', () => {
    const many = {synthetic: {objects: 150, objectBytes: 1000, indexBytes: 10_000}};
    for (const loss of [0, 0.05]) {
      const [trace] = load([{pipeline: 'h3'}], {page: many, path: {...path, loss}});
      expect(trace.data.outcome).toBe('complete');
      expect(trace.objects).toHaveLength(151);
    }
  });

  test('through a path that loses everything ends with a reason', () => {
    const [trace] = load([{pipeline: 'h3'}], {path: {...path, loss: 1}});
    expect(trace.data).toMatchObject({outcome: 'aborted', setupNs: null});
    expect(measure(trace.data).pageTimeMs).toBeNull();
  });

  test('adds the server’s think time for index.html, and once for all images', () => {
    const [at, later] = [0, 500].map(serverThinkMs => load([{pipeline: 'h3'}], {serverThinkMs})[0].data.endNs);
    expect(((later ?? 0) - (at ?? 0)) / 1e6).toBeCloseTo(1000, -2);
  });
});

/** Returns, for each packet that an end receives, in order, whether this end sends a packet at the time of its arrival. */
function acknowledgedAtOnce(
  {data: {packets, connections}}: Trace,
  end: 'client' | 'server' = 'client',
): readonly boolean[] {
  const {endpoint, sentNs, fateNs} = packets;
  const rows = [...endpoint.keys()];
  const receiver = connections[0]?.[end];
  const sent = new Set(rows.filter(row => endpoint[row] === receiver).map(row => sentNs[row]));
  return rows.filter(row => endpoint[row] !== receiver).map(row => sent.has(fateNs[row]));
}

function load(panes: Json, more: {readonly [key: string]: Json} = {}): readonly [Trace, ...Trace[]] {
  return traces({seed: 1, page, path, panes, ...more}) as [Trace, ...Trace[]];
}
