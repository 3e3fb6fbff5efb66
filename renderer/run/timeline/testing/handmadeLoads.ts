import {DIRECTION, FATE} from '../../../../app/run/trace/columns.ts';
import {smallTrace} from '../../../../app/run/trace/testing/smallTrace.ts';
import {Trace} from '../../../../app/run/trace/trace.ts';
import type {ObjectTrace, TraceData} from '../../../../app/run/trace/traceData.ts';

// For tests: handmade loads with everything that a timeline draws. Each has four objects; times are in ms.
//
//   TCP   A packet with data of a.jpg is lost at 255. Later data of a.jpg waits for it from 310 to 550, and data of
//         b.png from 315 to 550. The queue drops a packet with data of b.png at 270, and the data is sent again at
//         620. An acknowledgement is lost at 480. d.gif fails at 640.
//   SCTP  The same packets are lost, but b.png does not wait for data of a.jpg.
//   late  The TCP load, with everything 100 ms later. The data of b.png that the queue dropped is never sent again, and
//         the wait of the other data of b.png has no end. The load reaches its time limit at 1000.

export function tcpLoad(): Trace {
  return new Trace(load({ends: 800, again: [500, 620]}));
}

export function sctpLoad(): Trace {
  const data = load({ends: 700, again: [400, 420]});
  const {chunks, packets} = data;
  return new Trace({
    ...data,
    pipeline: 'sctp',
    streams: 3,
    // TSNs count chunks of 1000 bytes
    chunks: {...chunks, first: chunks.first.map(first => Math.ceil(first / 1000))},
    packets: {...packets, cumulativeAck: packets.cumulativeAck.map(ack => Math.ceil(ack / 1000))},
    deliveries: deliveries([200, 0, 1000], [300, 1, 1000], [315, 2, 1000], [450, 1, 3000], [470, 2, 2000]),
    ...blocked([1, 310, 450]),
    samples: samples([
      [100, 4000, Number.POSITIVE_INFINITY, 0, 1],
      [250, 5000, Number.POSITIVE_INFINITY, 5000, 1],
      [350, 2500, 2500, 3000, FAST_RECOVERY],
      [470, 2500, 2500, 1000, CONGESTION_AVOIDANCE],
      [600, 3500, 2500, 0, CONGESTION_AVOIDANCE],
    ]),
    objects: objects({a: 450, b: 470}),
  });
}

/**
 * The TCP load over three connections. Each packet is on the next connection in rotation, whatever its data belongs to.
 * According to the trace's objects, b.png is on the second connection, and all others are on the first.
 */
export function parallelLoad(): Trace {
  const {data} = tcpLoad();
  const {packets, samples, objects} = data;
  const later = (times: Float64Array, by: number) => times.map(ns => ns + by * MS);
  const ofAll = (times: (connection: number) => Float64Array) =>
    Float64Array.from([0, 1, 2].flatMap(connection => [...times(connection)]));
  const thrice = <T extends Float64Array | Uint32Array | Uint8Array>(column: T) => [0, 1, 2].flatMap(() => [...column]);
  return new Trace({
    ...data,
    connections: [0, 1, 2].map(each => ({client: 2 * each, server: 2 * each + 1, streams: 1})),
    packets: {...packets, endpoint: packets.endpoint.map((end, row) => end + 2 * (row % 3))},
    samples: {
      atNs: ofAll(each => later(samples.atNs, 20 * each)),
      endpoint: Uint32Array.from([0, 1, 2].flatMap(each => [...samples.endpoint.map(end => end + 2 * each)])),
      cwndBytes: ofAll(each => samples.cwndBytes.map(bytes => bytes - 300 * each)),
      ssthreshBytes: Float64Array.from(thrice(samples.ssthreshBytes)),
      flightBytes: Float64Array.from(thrice(samples.flightBytes)),
      srttNs: Float64Array.from(thrice(samples.srttNs)),
      rtoNs: ofAll(each => samples.rtoNs.map(ns => ns * (1 + each / 5))),
      state: Uint8Array.from(thrice(samples.state)),
      timeouts: Uint32Array.from(thrice(samples.timeouts)),
      probes: Uint32Array.from(thrice(samples.probes)),
    },
    objects: objects.map((object, i) => ({...object, connection: i === 2 ? 1 : 0})),
  });
}

export function lateLoad(): Trace {
  const data = load({ends: 900, again: [500, null]});
  const later = (times: Float64Array) => times.map(ns => ns + 100 * MS);
  const {packets, samples, blocked, deliveries} = data;
  const [whole] = [data.deliveries.object.length - 1];
  return new Trace({
    ...data,
    outcome: 'time-limit',
    reason: 'not complete after 1 s',
    endNs: 1000 * MS,
    packets: {...packets, sentNs: later(packets.sentNs), leftNs: later(packets.leftNs), fateNs: later(packets.fateNs)},
    samples: {...samples, atNs: later(samples.atNs)},
    blocked: {...blocked, startNs: later(blocked.startNs), endNs: Float64Array.of(650 * MS, Number.NaN)},
    deliveries: {
      object: deliveries.object.slice(0, whole),
      bytes: deliveries.bytes.slice(0, whole),
      first: deliveries.first.slice(0, whole),
      atNs: later(deliveries.atNs.slice(0, whole)),
    },
    objects: objects({a: 550, b: null}).map(object => ({
      ...object,
      requestNs: plus(object.requestNs),
      firstByteNs: plus(object.firstByteNs),
      completeNs: plus(object.completeNs),
      failedNs: plus(object.failedNs),
    })),
  });
}

/** A load with an upload and another page load on the same path. The upload began before the run. */
export function sharedLoad(): Trace {
  const {data} = tcpLoad();
  const rows = [
    ...Array.from({length: 30}, (_, i) => ({flow: 0, way: DIRECTION.up, sentMs: -20 + 30 * i, staysMs: 100 + 3 * i})),
    ...Array.from({length: 10}, (_, i) => ({flow: 1, way: DIRECTION.down, sentMs: 200 + 12 * i, staysMs: 40})),
  ];
  return new Trace({
    ...data,
    traffic: {
      flows: [
        {kind: 'tcp', direction: 'up', congestion: 'cubic'},
        {kind: 'page', pane: 1, pipeline: 'h3'},
      ],
      packets: {
        flow: Uint32Array.from(rows, ({flow}) => flow),
        direction: Uint8Array.from(rows, ({way}) => way),
        bytes: new Uint32Array(rows.length).fill(1500),
        sentNs: Float64Array.from(rows, ({sentMs}) => sentMs * MS),
        leftNs: Float64Array.from(rows, ({sentMs, staysMs}) => (sentMs + staysMs) * MS),
        fate: new Uint8Array(rows.length).fill(FATE.delivered),
        fateNs: Float64Array.from(rows, ({sentMs, staysMs}) => (sentMs + staysMs + 20) * MS),
      },
    },
  });
}

const MS = 1e6;
const FAST_RECOVERY = 3;
const LOSS_RECOVERY = 4;
const CONGESTION_AVOIDANCE = 2;
const PROBE = 'probe';

type SampleRow = readonly [ms: number, cwnd: number, ssthresh: number, flight: number, state: number, timer?: string];

interface PacketRow {
  readonly sentMs: number;
  /** The time at which it is delivered or lost. */
  readonly fateMs: number;
  readonly fate?: number;
  /** The cumulative acknowledgement of a packet from the client. */
  readonly ack?: number;
  /** The data of a packet from the server. */
  readonly data?: readonly [first: number, object: number];
  readonly isAgain?: boolean;
}

/** A load over TCP. `again` has the time at which each lost packet with data is sent again, null for never. */
function load({ends, again}: {readonly ends: number; readonly again: readonly (number | null)[]}): TraceData {
  const [first = null, second = null] = again;
  const packets: readonly PacketRow[] = [
    {sentMs: 0, fateMs: 50, ack: Number.NaN},
    {sentMs: 100, fateMs: 150, ack: 0},
    {sentMs: 150, fateMs: 200, data: [0, 0]},
    {sentMs: 200, fateMs: 250, ack: 1000},
    {sentMs: 250, fateMs: 300, data: [1000, 1]},
    {sentMs: 255, fateMs: 255, fate: FATE.lost, data: [2000, 1]},
    {sentMs: 260, fateMs: 310, data: [3000, 1]},
    {sentMs: 265, fateMs: 315, data: [4000, 2]},
    {sentMs: 270, fateMs: 270, fate: FATE.queueFull, data: [5000, 2]},
    {sentMs: 300, fateMs: 350, ack: 2000},
    {sentMs: 480, fateMs: 480, fate: FATE.lost, ack: 2000},
    ...sentAgain(first, [2000, 1], 5000),
    ...sentAgain(second, [5000, 2], 6000),
  ];
  const chunks = packets.flatMap(({data, isAgain}, packet) =>
    data === undefined ? [] : [{packet, first: data[0], object: data[1], isAgain}],
  );
  const acked = (at: number | null) => (at ?? 0) + 50;
  return {
    ...smallTrace(),
    setupNs: 100 * MS,
    endNs: ends * MS,
    objects: objects({a: acked(first), b: second === null ? null : acked(second)}),
    deliveries: deliveries(
      [200, 0, 1000],
      [300, 1, 1000],
      [acked(first), 1, 3000],
      [acked(first), 2, 1000],
      [acked(second), 2, 2000],
    ),
    packets: {
      ...smallTrace().packets,
      endpoint: Uint32Array.from(packets, ({data}) => (data === undefined ? 0 : 1)),
      direction: Uint8Array.from(packets, ({data}) => (data === undefined ? DIRECTION.up : DIRECTION.down)),
      bytes: Uint32Array.from(packets, ({data}) => (data === undefined ? 40 : 1040)),
      sentNs: Float64Array.from(packets, ({sentMs}) => sentMs * MS),
      fate: Uint8Array.from(packets, ({fate}) => fate ?? FATE.delivered),
      leftNs: Float64Array.from(packets, ({sentMs, fate}) => (fate === undefined ? sentMs + 8 : Number.NaN) * MS),
      copyNs: new Float64Array(packets.length).fill(Number.NaN),
      ecn: new Uint8Array(packets.length),
      marked: new Uint8Array(packets.length),
      fateNs: Float64Array.from(packets, ({fateMs}) => fateMs * MS),
      kind: Uint8Array.from(packets, ({data}) => (data === undefined ? 2 : 1)),
      cumulativeAck: Float64Array.from(packets, ({ack}) => ack ?? 0),
    },
    chunks: {
      packet: Uint32Array.from(chunks, ({packet}) => packet),
      first: Float64Array.from(chunks, ({first}) => first),
      bytes: Uint32Array.from(chunks, () => 1000),
      stream: new Uint32Array(chunks.length),
      message: new Uint32Array(chunks.length),
      retransmission: Uint8Array.from(chunks, ({isAgain}) => Number(isAgain === true)),
    },
    chunkPieces: {
      row: Uint32Array.from(chunks.keys()),
      object: Uint32Array.from(chunks, ({object}) => object),
      bytes: Uint32Array.from(chunks, () => 1000),
    },
    samples: samples([
      [100, 3000, Number.POSITIVE_INFINITY, 0, 1],
      [250, 4000, Number.POSITIVE_INFINITY, 3000, 1],
      [270, 4000, Number.POSITIVE_INFINITY, 5000, 1, PROBE],
      [350, 2500, 2000, 4000, FAST_RECOVERY],
      [600, 1000, 1500, 1000, LOSS_RECOVERY],
      [720, 1500, 1500, 0, CONGESTION_AVOIDANCE],
    ]),
    ...blocked([1, 310, acked(first)], [2, 315, acked(first)]),
  };
}

/** A retransmission by the server, and the client's acknowledgement. */
function sentAgain(
  sentMs: number | null,
  data: readonly [first: number, object: number],
  ack: number,
): readonly PacketRow[] {
  if (sentMs === null) return [];
  return [
    {sentMs, fateMs: sentMs + 50, data, isAgain: true},
    {sentMs: sentMs + 50, fateMs: sentMs + 100, ack},
  ];
}

/** The objects of the page. `a` and `b` are the times (ms) at which a.jpg and b.png are complete; null for never. */
function objects({a, b}: {readonly a: number; readonly b: number | null}): readonly ObjectTrace[] {
  const image = {
    connection: 0,
    stream: 1,
    discoveredNs: 200 * MS,
    requestNs: 200 * MS,
    failedNs: null,
    failure: null,
  };
  return [
    {
      url: '/',
      bytes: 1000,
      connection: 0,
      stream: 0,
      discoveredNs: 100 * MS,
      requestNs: 100 * MS,
      firstByteNs: 200 * MS,
      completeNs: 200 * MS,
      failedNs: null,
      failure: null,
    },
    {...image, url: '/img/a.jpg', bytes: 3000, firstByteNs: 300 * MS, completeNs: a * MS},
    {...image, url: '/img/b.png', bytes: 2000, firstByteNs: 330 * MS, completeNs: b === null ? null : b * MS},
    {
      ...image,
      url: '/img/d.gif',
      bytes: 0,
      requestNs: 250 * MS,
      firstByteNs: null,
      completeNs: null,
      failedNs: 640 * MS,
      failure: {kind: 'status', status: 404},
    },
  ];
}

/** The deliveries of a trace: the time, the object, and how many of the object's bytes are delivered by then. */
function deliveries(...rows: readonly (readonly [ms: number, object: number, bytes: number])[]) {
  const before = (row: number, object: number) => rows.slice(0, row).findLast(each => each[1] === object)?.[2] ?? 0;
  return {
    atNs: Float64Array.from(rows, ([ms]) => ms * MS),
    object: Uint32Array.from(rows, ([, object]) => object),
    bytes: Float64Array.from(rows, ([, , bytes]) => bytes),
    first: Float64Array.from(rows, ([, object], row) => before(row, object)),
  };
}

/** Waits at the client, with 1000 bytes each. */
function blocked(...rows: readonly (readonly [object: number, startMs: number, endMs: number])[]) {
  return {
    blocked: {
      endpoint: new Uint32Array(rows.length),
      stream: new Uint32Array(rows.length),
      first: Float64Array.from(rows, ([object]) => 2000 + object * 1000),
      bytes: Uint32Array.from(rows, () => 1000),
      startNs: Float64Array.from(rows, ([, startMs]) => startMs * MS),
      endNs: Float64Array.from(rows, ([, , endMs]) => endMs * MS),
    },
    blockedPieces: {
      row: Uint32Array.from(rows.keys()),
      object: Uint32Array.from(rows, ([object]) => object),
      bytes: Uint32Array.from(rows, () => 1000),
    },
  };
}

/**
 * The server's samples, after one sample of the client. No line shows the client's sample, but the RTT graph marks its
 * timeout.
 */
function samples(server: readonly SampleRow[]): TraceData['samples'] {
  const rows: readonly SampleRow[] = [[90, 9000, 9000, 9000, LOSS_RECOVERY], ...server];
  const column = (index: 1 | 2 | 3) => Float64Array.from(rows, row => row[index]);
  const soFar = (ms: number, is: (row: SampleRow) => boolean) => server.filter(row => row[0] <= ms && is(row)).length;
  const timeouts = rows.map(([ms], i) => (i === 0 ? 1 : soFar(ms, row => row[4] === LOSS_RECOVERY)));
  return {
    ...smallTrace().samples,
    atNs: Float64Array.from(rows, ([ms]) => ms * MS),
    endpoint: Uint32Array.from(rows, (_, i) => Math.min(i, 1)),
    cwndBytes: column(1),
    ssthreshBytes: column(2),
    flightBytes: column(3),
    srttNs: Float64Array.from(rows, ([ms]) => (ms < 200 ? 0 : 100 * MS)),
    // doubled by each timeout
    rtoNs: Float64Array.from(timeouts, n => 1000 * MS * 2 ** n),
    timeouts: Uint32Array.from(timeouts),
    probes: Uint32Array.from(rows, ([ms]) => soFar(ms, row => row[5] === PROBE)),
    state: Uint8Array.from(rows, ([, , , , state]) => state),
  };
}

function plus(ns: number | null): number | null {
  return ns === null ? null : ns + 100 * MS;
}
