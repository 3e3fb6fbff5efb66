import {describe, expect, test} from 'vitest';
import type {Json} from '../../app/base/json.ts';
import {measure} from '../../app/run/metrics/metrics.ts';
import {DIRECTION, FATE} from '../../app/run/trace/columns.ts';
import {decodeRun, encodeRun} from '../../app/run/trace/runFile.ts';
import {Trace} from '../../app/run/trace/trace.ts';
import {runDocument, traces} from '../workers/testing/runs.ts';

/**
 * The link of the paper C03, and 50 KB of HTML in 39 frames. The first two frames are the abstract, which contains the
 * tags of the page without its text.
 */
const document = {
  page: 'text-50k',
  path: {rateBps: 80_000, rttMs: 70},
  panes: [{pipeline: 'catp'}],
  discovery: 'complete',
};

function losing(packets: readonly number[], pane: {readonly [key: string]: Json} = {}) {
  const path = {...document.path, loss: {down: {packets: [...packets]}, up: 0}};
  const [trace] = traces({...document, path, panes: [{pipeline: 'catp', ...pane}]}) as [Trace];
  return trace;
}

describe('CATP', () => {
  const whole = losing([]);
  const stands = (trace: Trace) => trace.deliveriesOf(0).atNs[0] ?? 0;

  test('first has the structure of the page: every tag at its position, without the text between the tags', () => {
    expect(whole.data).toMatchObject({outcome: 'complete', setupNs: 0});
    const ranges = whole.rangesAt(0, stands(whole));
    expect(ranges.length).toBeGreaterThan(30);
    expect(ranges[0]?.first).toBe(0);
    expect(whole.percentAt(0, stands(whole))).toBeLessThan(15);
  });

  test('no data waits for a lost frame: the data behind the gap is shown at once, at its place in the text', () => {
    const lost = losing([10]);
    const [hole] = lost.droppedPackets();
    const blocking = lost.blockingOf(hole ?? -1);
    expect(blocking?.held).toEqual([]);
    const repairedNs = blocking?.repairedNs ?? 0;
    expect(repairedNs).toBeGreaterThan(0);
    const before = lost.rangesAt(0, repairedNs - 1);
    const after = lost.rangesAt(0, repairedNs);
    expect(before.reduce((sum, {first, end}) => sum + end - first, 0)).toBe(lost.bytesAt(0, repairedNs - 1));
    expect(before.at(-1)?.end).toBe(after.at(-1)?.end);
    expect(lost.bytesAt(0, repairedNs)).toBeGreaterThan(lost.bytesAt(0, repairedNs - 1) + 500);
  });

  test('holds back all data until a lost part of the abstract arrives, and requests that part at once', () => {
    // The first of two frames is lost. The second frame says that it depends on the first.
    const lost = losing([0]);
    const {packets} = lost.data;
    const rowsOf = (way: number) => Array.from(packets.sentNs.keys()).filter(row => packets.direction[row] === way);
    const [ups, downs] = [rowsOf(DIRECTION.up), rowsOf(DIRECTION.down)];
    const second = packets.fateNs[downs[1] ?? -1] ?? 0;
    expect(packets.sentNs[ups[1] ?? -1]).toBe(second);
    expect(stands(lost)).toBeGreaterThan(stands(whole));
    expect(lost.blockedOf(0)[0]?.startNs).toBe(second);
    expect(lost.blockedOf(0).at(-1)?.endNs).toBe(stands(lost));
  });

  test("with `abstract: 'twice'` each frame of the abstract is sent twice, and one copy is enough", () => {
    const sent = ({data: {packets, chunks}}: Trace) =>
      Array.from(chunks.packet.keys())
        .filter(row => packets.direction[chunks.packet[row] ?? 0] === DIRECTION.down)
        .slice(0, 5)
        .map(row => ({
          frame: chunks.first[row],
          isRepeat: chunks.retransmission[row] === 1,
          arrivedNs: packets.fateNs[chunks.packet[row] ?? 0],
        }));
    expect(sent(losing([], {abstract: 'twice'})).map(({frame}) => frame)).toEqual([0, 1, 0, 1, 2]);
    const twice = losing([0, 3], {abstract: 'twice'});
    const [, , third] = sent(twice);
    expect(third).toEqual({frame: 0, isRepeat: true, arrivedNs: stands(twice)});
    expect(twice.data.outcome).toBe('complete');
  });

  test.each([false, true])("with `abstract: 'tcp'` sends only the abstract over TCP (adapter: %s)", adapter => {
    const byTcp = losing([], {abstract: 'tcp', adapter});
    const [udp, tcp] = byTcp.data.connections;
    const {packets, chunks, chunkPieces, setupNs} = byTcp.data;
    expect(setupNs).toBeGreaterThan(70e6);
    const sentBy = (endpoint: number | undefined) => {
      let sum = 0;
      for (const [i, row] of chunkPieces.row.entries()) {
        if (packets.endpoint[chunks.packet[row] ?? 0] === endpoint) sum += chunkPieces.bytes[i] ?? 0;
      }
      return sum;
    };
    expect(sentBy(tcp?.server)).toBeGreaterThan(2000);
    expect(sentBy(tcp?.server)).toBeLessThan(5000);
    expect(sentBy(udp?.server)).toBeGreaterThan(45_000);
    expect(byTcp.data.objects[0]?.requestNs).toBe(setupNs);
  });

  test('has the structure at once on another visit, and only the rest is sent', () => {
    const again = losing([], {visit: 'again'});
    expect(stands(again)).toBe(0);
    expect(again.rangesAt(0, 0)).toEqual(whole.rangesAt(0, stands(whole)));
    const down = (trace: Trace) => measure(trace.data).packets.down;
    expect(down(whole) - down(again)).toBe(2);
    expect(again.rangesAt(0, again.data.endNs)).toEqual([{first: 0, end: 50_000}]);
  });
});

describe('CATP with an adapter, which loads the page from its server over TCP (C03 §5)', () => {
  const direct = losing([]);
  const relayed = losing([], {adapter: true});
  /** Time in ms for bytes on the path between adapter and server, which has 10 Mbit/s and 30 ms in each direction. */
  const overMs = (bytes: number) => 30 + (bytes * 8) / 10_000;
  const frames = ({data: {packets, chunks}}: Trace) =>
    Array.from(chunks.packet.entries())
      .filter(([, packet]) => packets.endpoint[packet] === 1)
      .map(([row, packet]) => ({frame: chunks.first[row] ?? 0, sentNs: packets.sentNs[packet] ?? 0}));

  test('is later by the time for the adapter’s handshake, its GET, and the two segments of the first frame', () => {
    const laterMs = 2 * overMs(64) + overMs(54 + 200) + overMs(2 * 1500);
    const of = (trace: Trace) => [trace.objects[0]?.firstByteNs, measure(trace.data).pageTimeMs];
    const [firstNs, pageMs] = of(direct);
    expect(of(relayed)[0]).toBeCloseTo((firstNs ?? 0) + laterMs * 1e6, -3);
    expect(of(relayed)[1]).toBeCloseTo((pageMs ?? 0) + laterMs, 3);
  });

  test('has the same frames in the same order, and they contain the whole page', () => {
    expect(frames(relayed).map(({frame}) => frame)).toEqual(frames(direct).map(({frame}) => frame));
    expect(relayed.rangesAt(0, relayed.data.endNs)).toEqual([{first: 0, end: 50_000}]);
    expect(relayed.data.connections.map(({streams}) => streams)).toEqual([1, 1]);
  });

  test('loses nothing for the browser if the path to the server has losses, which only delay frames', () => {
    for (const seed of [1, 2, 3]) {
      const panes = [{pipeline: 'catp', adapter: true, wiredLossPercent: 10}];
      const [lossy] = traces({...document, panes, seed}) as [Trace];
      const {packets, connections} = lossy.data;
      const behind = [connections[1]?.client, connections[1]?.server];
      const lost = lossy.droppedPackets().map(packet => packets.endpoint[packet]);
      expect(lost.length).toBeGreaterThan(3);
      expect(lost.every(endpoint => behind.includes(endpoint))).toBe(true);
      const sentAt = new Map(frames(lossy).map(({frame, sentNs}) => [frame, sentNs]));
      for (const {frame, sentNs} of frames(relayed)) expect(sentAt.get(frame)).toBeGreaterThanOrEqual(sentNs);
      expect(frames(lossy)).toHaveLength(frames(relayed).length);
      expect(lossy.data.outcome).toBe('complete');
    }
  });

  test('has the same losses on the browser’s path if the path to the server has other losses', () => {
    const fates = (wiredLossPercent: number) => {
      const path = {...document.path, loss: 0.1};
      const panes = [{pipeline: 'catp', adapter: true, wiredLossPercent}];
      const [{data}] = traces({...document, path, panes, seed: 4}) as [Trace];
      return Array.from(data.packets.fate).filter((_, packet) => data.packets.endpoint[packet] === 1);
    };
    const [few, many] = [fates(0), fates(10)];
    const both = Math.min(few.length, many.length);
    expect(few).toContain(FATE.lost);
    expect(few.slice(0, both)).toEqual(many.slice(0, both));
  });

  test('adds the server’s think time once', () => {
    const load = (adapter: boolean, serverThinkMs: number) =>
      traces({...document, serverThinkMs, panes: [{pipeline: 'catp', adapter}]})[0]?.objects[0]?.firstByteNs;
    const without = relayed.objects[0]?.firstByteNs ?? 0;
    expect(load(true, 500)).toBeCloseTo(without + 500e6, -3);
  });

  test('ends with a reason if the server never answers', () => {
    const panes = [{pipeline: 'catp', adapter: true, wiredLossPercent: 100}];
    const [dead] = traces({...document, panes});
    expect(dead?.data).toMatchObject({outcome: 'aborted', reason: 'adapter connect-timeout'});
  });

  test('records on both paths to which object the bytes belong', () => {
    const panes = [{pipeline: 'catp', adapter: true}];
    const [trace] = traces({...document, page: 'gallery', panes}) as [Trace];
    const {chunkPieces, chunks, packets} = trace.data;
    const bytesOf = (object: number, endpoint: number) => {
      let sum = 0;
      for (const [i, row] of chunkPieces.row.entries()) {
        const isOf = packets.endpoint[chunks.packet[row] ?? 0] === endpoint && chunkPieces.object[i] === object;
        if (isOf) sum += chunkPieces.bytes[i] ?? 0;
      }
      return sum;
    };
    for (const object of trace.objects.keys()) {
      const [datagrams, framesByTcp] = [bytesOf(object, 1), bytesOf(object, 3)];
      // Over TCP each frame is preceded by its length, in two bytes.
      expect(framesByTcp - datagrams).toBeGreaterThan(0);
      expect(framesByTcp - datagrams).toBeLessThan(50);
      // The adapter's GET belongs to no object. The browser's GET belongs to its object.
      expect([bytesOf(object, 0) > 0, bytesOf(object, 2)]).toEqual([true, 0]);
    }
  });
});

describe('a load over CATP', () => {
  const gallery = (loss: number, pane: {readonly [key: string]: Json} = {}) =>
    runDocument({
      page: 'gallery',
      path: {rateBps: 1_000_000, rttMs: 100, loss},
      seed: 5,
      timeLimitMs: 900_000,
      panes: [{pipeline: 'catp', ...pane}],
    });

  test('whose TCP never connects ends with the same reason as a load over TCP', () => {
    const [catp] = traces({page: 'text-10k', path: {loss: 1}, panes: [{pipeline: 'catp', abstract: 'tcp'}]});
    expect(catp?.data).toMatchObject({outcome: 'aborted', reason: 'connect-timeout', setupNs: null});
  });

  test.each([
    {abstract: 'priority'},
    {abstract: 'twice'},
    {abstract: 'tcp'},
    {adapter: true, wiredLossPercent: 5},
    {adapter: true, abstract: 'tcp'},
    {adapter: true, visit: 'again'},
  ])('finds the page’s pictures by its tags: %o', pane => {
    const [data] = gallery(0.05, pane).panes;
    expect(data?.outcome).toBe('complete');
    expect(data?.objects.map(({url}) => url)).toHaveLength(12);
    const trace = new Trace(data ?? losing([]).data);
    for (const [i, {bytes}] of trace.objects.entries()) {
      expect(trace.rangesAt(i, trace.data.endNs)).toEqual([{first: 0, end: bytes}]);
    }
  });

  test('is complete if half of the packets are lost, and ends with a reason if all are lost', () => {
    expect(gallery(0.5).panes[0]?.outcome).toBe('complete');
    for (const pane of [{}, {abstract: 'tcp'}, {visit: 'again'}]) {
      const {outcome, reason} = gallery(1, pane).panes[0] ?? {};
      expect([outcome === 'complete', reason]).toEqual([false, expect.any(String)]);
    }
  });

  test('gives the same run twice, and the same run from its file', () => {
    const pane = {abstract: 'tcp', adapter: true, wiredLossPercent: 5};
    const run = gallery(0.1, pane);
    expect(gallery(0.1, pane)).toEqual(run);
    expect(decodeRun(encodeRun(run))).toEqual({ok: true, run});
  });
});
