import {fileURLToPath} from 'node:url';
import {expect, test} from 'vitest';
import {rowsOf} from '../../app/base/order.ts';
import type {CapturedLoad} from '../../app/captures/capturedLoad.ts';
import {readQlog} from '../../app/captures/qlog/readQlog.ts';
import {onlyLoad} from '../../app/captures/testing/capturedLoads.ts';
import {qlog, type Vantage} from '../../app/export/qlog.ts';
import {capturedPackets} from '../../app/run/packets/captureFile.ts';
import {parseScenario} from '../../app/run/scenario/scenario.ts';
import {FATE} from '../../app/run/trace/columns.ts';
import {Trace} from '../../app/run/trace/trace.ts';
import {isDropped} from '../../app/run/trace/traceIndex.ts';
import {capture, load} from '../engine/load.ts';
import {openPage} from '../pages/openPage.ts';

// These tests read logs of this program and compare them with the trace that they were made from.

const parsed = parseScenario({
  page: 'gallery-3k',
  path: {rateBps: 500_000, rttMs: 100, loss: 0.06},
  seed: 4,
  panes: [
    {pipeline: 'tcp', connections: 3, pipelining: false},
    {pipeline: 'sctp', streams: 4},
    ...['h2', 'h3', 'udp', 'catp'].map(pipeline => ({pipeline})),
  ],
});
if (!parsed.ok) throw new Error(JSON.stringify(parsed));
const {scenario} = parsed;
const page = await openPage(scenario.page, fileURLToPath(new URL('../../fixtures/pages', import.meta.url)));
const traces = load(page, scenario, scenario.seed).panes.map(data => new Trace(data));

const CASES = traces.flatMap((trace, pane) =>
  (['client', 'server'] as const).map(vantage => [`${trace.pipeline.name}, pane ${pane}`, vantage, pane] as const),
);

function read(
  pane: number,
  vantage: Vantage,
  hasBytes: boolean,
): {readonly trace: Trace; readonly loaded: CapturedLoad} {
  const trace = traces[pane];
  if (trace === undefined) throw new Error(`no pane ${pane}`);
  const bytes =
    hasBytes && trace.pipeline.name === 'h3'
      ? {packets: capturedPackets(capture(page, scenario, scenario.seed, pane))}
      : {};
  const log = qlog(trace, {vantage, title: 'test', scenario: {}, program: 'test', ...bytes});
  return {trace, loaded: onlyLoad(readQlog(log))};
}

/** Returns the rows of the packets that an end saw, with the times at which it saw them. */
function seen(
  trace: Trace,
  connection: number,
  vantage: Vantage,
): readonly {readonly row: number; readonly atNs: number}[] {
  const {packets, connections} = trace.data;
  const ends = connections[connection];
  const [own, peer] = vantage === 'client' ? [ends?.client, ends?.server] : [ends?.server, ends?.client];
  return [...packets.sentNs.keys()].flatMap(row => {
    if (packets.endpoint[row] === own) return [{row, atNs: packets.sentNs[row] ?? 0}];
    const isSeen = packets.endpoint[row] === peer && packets.fate[row] === FATE.delivered;
    return isSeen ? [{row, atNs: packets.fateNs[row] ?? 0}] : [];
  });
}

test.each(CASES)('packets, sizes, times and acknowledgements read back: %s, %s', (_, vantage, pane) => {
  const {trace, loaded} = read(pane, vantage, true);
  const {packets} = trace.data;
  expect([loaded.kind, loaded.pipeline, loaded.seenAt]).toEqual(['qlog', trace.pipeline.name, vantage]);
  expect(loaded.connections.length).toBe(trace.data.connections.length);
  const startNs = Math.min(...trace.data.connections.flatMap((_, i) => seen(trace, i, vantage).map(({atNs}) => atNs)));
  for (const connection of trace.data.connections.keys()) {
    for (const direction of ['down', 'up'] as const) {
      const own = loaded.packets.filter(packet => packet.connection === connection && packet.direction === direction);
      const rows = seen(trace, connection, vantage)
        .filter(({row}) => packets.direction[row] === (direction === 'down' ? 0 : 1))
        .toSorted((a, b) => a.atNs - b.atNs || a.row - b.row);
      expect(own.map(({bytes, atNs, cumulativeAck}) => [bytes, atNs, cumulativeAck])).toEqual(
        rows.map(({row, atNs}) => [packets.bytes[row], atNs - startNs, packets.cumulativeAck[row]]),
      );
      for (const [i, {row}] of rows.entries()) {
        if (isDropped(packets.fate[row])) expect(own[i]).toMatchObject({fate: 'lost', dropped: 'lost'});
        else expect(own[i]?.fate).not.toBe('lost');
      }
      // An acknowledgement says that packets have arrived.
      if (trace.pipeline.name === 'tcp' && direction === (vantage === 'client' ? 'up' : 'down')) {
        const data = own.filter(({chunks, fate}) => chunks.length > 0 && fate === 'delivered');
        expect(data.length).toBeGreaterThan(0);
      }
    }
  }
});

test.each(CASES.filter(([name]) => !name.startsWith('h2')))('ranges of data read back: %s, %s', (_, vantage, pane) => {
  const {trace, loaded} = read(pane, vantage, true);
  const {chunks} = trace.data;
  for (const connection of trace.data.connections.keys()) {
    const rows = seen(trace, connection, vantage).toSorted((a, b) => a.atNs - b.atNs || a.row - b.row);
    const expected = rows.flatMap(({row}) =>
      rowsOf(chunks.packet, row).map(chunk => [
        chunks.first[chunk],
        chunks.bytes[chunk],
        chunks.stream[chunk],
        chunks.message[chunk],
        chunks.retransmission[chunk] === 1,
      ]),
    );
    const own = loaded.packets.filter(packet => packet.connection === connection);
    const found = own.flatMap(packet =>
      packet.chunks.map(({first, bytes, stream, message, retransmission}) => [
        first,
        bytes,
        stream,
        message,
        retransmission,
      ]),
    );
    const placeOf = (chunks: readonly (readonly unknown[])[]) => chunks.map(chunk => chunk.slice(0, 4)).toSorted(order);
    expect(placeOf(found)).toEqual(placeOf(expected));
    const again = (chunks: readonly (readonly unknown[])[]) =>
      chunks.filter(chunk => chunk[4] === true).map(chunk => chunk.join());
    // The receiver of a QUIC packet does not know that its data was sent before, if nothing of it arrived before.
    if (trace.pipeline.name === 'h3') expect(again(expected)).toEqual(expect.arrayContaining(again(found)));
    else expect(again(found).toSorted()).toEqual(again(expected).toSorted());
    expect(again(found).length).toBeGreaterThanOrEqual(again(expected).length - 2);
  }
});

test.each(CASES.filter(([name]) => name.startsWith('h2')))(
  'ranges of HTTP/2 begin as in the trace: %s, %s',
  (_, vantage, pane) => {
    const {trace, loaded} = read(pane, vantage, true);
    const {chunks, packets} = trace.data;
    // The bytes of frames that belong to no stream are not in the log.
    const sizes = new Map(
      Array.from(chunks.first, (first, chunk) => [
        `${packets.direction[chunks.packet[chunk] ?? 0]} ${first}`,
        chunks.bytes[chunk] ?? 0,
      ]),
    );
    const found = loaded.packets.flatMap(({direction, chunks: own}) => own.map(chunk => ({...chunk, direction})));
    expect(found.length).toBeGreaterThan(20);
    for (const {direction, first, bytes, stream} of found) {
      expect(bytes).toBeLessThanOrEqual(sizes.get(`${direction === 'down' ? 0 : 1} ${first}`) ?? 0);
      expect(stream).toBe(0);
    }
  },
);

test.each(CASES)('states of the sender read back: %s, %s', (_, vantage, pane) => {
  const {trace, loaded} = read(pane, vantage, true);
  const {samples} = trace.data;
  const startNs = Math.min(...trace.data.connections.flatMap((_, i) => seen(trace, i, vantage).map(({atNs}) => atNs)));
  for (const connection of trace.data.connections.keys()) {
    const rows = trace.samplesOf(vantage, connection);
    expect(
      loaded.samples
        .filter(sample => sample.connection === connection)
        .map(({side, atNs, cwndBytes, ssthreshBytes, flightBytes, srttNs}) => [
          side,
          atNs,
          cwndBytes,
          ssthreshBytes,
          flightBytes,
          srttNs,
        ]),
    ).toEqual(
      rows.map(row => [
        vantage,
        (samples.atNs[row] ?? 0) - startNs,
        samples.cwndBytes[row],
        samples.ssthreshBytes[row],
        samples.flightBytes[row],
        samples.srttNs[row],
      ]),
    );
  }
});

test('a log of HTTP/3 without the bytes of packets has the same packets', () => {
  const pane = traces.findIndex(({pipeline}) => pipeline.name === 'h3');
  const [without, whole] = [read(pane, 'client', false).loaded, read(pane, 'client', true).loaded];
  const of = ({packets}: CapturedLoad) =>
    packets.map(({atNs, bytes, cumulativeAck, chunks}) => [atNs, bytes, cumulativeAck, chunks.length]);
  expect(of(without)).toEqual(of(whole));
  expect(without.notes).toEqual(['The qlog file has no events of HTTP, so the requests are not known.']);
});

test('requests of HTTP/3 read back with their times, and with the times of the body at the client', () => {
  const pane = traces.findIndex(({pipeline}) => pipeline.name === 'h3');
  const {trace, loaded} = read(pane, 'client', true);
  const objects = trace.objects.toSorted((a, b) => (a.stream ?? 0) - (b.stream ?? 0));
  expect(
    loaded.exchanges.map(({stream, url, requestNs, firstByteNs, completeNs, bodyBytes, status}) => [
      stream,
      url,
      requestNs,
      firstByteNs,
      completeNs,
      bodyBytes,
      status,
    ]),
  ).toEqual(
    objects.map(({stream, url, requestNs, firstByteNs, completeNs, bytes}) => [
      stream,
      `https://page.test${url}`,
      requestNs,
      firstByteNs,
      completeNs,
      bytes,
      200,
    ]),
  );
  for (const {stream, deliveries} of loaded.exchanges) {
    const {atNs, bytes} = trace.deliveriesOf(trace.objects.findIndex(object => object.stream === stream));
    expect(deliveries).toEqual(Array.from(atNs, (ns, i) => ({atNs: ns, bytes: bytes[i]})));
  }
});

test('a server’s log of HTTP/3 shows responses by their acknowledgements, which come later than the data', () => {
  const pane = traces.findIndex(({pipeline}) => pipeline.name === 'h3');
  const {trace, loaded} = read(pane, 'server', true);
  const [connection] = trace.data.connections;
  const ackNs = new Set(
    seen(trace, 0, 'server').flatMap(({row, atNs}) =>
      trace.data.packets.endpoint[row] === connection?.client ? [atNs] : [],
    ),
  );
  const startNs = Math.min(...seen(trace, 0, 'server').map(({atNs}) => atNs));
  expect(loaded.exchanges.length).toBe(trace.objects.length);
  for (const {stream, completeNs, deliveries} of loaded.exchanges) {
    const object = trace.objects.find(each => each.stream === stream);
    const acked = deliveries.map(({atNs}) => atNs + startNs);
    expect(acked.every(ns => ackNs.has(ns))).toBe(true);
    if (completeNs === null) continue;
    expect(deliveries.at(-1)?.bytes).toBe(object?.bytes);
    expect(completeNs + startNs).toBeGreaterThan(object?.completeNs ?? 0);
    expect(completeNs + startNs - (object?.completeNs ?? 0)).toBeLessThan(1e9);
  }
  expect(loaded.exchanges.filter(({completeNs}) => completeNs !== null).length).toBeGreaterThan(10);
});

function order(a: readonly unknown[], b: readonly unknown[]): number {
  return a.join() < b.join() ? -1 : 1;
}
