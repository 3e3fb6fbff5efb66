import {tcp} from '../../../pipelines/tcp/tcp.ts';
import type {TraceData} from '../traceData.ts';

// A load for tests, small enough to follow by eye. It has two objects over one TCP connection. The times here are in
// ms.
//   0 the handshake begins; 10 connected, GET of index.html; 20 its 100 B arrive, GET of the image of 400 B
//   30 packet 2 arrives with image 0–100; packet 3, with 100–200, is dropped when it is sent, at 25
//   40 packet 4 arrives with image 200–400, and waits for the data of packet 3, which arrives in packet 5 at 70

const MS = 1e6;

export function smallTrace(): TraceData {
  return {
    pipeline: tcp.name,
    outcome: 'complete',
    reason: null,
    connections: [{client: 0, server: 1, streams: 1}],
    streams: 1,
    setupNs: 10 * MS,
    endNs: 70 * MS,
    objects: [
      object('/', 100, {discoveredNs: 10, requestNs: 10, firstByteNs: 20, completeNs: 20}),
      object('/image.jpg', 400, {discoveredNs: 20, requestNs: 20, firstByteNs: 30, completeNs: 70}),
    ],
    deliveries: {
      object: Uint32Array.of(0, 1, 1),
      atNs: times(20, 30, 70),
      bytes: Float64Array.of(100, 100, 400),
      first: Float64Array.of(0, 0, 100),
    },
    packets: {
      endpoint: Uint32Array.of(0, 1, 1, 1, 1, 1),
      direction: Uint8Array.of(1, 0, 0, 0, 0, 0),
      bytes: Uint32Array.of(60, 140, 140, 140, 240, 140),
      sentNs: times(0, 15, 24, 25, 30, 60),
      leftNs: times(1, 16, 25, Number.NaN, 35, 65),
      copyNs: new Float64Array(6).fill(Number.NaN),
      ecn: new Uint8Array(6),
      marked: new Uint8Array(6),
      fate: Uint8Array.of(1, 1, 1, 2, 1, 1),
      fateNs: times(5, 20, 30, 25, 40, 70),
      kind: Uint8Array.of(0, 1, 1, 1, 1, 1),
      cumulativeAck: Float64Array.of(Number.NaN, 0, 0, 0, 0, 0),
    },
    chunks: {
      packet: Uint32Array.of(1, 2, 3, 4, 5),
      first: Float64Array.of(0, 100, 200, 300, 200),
      bytes: Uint32Array.of(100, 100, 100, 200, 100),
      stream: new Uint32Array(5),
      message: new Uint32Array(5),
      retransmission: Uint8Array.of(0, 0, 0, 0, 1),
    },
    chunkPieces: {
      row: Uint32Array.of(0, 1, 2, 3, 4),
      object: Uint32Array.of(0, 1, 1, 1, 1),
      bytes: Uint32Array.of(100, 100, 100, 200, 100),
    },
    samples: {
      atNs: times(10, 11, 60),
      endpoint: Uint32Array.of(0, 1, 1),
      cwndBytes: Float64Array.of(100, 300, 150),
      ssthreshBytes: Float64Array.of(Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY, 150),
      flightBytes: Float64Array.of(0, 0, 300),
      srttNs: times(10, 10, 10),
      rtoNs: times(1000, 1000, 1000),
      state: Uint8Array.of(1, 1, 4),
      timeouts: Uint32Array.of(0, 0, 1),
      probes: new Uint32Array(3),
    },
    blocked: {
      endpoint: Uint32Array.of(0),
      stream: Uint32Array.of(0),
      first: Float64Array.of(300),
      bytes: Uint32Array.of(200),
      startNs: times(40),
      endNs: times(70),
    },
    blockedPieces: {row: Uint32Array.of(0), object: Uint32Array.of(1), bytes: Uint32Array.of(200)},
  };
}

function object(url: string, bytes: number, at: {readonly [key: string]: number}): TraceData['objects'][number] {
  const {discoveredNs = 0, requestNs = 0, firstByteNs = 0, completeNs = 0} = at;
  return {
    url,
    bytes,
    connection: 0,
    stream: 0,
    failedNs: null,
    failure: null,
    discoveredNs: discoveredNs * MS,
    requestNs: requestNs * MS,
    firstByteNs: firstByteNs * MS,
    completeNs: completeNs * MS,
  };
}

function times(...ms: readonly number[]): Float64Array {
  return Float64Array.from(ms, each => each * MS);
}
