import {expect, test} from 'vitest';
import {joinedBytes} from '../../http/buffers.ts';
import {FRAME, frame, settingsFrame} from '../../http/h3/h3Frame.ts';
import type {Field} from '../../http/hpack/field.ts';
import {QpackEncoder} from '../../http/qpack/qpackEncoder.ts';
import type {CaptureCrypto} from '../capturedLoad.ts';
import type {SentPiece} from './arrivals.ts';
import {http3Exchanges, type SentData} from './http3Exchanges.ts';

/**
 * Only `decode` is used here. It removes the coding `twice`, which doubles each byte, and `begun`, which adds two bytes
 * at the beginning.
 */
const crypto: CaptureCrypto = {
  hkdfExpand: () => new Uint8Array(),
  hkdfExtract: () => new Uint8Array(),
  open: () => undefined,
  headerMask: () => new Uint8Array(),
  decode: (coding, body) => {
    if (coding === 'begun') return body.subarray(2);
    return coding === 'twice' ? body.filter((_, i) => i % 2 === 0) : undefined;
  },
};

const REQUEST: readonly Field[] = [
  [':method', 'GET'],
  [':scheme', 'https'],
  [':authority', 'a.test'],
  [':path', '/x'],
];

function fields(lines: readonly Field[]): Uint8Array {
  return frame(FRAME.headers, new QpackEncoder(0).encode(0, lines));
}

/** The streams of an end, sent in pieces: the time, the stream, the offset and the number of bytes of each. */
function sent(
  streams: ReadonlyMap<number, Uint8Array>,
  pieces?: readonly (readonly [ms: number, stream: number, first: number, bytes: number])[],
): SentData {
  const all = pieces ?? [...streams].map(([stream, {length}]) => [1, stream, 0, length] as const);
  const read = all.map(
    ([ms, stream, first, bytes]): SentPiece => ({
      atNs: ms * 1e6,
      stream,
      first,
      bytes,
      isEnd: first + bytes === streams.get(stream)?.length,
    }),
  );
  return {whole: streams, pieces: read, sentNs: new Map(read.toReversed().map(({stream, atNs}) => [stream, atNs]))};
}

const UP = sent(new Map([[0, fields(REQUEST)]]));
const body = (bytes: number) => frame(FRAME.data, new Uint8Array(bytes).fill(7));

function answered(response: readonly Uint8Array[], pieces?: readonly (readonly [number, number, number, number])[]) {
  const down = sent(new Map([[0, joinedBytes([...response])]]), pieces);
  return http3Exchanges({up: UP, down}, crypto).exchanges[0];
}

test('a body is readable as far as it has arrived without a gap', () => {
  const head = fields([[':status', '200']]);
  const [h, d] = [head.length, 2];
  const exchange = answered(
    [head, body(40), body(20)],
    [
      [10, 0, 0, h - 1],
      [11, 0, h + d + 10, 30],
      [12, 0, h - 1, 1 + d + 5],
      [13, 0, h + d + 5, 5],
      [14, 0, h + d + 40, d + 20],
    ],
  );
  expect(exchange).toMatchObject({firstByteNs: 12e6, completeNs: 14e6, status: 200, headerBytes: h, bodyBytes: 60});
  expect(exchange?.deliveries).toEqual([
    {atNs: 12e6, bytes: 5},
    {atNs: 13e6, bytes: 40},
    {atNs: 14e6, bytes: 60},
  ]);
  expect(exchange?.body?.length).toBe(60);
});

test('interim responses precede the response, and trailers are not fields of it', () => {
  const response = [
    fields([
      [':status', '103'],
      ['link', 'x'],
    ]),
    fields([
      [':status', '204'],
      ['a', 'b'],
    ]),
    body(3),
    fields([['t', 'u']]),
  ];
  expect(answered(response)).toMatchObject({
    status: 204,
    responseFields: [['a', 'b']],
    headerBytes: (response[0]?.length ?? 0) + (response[1]?.length ?? 0),
    bodyBytes: 3,
  });
});

test('a body is kept without its codings, and no body is kept if a coding is unknown or there are too many', () => {
  const coded = (coding: string) =>
    answered([
      fields([
        [':status', '200'],
        ['content-encoding', coding],
      ]),
      body(8),
    ]);
  expect(coded('twice')).toMatchObject({bodyBytes: 8, body: new Uint8Array(4).fill(7)});
  expect(coded('twice, Twice')?.body?.length).toBe(2);
  expect(coded('identity')?.body?.length).toBe(8);
  expect(coded('other')).toMatchObject({bodyBytes: 8, body: null});
  expect(coded('twice, twice, twice, twice, twice')?.body).toBeNull();
});

test('codings are removed in the opposite order', () => {
  const decoded = (coding: string, ...coded: readonly number[]) => {
    const head = fields([
      [':status', '200'],
      ['content-encoding', coding],
    ]);
    return answered([head, frame(FRAME.data, Uint8Array.from(coded))])?.body;
  };
  expect(decoded('twice, begun', 9, 9, 1, 1, 2, 2)).toEqual(Uint8Array.of(1, 2));
  expect(decoded('begun, twice', 9, 9, 9, 9, 1, 1, 2, 2)).toEqual(Uint8Array.of(1, 2));
});

test('a response without a body keeps its header if trailers follow', () => {
  expect(answered([fields([[':status', '200']]), fields([['t', 'u']])])).toMatchObject({
    status: 200,
    responseFields: [],
  });
});

test('the head of a DATA frame is no part of the body', () => {
  const head = fields([[':status', '200']]);
  const pieces = [
    [10, 0, 0, head.length],
    [11, 0, head.length, 2],
    [12, 0, head.length + 2, 40],
  ] as const;
  expect(answered([head, body(40)], pieces)?.deliveries).toEqual([{atNs: 12e6, bytes: 40}]);
});

test('parts that become readable at the same time are one delivery', () => {
  const head = fields([[':status', '200']]);
  const exchange = answered(
    [head, body(40)],
    [
      [10, 0, 0, head.length + 12],
      [10, 0, head.length + 12, 10],
      [11, 0, head.length + 22, 20],
    ],
  );
  expect(exchange?.deliveries).toEqual([
    {atNs: 10e6, bytes: 20},
    {atNs: 11e6, bytes: 40},
  ]);
});

test('a response that is cut has no body and no end', () => {
  const head = fields([[':status', '200']]);
  const exchange = answered([head, body(40)], [[10, 0, 0, head.length + 12]]);
  expect(exchange).toMatchObject({
    firstByteNs: 10e6,
    completeNs: null,
    body: null,
    deliveries: [{atNs: 10e6, bytes: 10}],
  });
});

test('a request without a response has neither a status nor times of a response', () => {
  const down = sent(new Map());
  expect(http3Exchanges({up: UP, down}, crypto).exchanges).toMatchObject([
    {
      url: 'https://a.test/x',
      method: 'GET',
      status: null,
      firstByteNs: null,
      completeNs: null,
      bodyBytes: 0,
      body: null,
    },
  ]);
});

test('a response whose header refers to the dynamic table waits for the entries', () => {
  const settings = {tableBytes: 4096, blockedStreams: 16};
  const encoder = new QpackEncoder(4096);
  encoder.handleSettings(settings);
  const section = encoder.encode(0, [
    [':status', '200'],
    ['x-long-name', 'a value that is not in the table'],
  ]);
  const instructions = encoder.takeInstructions() ?? new Uint8Array();
  expect(instructions.length).toBeGreaterThan(10);
  const response = joinedBytes([frame(FRAME.headers, section), body(4)]);
  const encoderStream = joinedBytes([Uint8Array.of(2), instructions]);
  const control = joinedBytes([
    Uint8Array.of(0),
    settingsFrame([
      [1, settings.tableBytes],
      [7, settings.blockedStreams],
    ]),
  ]);
  const up = sent(
    new Map([
      [0, fields(REQUEST)],
      [2, control],
    ]),
  );
  const down = sent(
    new Map([
      [0, response],
      [7, encoderStream],
    ]),
    [
      [10, 0, 0, response.length],
      [15, 7, 0, 5],
      [20, 7, 5, encoderStream.length - 5],
    ],
  );
  const [exchange] = http3Exchanges({up, down}, crypto).exchanges;
  expect(exchange).toMatchObject({
    status: 200,
    firstByteNs: 20e6,
    completeNs: 20e6,
    deliveries: [{atNs: 20e6, bytes: 4}],
  });
  expect(exchange?.responseFields).toEqual([['x-long-name', 'a value that is not in the table']]);
});

test('requests are in order of time, and streams that are not requests are left out', () => {
  const up = sent(
    new Map([
      [4, fields(REQUEST)],
      [0, fields(REQUEST)],
      [8, body(3)],
      [1, fields(REQUEST)],
      [6, Uint8Array.of(0)],
    ]),
    [
      [5, 4, 0, 9],
      [3, 0, 0, 9],
      [1, 8, 0, 9],
      [1, 1, 0, 9],
      [1, 6, 0, 1],
    ],
  );
  expect(http3Exchanges({up, down: sent(new Map())}, crypto).exchanges.map(({stream}) => stream)).toEqual([0, 4]);
});

test('a connection with very many frames is not read, and a note says so', () => {
  const down = sent(new Map([[0, new Uint8Array(2_000_010)]]));
  expect(http3Exchanges({up: UP, down}, crypto)).toEqual({
    exchanges: [],
    notes: ['A connection has more than 1000000 HTTP/3 frames, so its requests were not read.'],
  });
});
