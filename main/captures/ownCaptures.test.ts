import {fileURLToPath} from 'node:url';
import {describe, expect, test} from 'vitest';
import {rowsOf} from '../../app/base/order.ts';
import type {CapturedLoad} from '../../app/captures/capturedLoad.ts';
import {captureTrace} from '../../app/captures/captureTrace.ts';
import {readPacketCapture} from '../../app/captures/packetCapture.ts';
import {parseScenario} from '../../app/run/scenario/scenario.ts';
import {FATE, PACKET_KIND} from '../../app/run/trace/columns.ts';
import type {TraceData} from '../../app/run/trace/traceData.ts';
import {capture, load} from '../engine/load.ts';
import {openPage} from '../pages/openPage.ts';
import {readCaptureFile} from './captureFile.ts';
import {nodeCrypto} from './nodeCrypto.ts';

const fixtures = fileURLToPath(new URL('../../fixtures/pages', import.meta.url));

const LOSSY = {path: {rateBps: 500_000, rttMs: 100, loss: 0.05}};
/** The longest times that packets wait in the queues of these paths, and acknowledgements wait at the receiver. */
const [MOST_QUEUE_NS, MOST_ACK_DELAY_NS] = [300e6, 250e6];
const QUEUED = {path: {rateBps: 1_000_000, rttMs: 60, loss: 0.01, queuePackets: 8}};

const UNSTEADY = {path: {...LOSSY.path, jitter: 30, reorder: 0.1, duplicate: 0.1}, serverThinkMs: 40};

const MOVED = {path: QUEUED.path, changes: [{atMs: 300, path: {rateBps: 500_000, rttMs: 80, handover: true}}]};

describe.each([
  ['tcp', LOSSY, {pipeline: 'tcp'}],
  ['tcp with six connections under TLS', LOSSY, {pipeline: 'tcp', tls: true, connections: 6, pipelining: false}],
  ['tcp of today, with early data', QUEUED, {pipeline: 'tcp', profile: 'modern', tls: true, visit: 'again'}],
  [
    'tcp with ECN',
    {path: {...QUEUED.path, queue: {kind: 'codel', ecn: true}}},
    {pipeline: 'tcp', profile: 'modern', ecn: 'classic'},
  ],
  ['h2', LOSSY, {pipeline: 'h2'}],
  ['h2 of today', QUEUED, {pipeline: 'h2', profile: 'modern'}],
  ['h2 without TLS', QUEUED, {pipeline: 'h2', tls: false}],
  ['sctp', LOSSY, {pipeline: 'sctp'}],
  ['sctp of today with I-DATA', QUEUED, {pipeline: 'sctp', profile: 'modern', idata: true, fragmentation: false}],
  ['sctp whose streams are reset', LOSSY, {pipeline: 'sctp', streams: 3, resetStreams: true}],
  ['sctp with a server that answers all requests at once', LOSSY, {pipeline: 'sctp', server: 'interleaving'}],
  ['sctp over DTLS', LOSSY, {pipeline: 'sctp', tls: true}],
  ['sctp over DTLS of today with I-DATA', QUEUED, {pipeline: 'sctp', tls: true, profile: 'modern', idata: true}],
  ['h3', LOSSY, {pipeline: 'h3'}],
  ['udp', LOSSY, {pipeline: 'udp'}],
  ['udp over a path that reorders and repeats packets', UNSTEADY, {pipeline: 'udp'}],
  ['udp that fills half of the path', QUEUED, {pipeline: 'udp', ratePercent: 50}],
  ['catp', LOSSY, {pipeline: 'catp'}],
  ['catp whose structure is sent twice', QUEUED, {pipeline: 'catp', abstract: 'twice', frameBytes: 512}],
  ['catp whose structure is sent over TCP', LOSSY, {pipeline: 'catp', abstract: 'tcp'}],
  ['catp over a path that reorders and repeats packets', UNSTEADY, {pipeline: 'catp'}],
  [
    'catp whose structure is sent over TCP, without any request in a datagram',
    {page: 'text-10k', path: {rateBps: 500_000, rttMs: 100}},
    {pipeline: 'catp', abstract: 'tcp'},
  ],
  ['catp via an adapter', LOSSY, {pipeline: 'catp', adapter: true, wiredLossPercent: 2}],
  ['catp via an adapter, with the structure over TCP', QUEUED, {pipeline: 'catp', adapter: true, abstract: 'tcp'}],
  ['h3 whose client moves', MOVED, {pipeline: 'h3', profile: 'modern'}],
] as const)('a capture of %s', (_, parts, pane) => {
  test.each([1, 2, 3])('reads back to the columns of its trace (seed %i)', async seed => {
    const {data, captured} = await readBack({page: 'gallery', ...parts, panes: [pane], seed});
    expect(captured.notes).toEqual([]);
    expect(captured.seenAt).toBe('both');
    expect(captured.pipeline).toBe(pane.pipeline);
    expect(captureTrace(captured).setupNs).toBe(data.setupNs);
    const objects = objectsOf(captured, data);
    expect(captured.packets).toEqual(expectedPackets(data, objects));
  });
});

test.each([
  [1, 0],
  [2, 0],
  [6, 0],
  [6, 0.03],
])(
  'a capture of HTTP/1.1 over %i connections shows since when objects waited for a connection (loss %d)',
  async (connections, loss) => {
    const pane = {pipeline: 'tcp', tls: true, connections, pipelining: false};
    const path = {rateBps: 2_000_000, rttMs: 100, loss};
    const {data, captured} = await readBack({page: 'gallery', discovery: 'streaming', path, panes: [pane], seed: 1});
    const {objects} = captureTrace(captured);
    const knownOf = (url: string) => objects.find(each => each.url === url)?.discoveredNs;
    expect(data.objects.map(({url}) => knownOf(url))).toEqual(data.objects.map(({discoveredNs}) => discoveredNs));
    expect(data.objects.some(({discoveredNs, requestNs}) => (requestNs ?? 0) - (discoveredNs ?? 0) > 300e6)).toBe(true);
  },
);

test('a capture of sctp over DTLS whose client moves has both associations in one load', async () => {
  const pane = {pipeline: 'sctp', tls: true};
  const {data, captured} = await readBack({page: 'gallery', ...MOVED, panes: [pane], seed: 1});
  expect(captured.connections.map(({hasTls, streams}) => [hasTls, streams])).toEqual([
    [true, 10],
    [true, 10],
  ]);
  expect(captured.packets.map(({atNs, bytes}) => [atNs, bytes])).toEqual(
    Array.from(data.packets.sentNs, (atNs, row) => [atNs, data.packets.bytes[row]]),
  );
  for (const {url, bytes} of data.objects) {
    const complete = captured.exchanges.filter(each => new URL(each.url).pathname === url && each.completeNs !== null);
    expect(complete.map(({body, connection}) => [body?.length, connection])).toEqual([[bytes, 1]]);
  }
});

test('a capture of catp on another visit lacks the tags of the HTML, and a note says so', async () => {
  const pane = {pipeline: 'catp', visit: 'again'};
  const {data, captured} = await readBack({page: 'gallery', ...LOSSY, panes: [pane], seed: 1});
  const numbers = data.objects.map(({url}) => captured.exchanges.findIndex(each => new URL(each.url).pathname === url));
  expect(captured.packets).toEqual(expectedPackets(data, new Map(numbers.entries())));
  expect(captured.notes.some(note => note.startsWith("The tags of the HTML were in the client's cache"))).toBe(true);
  const [html, ...others] = captured.exchanges;
  expect(html).toMatchObject({status: null, body: null});
  expect(html?.completeNs).toBeGreaterThan(0);
  expect(others.every(({status, body}) => status === 200 && body !== null)).toBe(true);
});

/** Loads a page in one pane, and reads the pane's capture. */
async function readBack(document: object): Promise<{readonly data: TraceData; readonly captured: CapturedLoad}> {
  const parsed = parseScenario(document);
  if (!parsed.ok) throw new Error(JSON.stringify(parsed));
  const {scenario} = parsed;
  const page = await openPage(scenario.page, fixtures);
  const [data] = load(page, scenario, scenario.seed).panes;
  const {packets} = await readCaptureFile(capture(page, scenario, scenario.seed, 0));
  const read = readPacketCapture(packets, new Map(), nodeCrypto);
  if (data === undefined || !read.ok) throw new Error(JSON.stringify(read));
  expect(read.loads.length).toBe(1);
  return {data, captured: read.loads[0]};
}

/** Returns the exchange of each object, after a check that both lists have the same addresses, times and sizes. */
function objectsOf({exchanges, packets}: CapturedLoad, {objects}: TraceData): ReadonlyMap<number, number> {
  const isTimed = packets.every(({fate, arrivedNs}) => fate !== 'delivered' || arrivedNs !== undefined);
  const numbers = new Map(
    objects.map(({url}, object) => [object, exchanges.findIndex(each => new URL(each.url).pathname === url)] as const),
  );
  for (const [object, number] of numbers) {
    const {requestNs, stream, bytes, completeNs} = objects[object] ?? {};
    expect(exchanges[number]).toMatchObject({requestNs, bodyBytes: bytes, stream: stream ?? 0, status: 200});
    expect(exchanges[number]?.body?.length).toBe(bytes);
    // if all data was in datagrams, the capture says when it arrived
    if (isTimed) expect(exchanges[number]?.completeNs).toBe(completeNs);
    const lateNs = (exchanges[number]?.completeNs ?? Number.NaN) - (completeNs ?? 0);
    expect(lateNs, 'an acknowledgement may be late, and one that is missing makes the time too early').toSatisfy(
      late => late >= -MOST_QUEUE_NS && late <= MOST_ACK_DELAY_NS,
    );
  }
  expect(exchanges.length).toBe(objects.length);
  return numbers;
}

/** The packets of a trace as a capture can show them. */
function expectedPackets(data: TraceData, objects: ReadonlyMap<number, number>): readonly object[] {
  const {packets, chunks, chunkPieces, connections} = data;
  const order = connectionOrder(data);
  const kinds = Object.keys(PACKET_KIND);
  return Array.from(packets.sentNs, (atNs, row) => ({
    connection: order.indexOf(
      connections.findIndex(({client, server}) => [client, server].includes(packets.endpoint[row] ?? 0)),
    ),
    direction: packets.direction[row] === 0 ? 'down' : 'up',
    bytes: packets.bytes[row],
    atNs,
    ...fateOf(packets.fate[row]),
    ...arrivalOf(data, row),
    ecn: packets.marked[row] === 1 ? 3 : packets.ecn[row],
    kind: kinds[packets.kind[row] ?? 0],
    cumulativeAck: packets.cumulativeAck[row],
    chunks: rowsOf(chunks.packet, row).map(chunk => ({
      first: chunks.first[chunk],
      bytes: chunks.bytes[chunk],
      stream: chunks.stream[chunk],
      message: chunks.message[chunk],
      retransmission: chunks.retransmission[chunk] === 1,
      pieces: rowsOf(chunkPieces.row, chunk).map(piece => ({
        exchange: objects.get(chunkPieces.object[piece] ?? 0),
        bytes: chunkPieces.bytes[piece],
      })),
    })),
  }));
}

/** The connections of a trace in the order of their first packets. */
function connectionOrder({packets, connections}: TraceData): readonly number[] {
  const rows = connections.map(({client, server}) =>
    packets.endpoint.findIndex(endpoint => endpoint === client || endpoint === server),
  );
  return Array.from(rows.keys())
    .filter(connection => (rows[connection] ?? -1) >= 0)
    .sort((a, b) => (rows[a] ?? 0) - (rows[b] ?? 0));
}

/** The time of arrival of a bare datagram, which captures of this program contain. */
function arrivalOf({pipeline, connections: [datagrams], packets}: TraceData, row: number): object {
  const isBare = pipeline === 'udp' || pipeline === 'catp';
  const ends = [datagrams?.client, datagrams?.server];
  if (!isBare || !ends.includes(packets.endpoint[row]) || packets.fate[row] !== FATE.delivered) return {};
  return {arrivedNs: packets.fateNs[row]};
}

function fateOf(fate: number | undefined): object {
  if (fate === FATE.delivered) return {fate: 'delivered'};
  if (fate === FATE.inFlight) return {fate: null};
  const dropped = Object.entries(FATE).find(([, number]) => number === fate)?.[0];
  return {fate: 'lost', dropped};
}
