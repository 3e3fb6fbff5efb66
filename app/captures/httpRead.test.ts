import {describe, expect, test} from 'vitest';
import {bytesOf, latin1} from '../base/bytes.ts';
import {joinedBytes} from '../http/buffers.ts';
import {encodeFrame, encodeHeaders, FLAG, FRAME, PREFACE} from '../http/h2/h2Frame.ts';
import {HpackEncoder} from '../http/hpack/hpackEncoder.ts';
import {Heard} from './heard.ts';
import {isHttp1, readHttp1} from './http1Read.ts';
import {readHttp2} from './http2Read.ts';
import type {HttpRead} from './httpRead.ts';
import {NO_CRYPTO} from './testing/wire.ts';

const PLACE = {scheme: 'https', host: 'named.test'} as const;

/** Bytes that arrive in pieces of `size`: piece i is sent at i ms, and can be read at 100 + i ms. */
function heard(content: string | Uint8Array, size = 7, endNs?: number | null): Heard {
  const bytes = typeof content === 'string' ? bytesOf(content) : content;
  const spans = Array.from({length: Math.ceil(bytes.length / size)}, (_, i) => {
    const at = i * size;
    return {at: 1000 + at, bytes: bytes.subarray(at, at + size), sentNs: i, readNs: 100 + i};
  });
  return new Heard(spans, endNs);
}

test('a body keeps nothing else of the file in memory', () => {
  const up = heard('GET / HTTP/1.1\r\nhost: h.test\r\n\r\n');
  const down = heard('HTTP/1.1 200 OK\r\ncontent-length: 26\r\n\r\nabcdefghijklmnopqrstuvwxyz');
  const body = readHttp1(up, down, PLACE, NO_CRYPTO).exchanges[0]?.body;
  expect([body?.length, body?.buffer.byteLength]).toEqual([26, 26]);
});

describe('HTTP/1.1', () => {
  const get = (path: string, method = 'GET'): string => `${method} ${path} HTTP/1.1\r\nHost: h.test\r\n\r\n`;
  const http1 = (up: string, down: string): HttpRead => readHttp1(heard(up), heard(down), PLACE, NO_CRYPTO);
  const row = ({exchanges}: HttpRead) =>
    exchanges.map(({url, status, body, completeNs}) => [
      new URL(url).pathname,
      status,
      body && latin1(body),
      completeNs !== null,
    ]);

  test('has pipelined responses in the order of their requests', () => {
    const ok = (body: string): string => `HTTP/1.1 200 OK\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
    const read = http1(get('/a') + get('/b') + get('/c'), ok('first') + ok('') + ok('third'));
    expect(row(read)).toEqual([
      ['/a', 200, 'first', true],
      ['/b', 200, '', true],
      ['/c', 200, 'third', true],
    ]);
    expect(read.exchanges.map(({url}) => url)).toContain('https://h.test/a');
    expect(read.up.map(({exchange}) => exchange)).toEqual([0, 1, 2]);
  });

  test('has interim responses, and no body for HEAD, 204 and 304', () => {
    const read = http1(
      get('/a') + get('/b', 'HEAD') + get('/c') + get('/d'),
      'HTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi' +
        'HTTP/1.1 200 OK\r\nContent-Length: 99\r\n\r\n' +
        'HTTP/1.1 204 No Content\r\n\r\nHTTP/1.1 304 Not Modified\r\nContent-Length: 9\r\n\r\n',
    );
    expect(row(read)).toEqual([
      ['/a', 200, 'hi', true],
      ['/b', 200, '', true],
      ['/c', 204, '', true],
      ['/d', 304, '', true],
    ]);
    expect(read.exchanges[0]?.headerBytes).toBe(
      'HTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n'.length,
    );
  });

  test('has chunked bodies with extensions and trailers, of requests too', () => {
    const chunked = '3;x=1\r\nabc\r\nA\r\n0123456789\r\n0\r\nDigest: 1\r\n\r\n';
    const read = http1(
      `POST /a HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n${chunked}${get('/b')}`,
      `HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n${chunked}HTTP/1.1 404 Not Found\r\nContent-Length: 1\r\n\r\nx`,
    );
    expect(row(read)).toEqual([
      ['/a', 200, 'abc0123456789', true],
      ['/b', 404, 'x', true],
    ]);
    expect(read.exchanges[0]).toMatchObject({bodyBytes: 13, url: 'https://named.test/a'});
  });

  test('ends a body without a length at the end of the connection', () => {
    const up = heard(get('/a') + get('/b'));
    const read = (endNs?: number | null) =>
      readHttp1(up, heard('HTTP/1.0 200 OK\r\n\r\nto the end', 7, endNs), PLACE, NO_CRYPTO);
    const none = ['/b', null, null, false];
    expect(row(read(999))).toEqual([['/a', 200, 'to the end', true], none]);
    expect(read(999).exchanges[0]?.completeNs).toBe(999);
    // the end was sent, but the capture does not show that it arrived
    expect(row(read(null))).toEqual([['/a', 200, 'to the end', false], none]);
    // the capture may end in the middle of the body
    expect(row(read())).toEqual([['/a', 200, null, false], none]);
  });

  test('has no complete response if its end is missing', () => {
    for (const end of ['Content-Length: 9\r\n\r\nabc', 'Transfer-Encoding: chunked\r\n\r\n9\r\nabc']) {
      expect(row(http1(get('/a'), `HTTP/1.1 200 OK\r\n${end}`))).toEqual([['/a', 200, null, false]]);
    }
    expect(row(http1(get('/a'), 'HTTP/1.1 200 OK\r\nContent-'))).toEqual([['/a', null, null, false]]);
  });

  test('gives the times at which parts of a body could be read', () => {
    const down = 'HTTP/1.1 200 OK\r\nContent-Length: 20\r\n\r\n01234567890123456789';
    const [exchange] = http1(get('/a'), down).exchanges;
    const head = down.indexOf('0123');
    expect(exchange).toMatchObject({requestNs: 0, firstByteNs: 100 + Math.floor((head - 1) / 7)});
    expect(exchange?.deliveries).toEqual(
      [42, 49, 56, down.length].map(end => ({atNs: 100 + Math.floor((end - 1) / 7), bytes: end - head})),
    );
  });

  test('begins with a request of HTTP/1', () => {
    expect(isHttp1(bytesOf(get('/a')))).toBe(true);
    for (const other of ['', 'GET /', 'GET / HTTP/2.0\r\n', '\x16\x03\x01 x HTTP/1.1\r\n'])
      expect(isHttp1(bytesOf(other))).toBe(false);
  });
});

describe('HTTP/2', () => {
  const request = (path: string): readonly (readonly [string, string])[] => [
    [':method', 'GET'],
    [':scheme', 'https'],
    [':authority', 'h.test'],
    [':path', path],
    ['x-long', 'value'.repeat(30)],
  ];
  const settings = encodeFrame(FRAME.settings, 0, 0, new Uint8Array(0));
  const data = (stream: number, text: string, flags = 0): Uint8Array =>
    encodeFrame(FRAME.data, flags, stream, bytesOf(text));

  /** Reads frames of the client and the server. */
  function http2(
    up: (encoder: HpackEncoder) => readonly Uint8Array[],
    down: (encoder: HpackEncoder) => readonly Uint8Array[],
  ) {
    const client = joinedBytes([PREFACE, settings, ...up(new HpackEncoder())]);
    return readHttp2(heard(client), heard(joinedBytes([settings, ...down(new HpackEncoder())])), PLACE, NO_CRYPTO);
  }

  const get = (encoder: HpackEncoder, stream: number, path: string): Uint8Array =>
    encodeHeaders(stream, encoder.encode(request(path)), true, 16_384);
  const answer = (encoder: HpackEncoder, stream: number, status = '200', isEnd = false): Uint8Array =>
    encodeHeaders(
      stream,
      encoder.encode([
        [':status', status],
        ['x-name', `of ${stream}`],
      ]),
      isEnd,
      16_384,
    );
  const row = ({exchanges}: HttpRead) =>
    exchanges.map(({stream, url, status, body, completeNs}) => [
      stream,
      new URL(url).pathname,
      status,
      body && latin1(body),
      completeNs !== null,
    ]);

  test('has interleaved responses, whose fields refer to earlier fields', () => {
    const read = http2(
      encoder => [get(encoder, 1, '/a'), get(encoder, 3, '/b')],
      encoder => [
        answer(encoder, 3),
        data(3, 'three '),
        answer(encoder, 1),
        data(1, 'one', FLAG.endStream),
        data(3, 'again', FLAG.endStream),
      ],
    );
    expect(row(read)).toEqual([
      [1, '/a', 200, 'one', true],
      [3, '/b', 200, 'three again', true],
    ]);
    expect(read.exchanges.map(({responseFields}) => responseFields)).toEqual([
      [['x-name', 'of 1']],
      [['x-name', 'of 3']],
    ]);
    expect(read.exchanges[1]?.requestFields).toEqual([['x-long', 'value'.repeat(30)]]);
  });

  test('has padding, priorities, CONTINUATION and trailers', () => {
    const padded = (type: number, flags: number, stream: number, payload: Uint8Array): Uint8Array =>
      encodeFrame(type, flags | FLAG.padded, stream, joinedBytes([Uint8Array.of(4), payload, new Uint8Array(4)]));
    const priority = Uint8Array.of(0, 0, 0, 0, 9);
    const read = http2(
      encoder => {
        const block = joinedBytes([priority, encoder.encode(request('/a'))]);
        const flags = FLAG.endStream | FLAG.endHeaders | FLAG.priority;
        return [
          padded(FRAME.headers, flags, 1, block),
          encodeHeaders(3, encoder.encode(request('/b')), true, 20),
          get(encoder, 5, '/c'),
        ];
      },
      encoder => [
        answer(encoder, 1, '103'),
        answer(encoder, 1),
        padded(FRAME.data, 0, 1, bytesOf('padded')),
        answer(encoder, 3),
        data(3, 'b', FLAG.endStream),
        encodeHeaders(1, encoder.encode([['x-trailer', '1']]), true, 16_384),
      ],
    );
    expect(row(read)).toEqual([
      [1, '/a', 200, 'padded', true],
      [3, '/b', 200, 'b', true],
      [5, '/c', null, null, false],
    ]);
    expect(read.exchanges[0]?.responseFields).toEqual([['x-name', 'of 1']]);
  });

  test('leaves out pushed responses, but reads their fields', () => {
    const read = http2(
      encoder => [get(encoder, 1, '/a')],
      encoder => [
        encodeFrame(
          FRAME.pushPromise,
          FLAG.endHeaders,
          1,
          joinedBytes([Uint8Array.of(0, 0, 0, 2), encoder.encode([...request('/pushed'), ['x-name', 'of 1']])]),
        ),
        answer(encoder, 2),
        data(2, 'pushed', FLAG.endStream),
        answer(encoder, 1),
        data(1, 'asked', FLAG.endStream),
      ],
    );
    expect(row(read)).toEqual([[1, '/a', 200, 'asked', true]]);
    expect(read.exchanges[0]?.responseFields).toEqual([['x-name', 'of 1']]);
  });

  test('has bodies without the codings that any of the content-encoding lines names', () => {
    const halved = {...NO_CRYPTO, decode: (_: string, body: Uint8Array) => body.filter((_, i) => i % 2 === 0)};
    const coded = ['half, identity', 'half'].map(value => ['content-encoding', value] as const);
    const up = joinedBytes([PREFACE, settings, get(new HpackEncoder(), 1, '/a')]);
    const head = encodeHeaders(1, new HpackEncoder().encode([[':status', '200'], ...coded]), false, 16_384);
    const down = joinedBytes([settings, head, data(1, '0123', 0), data(1, '4567', FLAG.endStream)]);
    const [exchange] = readHttp2(heard(up), heard(down), PLACE, halved).exchanges;
    expect(exchange).toMatchObject({bodyBytes: 8, body: bytesOf('04')});
  });

  test('has no complete response if the stream was reset', () => {
    const reset = encodeFrame(FRAME.rstStream, 0, 1, new Uint8Array(4));
    const read = http2(
      encoder => [get(encoder, 1, '/a')],
      encoder => [answer(encoder, 1), data(1, 'part'), reset],
    );
    expect(row(read)).toEqual([[1, '/a', 200, null, false]]);
    expect(read.exchanges[0]?.bodyBytes).toBe(4);
  });

  test('a frame about a stream belongs to the request of the stream, and a frame about the connection to none', () => {
    const update = (stream: number): Uint8Array =>
      encodeFrame(FRAME.windowUpdate, 0, stream, Uint8Array.of(0, 0, 1, 0));
    const priority = encodeFrame(FRAME.priorityUpdate, 0, 0, joinedBytes([Uint8Array.of(0, 0, 0, 1), bytesOf('u=1')]));
    const read = http2(
      encoder => [get(encoder, 1, '/a'), update(0), update(1), priority],
      encoder => [answer(encoder, 1), update(0), data(1, 'x', FLAG.endStream)],
    );
    const sizes = ({list}: {list: HttpRead['up']}) =>
      list.map(({end, exchange}, i) => [end - (list[i - 1]?.end ?? 0), exchange]);
    expect(sizes({list: read.up}).slice(-3)).toEqual([
      [13, null],
      [13, 0],
      [16, 0],
    ]);
    expect(sizes({list: read.down}).slice(-2)).toEqual([
      [13, null],
      [10, 0],
    ]);
  });

  test('ends with a note where fields break the rules', () => {
    const read = http2(
      encoder => [get(encoder, 1, '/a'), encodeHeaders(3, Uint8Array.of(0xff, 0xff), true, 99), get(encoder, 5, '/c')],
      encoder => [answer(encoder, 1), data(1, 'x', FLAG.endStream)],
    );
    expect(row(read)).toEqual([[1, '/a', 200, 'x', true]]);
    expect(read.notes).toEqual([
      'The fields of an HTTP/2 connection could not be read after 2 frames: the block ends early.',
    ]);
  });
});

test('the overhead of TLS records belongs to no exchange, and each byte of their content to its exchange', () => {
  const spans = [5, 25, 40].map((at, i) => ({at, bytes: new Uint8Array(10), sentNs: i, readNs: i}));
  const log = new Heard(spans).logOf([
    {end: 4, exchange: null},
    {end: 15, exchange: 0},
    {end: 22, exchange: 1},
  ]);
  expect(log.piecesOf({first: 0, bytes: 60, stream: 0, message: 0})).toEqual([
    {object: 0, bytes: 6},
    {object: 0, bytes: 5},
    {object: 1, bytes: 5},
    {object: 1, bytes: 2},
  ]);
});
