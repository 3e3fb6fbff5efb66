import fc from 'fast-check';
import {describe, expect, test} from 'vitest';
import {joinedBytes} from '../buffers.ts';
import type {Field} from '../hpack/field.ts';
import {QpackEncoder} from '../qpack/qpackEncoder.ts';
import type {Response} from '../response.ts';
import type {StreamPiece} from '../transports.ts';
import {H3Client} from './h3Client.ts';
import {FRAME, frame, frameHead, settingsFrame} from './h3Frame.ts';
import {controlStreamStart, H3Peer} from './h3Peer.ts';
import {H3Server} from './h3Server.ts';
import {encodeVarint} from './varint.ts';

const GET: readonly Field[] = [
  [':method', 'GET'],
  [':scheme', 'https'],
  [':path', '/1'],
];
const OK: readonly Field[] = [
  [':status', '200'],
  ['content-length', '5'],
];
const body = frame(FRAME.data, new Uint8Array(5));
/** A control stream whose SETTINGS allow no dynamic table. */
const NO_TABLE = controlStreamStart({mostFieldsBytes: 100, qpack: {tableBytes: 0, blockedStreams: 0}});

describe('a client', () => {
  test('reports head, body and end of a response that arrives in two pieces of any size', () => {
    const response = joinedBytes([heads(OK), body]);
    fc.assert(
      fc.property(fc.nat(response.length), cut => {
        const {client, reported} = asking();
        client.handleBytes(0, response.subarray(0, cut));
        client.handleBytes(0, response.subarray(cut));
        client.handleFinished(0);
        expect(reported.filter(text => text !== 'body')).toEqual(['head', 'end']);
      }),
    );
  });

  test.each<[string, Uint8Array, string]>([
    ['a body before its head', body, 'H3_FRAME_UNEXPECTED'],
    ['a frame of the control stream', frame(FRAME.goaway, Uint8Array.of(0)), 'H3_FRAME_UNEXPECTED'],
    ['a frame of HTTP/2', frame(0x8, new Uint8Array(4)), 'H3_FRAME_UNEXPECTED'],
    ['a body after trailers', joinedBytes([heads(OK), body, heads([]), body]), 'H3_FRAME_UNEXPECTED'],
    ['trailers after trailers', joinedBytes([heads(OK), body, heads([]), heads([])]), 'H3_FRAME_UNEXPECTED'],
    ['fields that use a dynamic table', frame(FRAME.headers, Uint8Array.of(0, 0, 0x80)), 'QPACK_DECOMPRESSION_FAILED'],
  ])('ends the connection for %s', (_, bytes, code) => {
    const {client, reported} = asking();
    client.handleBytes(0, bytes);
    expect(reported.at(-1)).toBe(`gone: connection ended: ${code}`);
    client.request(2, '/2');
    expect(reported.at(-1)).toBe(`gone: connection ended: ${code}`);
  });

  test.each<[string, Uint8Array, string]>([
    ['without a status', heads([['content-length', '5']]), 'H3_MESSAGE_ERROR'],
    ['whose body is longer than its content-length', joinedBytes([heads(OK), body, body]), 'H3_MESSAGE_ERROR'],
    ['whose head is too large', frameHead(FRAME.headers, 300_000), 'H3_EXCESSIVE_LOAD'],
  ])('ends the stream of a response %s, and no other stream', (_, bytes, code) => {
    const {client, reported} = asking();
    client.request(2, '/2');
    client.handleBytes(0, bytes);
    expect(reported.at(-1)).toBe(`gone: stream ended: ${code}`);
    client.handleBytes(4, joinedBytes([heads(OK), body]));
    client.handleFinished(4);
    expect(reported.at(-1)).toBe('end');
  });

  test('reports a response that ends early, within a frame or between two frames', () => {
    for (const [bytes, text] of [
      [joinedBytes([heads(OK), frameHead(FRAME.data, 5)]), 'gone: connection ended: H3_FRAME_ERROR'],
      [heads(OK), 'gone: stream ended: H3_MESSAGE_ERROR'],
    ] as const) {
      const {client, reported} = asking();
      client.handleBytes(0, bytes);
      client.handleFinished(0);
      expect(reported.at(-1)).toBe(text);
    }
    const {client, reported} = asking();
    client.handleReset(0, 0x10c);
    expect(reported.at(-1)).toBe('gone: stream reset: 0x10c');
  });

  const control = NO_TABLE;
  test.each<[string, readonly [number, Uint8Array][], string]>([
    [
      'without settings',
      [[3, joinedBytes([encodeVarint(0), frame(FRAME.goaway, Uint8Array.of(0))])]],
      'H3_MISSING_SETTINGS',
    ],
    ['with settings twice', [[3, joinedBytes([control, settingsFrame([])])]], 'H3_FRAME_UNEXPECTED'],
    ['with settings of HTTP/2', [[3, joinedBytes([encodeVarint(0), settingsFrame([[4, 1]])])]], 'H3_SETTINGS_ERROR'],
    ['with a body', [[3, joinedBytes([control, body])]], 'H3_FRAME_UNEXPECTED'],
    [
      'with a frame that is too large',
      [[3, joinedBytes([control, frameHead(FRAME.goaway, 5000)])]],
      'H3_EXCESSIVE_LOAD',
    ],
    [
      'twice',
      [
        [3, control],
        [7, control],
      ],
      'H3_STREAM_CREATION_ERROR',
    ],
    [
      'and a push stream',
      [
        [3, control],
        [7, encodeVarint(1)],
      ],
      'H3_ID_ERROR',
    ],
    [
      'with a limit of pushes',
      [[3, joinedBytes([control, frame(FRAME.maxPushId, encodeVarint(1))])]],
      'H3_FRAME_UNEXPECTED',
    ],
    [
      'and a bidirectional stream of the server',
      [
        [3, control],
        [1, body],
      ],
      'H3_STREAM_CREATION_ERROR',
    ],
  ])('ends the connection for a control stream %s', (_, streams, code) => {
    const {client, reported} = asking();
    for (const [stream, bytes] of streams) client.handleBytes(stream, bytes);
    expect(reported.at(-1)).toBe(`gone: connection ended: ${code}`);
  });

  test('accepts responses to requests before the id of GOAWAY, and sends no more requests (RFC 9114 §5.2)', () => {
    const {client, reported} = asking();
    client.request(2, '/2');
    client.handleBytes(3, joinedBytes([control, frame(FRAME.goaway, encodeVarint(4))]));
    expect(reported).toEqual(['gone: connection ended: H3_NO_ERROR']);
    client.request(3, '/3');
    expect(reported.splice(0)).toEqual(Array(2).fill('gone: connection ended: H3_NO_ERROR'));
    client.handleBytes(0, joinedBytes([heads(OK), body]));
    client.handleFinished(0);
    expect(reported.filter(text => text !== 'body')).toEqual(['head', 'end']);
  });

  test.each<[string, readonly Uint8Array[], string]>([
    ['a GOAWAY that names no request', [frame(FRAME.goaway, encodeVarint(3))], 'H3_ID_ERROR'],
    ['a GOAWAY with a larger id than before', [4, 8].map(id => frame(FRAME.goaway, encodeVarint(id))), 'H3_ID_ERROR'],
    ['a GOAWAY that ends early', [frame(FRAME.goaway, new Uint8Array(0))], 'H3_FRAME_ERROR'],
  ])('ends the connection for %s', (_, frames, code) => {
    const {client, reported} = asking();
    client.handleBytes(3, joinedBytes([control, ...frames]));
    expect(reported.at(-1)).toBe(`gone: connection ended: ${code}`);
  });

  test('reports a response only when the table entries of its head have arrived', () => {
    const [entries, head] = [
      fromHex('02' + '3fe11f' + '41610176'),
      frame(FRAME.headers, fromHex('0200d980' + '540135')),
    ];
    const response = joinedBytes([head, body]);
    fc.assert(
      fc.property(fc.nat(response.length), fc.nat(entries.length), (cut, cutEntries) => {
        const {client, reported} = asking();
        client.handleBytes(7, entries.subarray(0, cutEntries));
        client.handleBytes(0, response.subarray(0, cut));
        client.handleBytes(0, response.subarray(cut));
        client.handleFinished(0);
        if (cutEntries < entries.length) expect(reported).toEqual([]);
        client.handleBytes(7, entries.subarray(cutEntries));
        expect(reported.filter(text => text !== 'body')).toEqual(['head', 'end']);
        // The decoder's stream has a type, and acknowledges the section of stream 0.
        expect(piecesOf(client).at(-1)).toMatch(/^6: 03(01)?80$/);
      }),
    );
  });

  test('reports the end of a response with blocked trailers only when the table entries have arrived', () => {
    const {client, reported} = asking();
    client.handleBytes(0, joinedBytes([heads(OK), body, frame(FRAME.headers, fromHex('020080'))]));
    client.handleFinished(0);
    expect(reported).toEqual(['head', 'body']);
    client.handleBytes(7, fromHex('02' + '3fe11f' + '41610176'));
    expect(reported).toEqual(['head', 'body', 'end']);
  });

  test('cancels a stream that is reset while its head is blocked (RFC 9204 §2.2.2.2)', () => {
    const {client, reported} = asking();
    client.handleBytes(7, fromHex('02' + '3fe11f' + '41610176'));
    client.handleBytes(0, frame(FRAME.headers, fromHex('030080')));
    client.handleReset(0, 0x10c);
    client.handleBytes(7, fromHex('41620176'));
    expect(reported).toEqual(['gone: stream reset: 0x10c']);
    expect(piecesOf(client).at(-1)).toBe('6: 034002');
  });

  test.each<[string, readonly [number, string][], string]>([
    ['entries that are too large', [[7, '02' + '3fffffff7f']], 'QPACK_ENCODER_STREAM_ERROR'],
    ['an acknowledgement of nothing', [[7, '0380']], 'QPACK_DECODER_STREAM_ERROR'],
    [
      'a second encoder stream',
      [
        [7, '02'],
        [11, '02'],
      ],
      'H3_STREAM_CREATION_ERROR',
    ],
    [
      'a second decoder stream',
      [
        [7, '03'],
        [11, '03'],
      ],
      'H3_STREAM_CREATION_ERROR',
    ],
  ])('ends the connection for %s', (_, streams, code) => {
    const {client, reported} = asking();
    for (const [stream, hex] of streams) client.handleBytes(stream, fromHex(hex));
    expect(reported.at(-1)).toBe(`gone: connection ended: ${code}`);
  });

  test('ends the connection if the control stream ends, and ignores streams of unknown types', () => {
    const {client, reported} = asking();
    client.handleBytes(7, joinedBytes([encodeVarint(0x21), new Uint8Array(50)]));
    client.handleFinished(7);
    for (const byte of control) client.handleBytes(3, Uint8Array.of(byte));
    expect(reported).toEqual([]);
    client.handleFinished(3);
    expect(reported).toEqual(['gone: connection ended: H3_CLOSED_CRITICAL_STREAM']);
  });

  test('does not throw for arbitrary bytes on arbitrary streams', () => {
    const bytes = fc.oneof(fc.uint8Array({maxLength: 40}), fc.constantFrom(control, heads(OK), body));
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.nat(12), bytes)), streams => {
        const {client} = asking();
        const server = serving();
        for (const [stream, part] of streams) {
          client.handleBytes(stream, part);
          server.handleBytes(stream, part, 0);
        }
        for (let stream = 0; stream < 12; stream++) {
          client.handleFinished(stream);
          server.handleFinished(stream, 0);
        }
      }),
    );
  });
});

describe('a server', () => {
  test('holds requests that refer to a dynamic table until the entries of the table have arrived', () => {
    const {client} = asking();
    const server = serving();
    for (const piece of pollAll(() => server.pollFrames(0))) client.handleBytes(piece.stream, piece.bytes);
    for (let i = 2; i < 9; i++) client.request(i, `/${i}`);
    const pieces = pollAll(() => client.poll()).filter(({stream}) => stream !== 0);
    const ofStream = (wanted: boolean) => pieces.filter(({stream}) => (stream % 4 === 2) === wanted);
    for (const {stream, bytes} of ofStream(false)) server.handleBytes(stream, bytes, 0);
    expect(server.waiting).toBe(0);
    expect(server.headBytes).toBeGreaterThan(0);
    for (const {stream, bytes} of ofStream(true)) server.handleBytes(stream, bytes, 0);
    expect(server.waiting).toBe(7);
    expect(server.headBytes).toBe(0);
  });

  test('answers a request only once, even if more frames follow on its stream', () => {
    const server = serving();
    server.handleBytes(0, heads(GET), 0);
    expect(answersOf(server)).toEqual(['3', '0', '0 end']);
    server.handleBytes(0, joinedBytes([frame(FRAME.data, new Uint8Array(3)), heads([])]), 0);
    server.handleFinished(0, 0);
    expect(answersOf(server)).toEqual([]);
  });

  test('reports the number of bytes of incomplete heads on all streams', () => {
    const server = serving();
    const head = heads(GET);
    for (const stream of [0, 4]) server.handleBytes(stream, head.subarray(0, head.length - 1), 0);
    expect(server.headBytes).toBe(2 * (head.length - 1));
    for (const stream of [0, 4]) server.handleBytes(stream, head.subarray(-1), 0);
    expect(server.headBytes).toBe(0);
  });

  test('answers HEAD like GET, but without the body', () => {
    const server = serving();
    server.handleBytes(0, heads([[':method', 'HEAD'], ...GET.slice(1)]), 0);
    expect(answersOf(server)).toEqual(['3', '0 end']);
  });

  test('observes a PRIORITY_UPDATE', () => {
    const server = serving();
    server.handleBytes(2, NO_TABLE, 0);
    for (const stream of [0, 4]) server.handleBytes(stream, heads(GET), 0);
    const update = joinedBytes([encodeVarint(4), Uint8Array.from('u=0', letter => letter.charCodeAt(0))]);
    server.handleBytes(2, frame(FRAME.priorityUpdate, update), 0);
    expect(answersOf(server).filter(text => text.endsWith('end'))).toEqual(['4 end', '0 end']);
  });

  test('observes a PRIORITY_UPDATE that arrives before its request (RFC 9218 §7)', () => {
    const server = serving();
    const update = joinedBytes([encodeVarint(4), Uint8Array.from('u=0', letter => letter.charCodeAt(0))]);
    server.handleBytes(2, joinedBytes([NO_TABLE, frame(FRAME.priorityUpdate, update)]), 0);
    for (const stream of [0, 4]) server.handleBytes(stream, heads([...GET, ['priority', 'u=6']]), 0);
    expect(answersOf(server).filter(text => text.endsWith('end'))).toEqual(['4 end', '0 end']);
  });

  test('names in a GOAWAY the first request that it does not answer (RFC 9114 §5.2)', () => {
    const server = serving();
    for (const stream of [0, 8]) server.handleBytes(stream, heads(GET), 0);
    server.goAway();
    server.goAway();
    for (const stream of [4, 12]) server.handleBytes(stream, heads(GET), 0);
    const pieces = pollAll(() => server.pollFrames(0));
    const [goaway, ...more] = pieces.filter(({stream, bytes}) => stream === 3 && bytes[0] === FRAME.goaway);
    expect([goaway?.bytes, more]).toEqual([frame(FRAME.goaway, encodeVarint(12)), []]);
    expect(pieces.filter(({stream}) => stream % 4 === 0).map(({stream}) => stream)).toEqual([0, 8, 4]);
  });

  test('accepts a limit of pushes, and ends the connection for a push stream (RFC 9114 §6.2.2)', () => {
    const codes: string[] = [];
    const unused = () => {};
    const peer = new H3Peer(
      {
        handleFields: unused,
        handleData: unused,
        handleEnd: unused,
        handlePriority: unused,
        handleGoaway: unused,
        handleBadStream: unused,
        handleBroken: ({code}) => codes.push(code),
      },
      {role: 'server', mostFieldsBytes: 100, qpack: {tableBytes: 0, blockedStreams: 0}, mostTableBytes: 0},
    );
    peer.handleBytes(2, joinedBytes([NO_TABLE, frame(FRAME.maxPushId, encodeVarint(1))]));
    expect(codes).toEqual([]);
    peer.handleBytes(6, encodeVarint(1));
    expect(codes).toEqual(['H3_STREAM_CREATION_ERROR']);
  });

  test('does not answer invalid requests', () => {
    const server = serving();
    server.handleBytes(0, heads([[':method', 'GET']]), 0);
    server.handleBytes(4, heads([...GET, ['Upper', 'case']]), 0);
    expect(answersOf(server)).toEqual(['3']);
  });
});

/** Returns a client that has requested one object on stream 0, and a list of its response events. */
function asking() {
  const reported: string[] = [];
  const client = new H3Client({
    requestBytes: 0,
    scheduler: 'round-robin',
    onResponse: (_, event) => reported.push(event.type === 'gone' ? `gone: ${event.reason}` : event.type),
  });
  client.request(1, '/1');
  return {client, reported};
}

function serving(): H3Server {
  const rest = {object: 1, status: 200, statusText: 'OK', contentType: 'a/b', headerBytes: 0};
  const respond = (): Response => ({...rest, body: new Uint8Array(10)});
  return new H3Server({respond, thinkNs: 0, scheduler: 'first-come', qpackTableBytes: 4096});
}

/** Returns the pieces that a client writes, as `stream: hexadecimal bytes`. */
function piecesOf(client: H3Client): readonly string[] {
  return pollAll(() => client.poll()).map(
    ({stream, bytes}) => `${stream}: ${Array.from(bytes, byte => byte.toString(16).padStart(2, '0')).join('')}`,
  );
}

function pollAll(poll: () => StreamPiece | undefined): readonly StreamPiece[] {
  const pieces: StreamPiece[] = [];
  for (let piece = poll(); piece !== undefined; piece = poll()) pieces.push(piece);
  return pieces;
}

function answersOf(server: H3Server): string[] {
  const texts: string[] = [];
  for (let next = server.pollFrames(0) ?? server.pollData(); next; next = server.pollFrames(0) ?? server.pollData()) {
    texts.push(`${next.stream}${next.isEnd ? ' end' : ''}`);
  }
  return texts;
}

function heads(fields: readonly Field[]): Uint8Array {
  return frame(FRAME.headers, new QpackEncoder(0).encode(0, fields));
}

function fromHex(hex: string): Uint8Array {
  return Uint8Array.from(hex.match(/../g) ?? [], byte => Number.parseInt(byte, 16));
}
