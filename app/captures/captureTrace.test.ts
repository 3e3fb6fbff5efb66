import fc from 'fast-check';
import {expect, test} from 'vitest';
import {DIRECTION, FATE, PACKET_KIND} from '../run/trace/columns.ts';
import {Trace} from '../run/trace/trace.ts';
import {traceProblem} from '../run/trace/traceProblem.ts';
import type {CapturedLoad} from './capturedLoad.ts';
import {captureTrace} from './captureTrace.ts';
import {chunk, connection, exchange, packet, smallLoad} from './testing/capturedLoads.ts';

const MS = 1e6;

test('each exchange is an object, named by its path if it has the origin of the page, else by its address', () => {
  const load = smallLoad();
  const other = exchange('https://cdn.example/a.js?b#c', {at: 60, firstByte: 65, complete: 80, bytes: 10});
  const again = exchange('https://host.example/image.jpg', {at: 91, firstByte: 95, complete: 95, bytes: 1});
  const root = exchange('https://host.example?q', {at: 92, firstByte: 95, complete: 95, bytes: 1});
  const trace = captureTrace({...load, exchanges: [...load.exchanges, other, again, root]});
  expect(trace.objects.map(({url}) => url)).toEqual([
    '/',
    '/image.jpg',
    'https://cdn.example/a.js?b',
    '/image.jpg#2',
    '/?q',
  ]);
  expect(trace.objects[1]).toEqual({
    url: '/image.jpg',
    bytes: 400,
    connection: 0,
    stream: 0,
    discoveredNs: 50 * MS,
    requestNs: 50 * MS,
    firstByteNs: 70 * MS,
    completeNs: 90 * MS,
    failedNs: null,
    failure: null,
  });
  expect(trace).toMatchObject({pipeline: 'tcp', outcome: 'complete', reason: null, streams: 1, setupNs: 30 * MS});
  expect(trace.endNs).toBe(95 * MS);
});

test('an object is known when the capture says so, but not later than its request', () => {
  const [html, image] = smallLoad().exchanges;
  if (html === undefined || image === undefined) throw new Error('the small load has two exchanges');
  const at = (discoveredNs: number) =>
    captureTrace({...smallLoad(), exchanges: [html, {...image, discoveredNs}]}).objects[1]?.discoveredNs;
  expect(at(45 * MS)).toBe(45 * MS);
  expect(at(51 * MS)).toBe(50 * MS);
});

test('the set-up ends when requests can be sent: after TLS, but with QUIC after its only handshake', () => {
  const setUp = (own: Partial<CapturedLoad>) => captureTrace({...smallLoad(), ...own}).setupNs;
  expect(setUp({connections: [connection({tlsNs: 44}), connection({tlsNs: 33})]})).toBe(33);
  expect(setUp({connections: [connection({tlsNs: null})]})).toBeNull();
  expect(setUp({connections: [connection({tlsNs: null, hasTls: false})]})).toBe(10 * MS);
  expect(setUp({pipeline: 'h3', connections: [connection({tlsNs: null})]})).toBe(10 * MS);
});

test('the ends of connections are numbered, and connections name their origins if these differ', () => {
  const of = (...connections: CapturedLoad['connections']) => captureTrace({...smallLoad(), connections}).connections;
  expect(of(connection(), connection())).toEqual([
    {client: 0, server: 1, streams: 1},
    {client: 2, server: 3, streams: 1},
  ]);
  expect(of(connection(), connection({origin: 'https://b.example'}), connection({origin: null}))).toMatchObject([
    {origin: 'https://host.example'},
    {origin: 'https://b.example'},
    {client: 4},
  ]);
});

test('a response of which a capture shows only the end is delivered in one piece', () => {
  const {deliveries} = captureTrace(smallLoad());
  expect(Array.from(deliveries.object)).toEqual([0, 1, 1]);
  expect(Array.from(deliveries.atNs)).toEqual([50 * MS, 70 * MS, 90 * MS]);
  expect(Array.from(deliveries.bytes)).toEqual([100, 100, 400]);
  expect(Array.from(deliveries.first)).toEqual([0, 0, 100]);
});

test('an incomplete response makes the load partial, but a complete response with status 404 does not', () => {
  const [html] = smallLoad().exchanges;
  if (html === undefined) throw new Error('the small load has exchanges');
  const open = exchange('https://host.example/a', {at: 60, firstByte: 70, bytes: 9, deliveries: [[75, 5]]});
  const missing = exchange('https://host.example/b', {at: 60, firstByte: 70, complete: 80, bytes: 9}, {status: 404});
  const refused = exchange('https://host.example/c', {at: 60, firstByte: 70, complete: 85, bytes: 9}, {status: 403});
  const partial = captureTrace({...smallLoad(), exchanges: [html, open]});
  expect(partial).toMatchObject({outcome: 'partial', reason: '1 response is not complete in the capture'});
  expect(partial.endNs).toBe(90 * MS);
  expect(partial.objects[1]).toMatchObject({bytes: 9, completeNs: null, failure: null});
  const complete = captureTrace({...smallLoad(), exchanges: [html, missing, refused]});
  expect(complete).toMatchObject({outcome: 'complete', endNs: 85 * MS});
  expect(complete.objects[1]).toMatchObject({
    bytes: 0,
    completeNs: null,
    failedNs: 80 * MS,
    failure: {kind: 'status', status: 404},
  });
  expect(complete.objects[2]).toMatchObject({completeNs: 85 * MS, failure: null});
  expect(Array.from(complete.deliveries.object)).toEqual([0, 2]);
  // whether the rest of the response came is not known
  const cut = captureTrace({...smallLoad(), exchanges: [html, {...missing, completeNs: null}]});
  expect(cut).toMatchObject({outcome: 'partial', objects: [{}, {bytes: 9, failedNs: null, failure: null}]});
  expect(captureTrace({...smallLoad(), exchanges: []})).toMatchObject({
    outcome: 'partial',
    reason: 'the capture shows no request',
  });
});

test('a client sees when packets arrived, but neither when they were sent nor whether its own arrived', () => {
  const {packets} = captureTrace(smallLoad());
  const [down, up] = [5, 4];
  expect([packets.direction[down], packets.endpoint[down]]).toEqual([DIRECTION.down, 1]);
  expect([packets.sentNs[down], packets.fate[down], packets.fateNs[down]]).toEqual([70 * MS, FATE.delivered, 70 * MS]);
  expect([packets.direction[up], packets.endpoint[up]]).toEqual([DIRECTION.up, 0]);
  expect([packets.sentNs[up], packets.fate[up], packets.fateNs[up]]).toEqual([50 * MS, FATE.inFlight, Number.NaN]);
  expect(packets.leftNs.every(Number.isNaN) && packets.copyNs.every(Number.isNaN)).toBe(true);
  expect(packets.kind[0]).toBe(PACKET_KIND.setUp);
  expect(Array.from(packets.cumulativeAck.subarray(0, 4))).toEqual([Number.NaN, 0, Number.NaN, 60]);
});

test('a server sees when requests arrived, and which of its packets were lost', () => {
  const lost = {...smallLoad(), seenAt: 'server' as const};
  const {packets} = captureTrace({
    ...lost,
    packets: lost.packets.map((each, i) => (i === 5 ? {...each, fate: 'lost' as const} : each)),
  });
  expect([packets.fate[4], packets.fateNs[4]]).toEqual([FATE.delivered, 50 * MS]);
  expect([packets.fate[5], packets.fateNs[5]]).toEqual([FATE.lost, 70 * MS]);
  expect([packets.fate[3], packets.fateNs[3]]).toEqual([FATE.inFlight, Number.NaN]);
});

test('if packets were recorded at their senders, an acknowledgement shows by when its data had arrived', () => {
  const load: CapturedLoad = {
    ...smallLoad(),
    seenAt: 'both',
    packets: [
      packet('down', 1, {chunks: [chunk(0, 10)]}),
      packet('down', 2, {chunks: [chunk(10, 10)]}),
      packet('down', 3, {chunks: [chunk(20, 10)], dropped: 'queueFull'}),
      packet('up', 4, {cumulativeAck: 10}),
      packet('up', 5, {cumulativeAck: 20}),
      packet('up', 6, {cumulativeAck: 20}),
      packet('down', 7, {chunks: [chunk(20, 10)]}),
    ],
  };
  const {packets, blocked} = captureTrace(load);
  expect(Array.from(packets.fateNs)).toEqual(
    [4, 5, 3, Number.NaN, Number.NaN, Number.NaN, Number.NaN].map(ms => ms * MS),
  );
  expect(Array.from(packets.fate)).toEqual([1, 1, FATE.queueFull, 0, 0, 0, 0]);
  expect(blocked.endpoint).toHaveLength(0);
  // numbers of QUIC's packets are no positions of data
  expect(captureTrace({...load, pipeline: 'h3'}).packets.fate[0]).toBe(FATE.inFlight);
});

test('a packet arrived at the time that the capture says, or else when it was acknowledged', () => {
  const timed = packet('up', 1, {arrivedNs: 3 * MS, chunks: [chunk(0, 10)]});
  const packets = [timed, packet('up', 2, {chunks: [chunk(10, 10)]}), packet('down', 9, {cumulativeAck: 20})];
  const trace = captureTrace({...smallLoad(), seenAt: 'both', packets});
  expect(Array.from(trace.packets.fateNs)).toEqual([3 * MS, 9 * MS, Number.NaN]);
});

test('a packet that arrives with CE was marked on its way', () => {
  const load = smallLoad();
  const packets = load.packets.map((each, i) => ({...each, ecn: i === 4 || i === 5 ? 3 : 2}));
  expect(Array.from(captureTrace({...load, packets}).packets.marked)).toEqual([0, 0, 0, 0, 0, 1, 0, 0]);
});

test('packets are in order of time, and their chunks and pieces follow them', () => {
  const load = smallLoad();
  const trace = captureTrace({...load, packets: load.packets.toReversed()});
  // the two packets at 50 ms keep their order in the file
  expect(Array.from(trace.packets.sentNs)).toEqual([0, 10, 30, 50, 50, 70, 75, 90].map(ms => ms * MS));
  expect(Array.from(trace.chunks.packet)).toEqual([2, 3, 4, 5, 6, 7]);
  expect(Array.from(trace.chunks.retransmission)).toEqual([0, 0, 0, 0, 0, 1]);
  expect(Array.from(trace.chunkPieces.object)).toEqual([0, 1, 0, 1, 1, 1]);
  expect(new Trace(trace).objectsOf(7)).toEqual([{object: 1, bytes: 100}]);
});

test('data that came before data that precede it in its stream waited until these data came', () => {
  const {blocked, blockedPieces} = captureTrace(smallLoad());
  expect({...blocked}).toEqual({
    endpoint: Uint32Array.of(0),
    stream: Uint32Array.of(0),
    first: Float64Array.of(400),
    bytes: Uint32Array.of(200),
    startNs: Float64Array.of(75 * MS),
    endNs: Float64Array.of(90 * MS),
  });
  expect({...blockedPieces}).toEqual({
    row: Uint32Array.of(0),
    object: Uint32Array.of(1),
    bytes: Uint32Array.of(200),
  });
});

test('the streams of a connection wait only for their own data, and repeated data waits once', () => {
  const on = (stream: number, first: number) => ({chunks: [{...chunk(first, 10), stream}]});
  const load: CapturedLoad = {
    ...smallLoad(),
    pipeline: 'h3',
    packets: [
      packet('down', 1, on(0, 100)),
      packet('down', 2, on(4, 30)),
      packet('down', 3, on(4, 20)),
      packet('down', 4, on(4, 30)),
      packet('down', 5, on(0, 110)),
      packet('down', 6, on(4, 10)),
      packet('down', 7, on(4, 50)),
      packet('up', 8, on(4, 10)),
      packet('up', 9, on(4, 40)),
    ],
  };
  const waits = ({blocked}: ReturnType<typeof captureTrace>) =>
    Array.from(blocked.first, (first, row) => [first, blocked.endpoint[row], blocked.startNs[row], blocked.endNs[row]]);
  expect(waits(captureTrace(load))).toEqual([
    [30, 0, 2 * MS, 6 * MS],
    [20, 0, 3 * MS, 6 * MS],
    [50, 0, 7 * MS, Number.NaN],
  ]);
  expect(waits(captureTrace({...load, seenAt: 'server'}))).toEqual([[40, 1, 9 * MS, Number.NaN]]);
});

test('samples are in order of time, with the threshold and the state of their sender, and without timers', () => {
  const sample = {connection: 0, flightBytes: 5, srttNs: 7} as const;
  const {samples} = captureTrace({
    ...smallLoad(),
    samples: [
      {...sample, side: 'server', atNs: 20, cwndBytes: 100, ssthreshBytes: 80},
      {...sample, side: 'client', atNs: 10, cwndBytes: 100, ssthreshBytes: Number.POSITIVE_INFINITY},
    ],
  });
  expect(Array.from(samples.atNs)).toEqual([10, 20]);
  expect(Array.from(samples.endpoint)).toEqual([0, 1]);
  expect(Array.from(samples.state)).toEqual([1, 2]);
  expect(Array.from(samples.ssthreshBytes)).toEqual([Number.POSITIVE_INFINITY, 80]);
  expect(Array.from(samples.rtoNs)).toEqual([0, 0]);
});

test('milestones are those of the browser, and the load does not end before DOMContentLoaded and load', () => {
  const milestones = {fcpNs: null, lcpNs: null, dclNs: 60 * MS, loadNs: 120 * MS};
  const trace = captureTrace({...smallLoad(), milestones});
  expect(trace.milestones).toEqual({...milestones, lcpObject: null});
  expect(trace.endNs).toBe(120 * MS);
});

test('every captured load makes a valid trace, whatever its numbers are', () => {
  const number = fc.oneof(
    fc.integer({min: -5, max: 300}),
    fc.constantFrom(Number.NaN, Number.POSITIVE_INFINITY, 2 ** 60, -1, 0.5, 2 ** 33),
  );
  const orNull = fc.option(number, {nil: null});
  const piece = fc.record({exchange: fc.integer({min: -1, max: 4}), bytes: number});
  const chunks = fc.array(
    fc.record({
      first: number,
      bytes: number,
      stream: number,
      message: number,
      retransmission: fc.boolean(),
      pieces: fc.array(piece, {maxLength: 3}),
    }),
    {maxLength: 3},
  );
  const load = fc.record({
    kind: fc.constant('pcap' as const),
    pipeline: fc.constantFrom('tcp' as const, 'h2' as const, 'h3' as const, 'sctp' as const),
    seenAt: fc.constantFrom('client' as const, 'server' as const, 'both' as const),
    connections: fc.array(
      fc.record({
        origin: fc.constantFrom(null, 'https://a'),
        hasTls: fc.boolean(),
        openNs: orNull,
        connectedNs: orNull,
        tlsNs: orNull,
        streams: number,
      }),
      {minLength: 2, maxLength: 3},
    ),
    exchanges: fc.array(
      fc
        .record({
          connection: fc.constantFrom(null, 0, 1, 7, -1),
          stream: number,
          requestNs: number,
          firstByteNs: orNull,
          completeNs: orNull,
          status: fc.constantFrom(null, 200, 404, 500),
          bodyBytes: number,
          deliveries: fc.array(fc.record({atNs: number, bytes: number}), {maxLength: 4}),
        })
        .map(own => exchange('https://a/x', {at: 0}, own)),
      {maxLength: 4},
    ),
    packets: fc.array(
      fc.record({
        connection: fc.constantFrom(0, 1),
        direction: fc.constantFrom('down' as const, 'up' as const),
        bytes: number,
        atNs: number,
        fate: fc.constantFrom(null, 'delivered' as const, 'lost' as const),
        ecn: fc.integer({min: 0, max: 9}),
        kind: fc.constantFrom('data' as const, 'setUp' as const),
        cumulativeAck: number,
        chunks,
      }),
      {maxLength: 8},
    ),
    samples: fc.array(
      fc.record({
        connection: fc.constantFrom(0, 1),
        side: fc.constantFrom('client' as const, 'server' as const),
        atNs: number,
        cwndBytes: number,
        ssthreshBytes: number,
        flightBytes: number,
        srttNs: number,
      }),
      {maxLength: 3},
    ),
    notes: fc.constant([]),
  });
  fc.assert(
    fc.property(load, each => {
      expect(traceProblem(captureTrace(each))).toBeUndefined();
    }),
    {numRuns: 500},
  );
});
