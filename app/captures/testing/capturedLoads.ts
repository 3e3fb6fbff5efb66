import type {
  CapturedChunk,
  CapturedConnection,
  CapturedExchange,
  CapturedLoad,
  CapturedPacket,
  ReadCapture,
} from '../capturedLoad.ts';

// Captured loads for tests. The times in the arguments of these functions are in ms, except those in `own`: `own` has
// fields that replace fields of the result, in ns.

const MS = 1e6;

/** Returns the only load of a capture. @throws Error if the capture could not be read or has several loads */
export function onlyLoad(answer: ReadCapture): CapturedLoad {
  const [load, ...others] = loadsOf(answer);
  if (others.length > 0) throw new Error(`the capture has ${others.length + 1} loads`);
  return load;
}

/** @throws Error if the capture could not be read */
export function loadsOf(answer: ReadCapture): readonly [CapturedLoad, ...CapturedLoad[]] {
  if (!answer.ok) throw new Error(answer.message);
  return answer.loads;
}

/** Returns why a capture could not be read. @throws Error if it could be read */
export function messageOf(answer: ReadCapture): string {
  if (answer.ok) throw new Error('the capture could be read');
  return answer.message;
}

/**
 * Returns a load over one TLS connection: the HTML of 100 B, and a picture of 400 B. Bytes 100 to 199 of the picture
 * were sent again, and arrived last.
 */
export function smallLoad(): CapturedLoad {
  return {
    kind: 'pcap',
    pipeline: 'tcp',
    seenAt: 'client',
    connections: [connection()],
    exchanges: [
      exchange('https://host.example/', {at: 30, firstByte: 50, complete: 50, bytes: 100}),
      exchange('https://host.example/image.jpg', {
        at: 50,
        firstByte: 70,
        complete: 90,
        bytes: 400,
        deliveries: [
          [70, 100],
          [90, 400],
        ],
      }),
    ],
    packets: [
      packet('up', 0, {kind: 'setUp'}),
      packet('down', 10, {kind: 'setUp', cumulativeAck: 0}),
      packet('up', 30, {chunks: [chunk(0, 60, [0, 60])]}),
      packet('down', 50, {chunks: [chunk(0, 150, [0, 150])], cumulativeAck: 60}),
      packet('up', 50, {chunks: [chunk(60, 60, [1, 60])]}),
      packet('down', 70, {chunks: [chunk(150, 150, [1, 150])]}),
      packet('down', 75, {chunks: [chunk(400, 200, [1, 200])]}),
      packet('down', 90, {chunks: [{...chunk(300, 100, [1, 100]), retransmission: true}]}),
    ],
    samples: [],
    notes: [],
  };
}

export function connection(own: Partial<CapturedConnection> = {}): CapturedConnection {
  return {
    origin: 'https://host.example',
    hasTls: true,
    openNs: 0,
    connectedNs: 10 * MS,
    tlsNs: 30 * MS,
    streams: 1,
    ...own,
  };
}

interface ExchangeTimes {
  readonly at: number;
  readonly firstByte?: number;
  readonly complete?: number;
  readonly bytes?: number;
  readonly deliveries?: readonly (readonly [at: number, bytes: number])[];
}

export function exchange(url: string, times: ExchangeTimes, own: Partial<CapturedExchange> = {}): CapturedExchange {
  const {at, firstByte, complete, bytes = 0, deliveries = []} = times;
  return {
    connection: 0,
    stream: 0,
    method: 'GET',
    url,
    requestFields: [],
    responseFields: [],
    requestNs: at * MS,
    firstByteNs: firstByte === undefined ? null : firstByte * MS,
    completeNs: complete === undefined ? null : complete * MS,
    status: firstByte === undefined ? null : 200,
    requestBytes: 60,
    headerBytes: 50,
    bodyBytes: bytes,
    body: null,
    deliveries: deliveries.map(([atMs, each]) => ({atNs: atMs * MS, bytes: each})),
    initiator: null,
    priority: null,
    ...own,
  };
}

export function packet(direction: 'down' | 'up', atMs: number, own: Partial<CapturedPacket> = {}): CapturedPacket {
  const {chunks = []} = own;
  return {
    connection: 0,
    direction,
    bytes: 40 + chunks.reduce((sum, {bytes}) => sum + bytes, 0),
    atNs: atMs * MS,
    fate: null,
    ecn: 0,
    kind: chunks.length > 0 ? 'data' : 'acknowledgement',
    cumulativeAck: Number.NaN,
    chunks,
    ...own,
  };
}

export function chunk(
  first: number,
  bytes: number,
  ...pieces: readonly (readonly [exchange: number, bytes: number])[]
): CapturedChunk {
  return {
    first,
    bytes,
    stream: 0,
    message: 0,
    retransmission: false,
    pieces: pieces.map(([object, size]) => ({exchange: object, bytes: size})),
  };
}
