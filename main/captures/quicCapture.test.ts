import {fileURLToPath} from 'node:url';
import {expect, test} from 'vitest';
import {rowsOf} from '../../app/base/order.ts';
import {readQuicConnection} from '../../app/captures/quic/readQuicConnection.ts';
import {readOwnCapture} from '../../app/captures/testing/readPcap.ts';
import {parseScenario} from '../../app/run/scenario/scenario.ts';
import {FATE, PACKET_KIND} from '../../app/run/trace/columns.ts';
import {Trace} from '../../app/run/trace/trace.ts';
import type {TraceData} from '../../app/run/trace/traceData.ts';
import {capture, load} from '../engine/load.ts';
import {openPage} from '../pages/openPage.ts';
import {nodeCrypto} from './nodeCrypto.ts';

const fixtures = fileURLToPath(new URL('../../fixtures/pages', import.meta.url));

test.each([
  ['classic', {pipeline: 'h3'}],
  ['modern', {pipeline: 'h3', profile: 'modern', certificateCompression: true}],
])('a capture of HTTP/3 (%s) reads back to the columns of its trace', async (_, pane) => {
  const parsed = parseScenario({page: 'gallery', path: {rateBps: 500_000, rttMs: 100, loss: 0.05}, panes: [pane]});
  if (!parsed.ok) throw new Error(JSON.stringify(parsed));
  const scenario = parsed.scenario;
  const page = await openPage(scenario.page, fixtures);
  const [data] = load(page, scenario, scenario.seed).panes;
  if (data === undefined) throw new Error('no pane');
  const part = readQuicConnection(
    readOwnCapture(capture(page, scenario, scenario.seed, 0), 443),
    new Map(),
    nodeCrypto,
  );
  const {packets, chunks, chunkPieces} = data;
  const kinds = Object.keys(PACKET_KIND);
  expect(part.notes).toEqual([]);
  expect(part.packets).toEqual(
    Array.from(packets.sentNs, (atNs, row) => ({
      connection: 0,
      direction: packets.direction[row] === 0 ? 'down' : 'up',
      bytes: packets.bytes[row],
      atNs,
      fate: packets.fate[row] === FATE.delivered ? 'delivered' : packets.fate[row] === FATE.inFlight ? null : 'lost',
      ...(packets.fate[row] === FATE.lost && {dropped: 'lost'}),
      ...(packets.fate[row] === FATE.queueFull && {dropped: 'queueFull'}),
      ecn: packets.ecn[row],
      kind: kinds[packets.kind[row] ?? 0],
      cumulativeAck: packets.cumulativeAck[row],
      chunks: rowsOf(chunks.packet, row).map(chunk => ({
        first: chunks.first[chunk],
        bytes: chunks.bytes[chunk],
        stream: chunks.stream[chunk],
        message: chunks.message[chunk],
        retransmission: chunks.retransmission[chunk] === 1,
        pieces: rowsOf(chunkPieces.row, chunk).map(piece => ({
          exchange: part.exchanges.findIndex(
            ({stream}) => stream === data.objects[chunkPieces.object[piece] ?? 0]?.stream,
          ),
          bytes: chunkPieces.bytes[piece],
        })),
      })),
    })),
  );
  const objects = data.objects.toSorted((a, b) => (a.stream ?? 0) - (b.stream ?? 0));
  expect(part.exchanges.map(({stream, requestNs, url, bodyBytes}) => [stream, requestNs, url, bodyBytes])).toEqual(
    objects.map(({stream, requestNs, url, bytes}) => [stream, requestNs, `https://page.test${url}`, bytes]),
  );
  for (const {stream, completeNs} of part.exchanges) expect(completeNs).toBe(lastSentNs(data, stream));
  expect(part.exchanges.every(({status, body, bodyBytes}) => status === 200 && body?.length === bodyBytes)).toBe(true);
  expect(part.connection).toEqual({
    origin: 'https://page.test',
    hasTls: true,
    openNs: 0,
    connectedNs: data.setupNs,
    tlsNs: null,
    streams: data.connections[0]?.streams,
  });
  expect(new Trace(data).droppedPackets().length).toBeGreaterThan(3);
});

/** Returns when the last byte of a response was sent in a packet that arrived. */
function lastSentNs({packets, chunks}: TraceData, stream: number): number {
  const sentNs: number[] = [];
  for (const [chunk, packet] of chunks.packet.entries()) {
    const isResponse = chunks.stream[chunk] === stream && packets.direction[packet] === 0;
    if (!isResponse || packets.fate[packet] !== FATE.delivered) continue;
    const [first, bytes] = [chunks.first[chunk] ?? 0, chunks.bytes[chunk] ?? 0];
    for (let at = first; at < first + bytes; at++)
      sentNs[at] = Math.min(sentNs[at] ?? Number.POSITIVE_INFINITY, packets.sentNs[packet] ?? 0);
  }
  return sentNs.reduce((last, ns) => Math.max(last, ns), 0);
}
