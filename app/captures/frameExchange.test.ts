import {describe, expect, test} from 'vitest';
import {bytesOf, latin1} from '../base/bytes.ts';
import type {Frame} from '../http/datagrams/datagramFrame.ts';
import {encodeDatagramRequest} from '../http/datagrams/datagramRequest.ts';
import {encodePieces} from '../http/datagrams/htmlFramePieces.ts';
import {frameExchange} from './frameExchange.ts';
import type {ArrivedFrame} from './framePipe.ts';
import {NO_CRYPTO} from './testing/wire.ts';

const HEAD = 'HTTP/1.1 200 OK\r\nContent-Length: 12\r\n\r\n';
const BODY = '<p>text</p>!';

function read(
  frames: readonly ArrivedFrame[],
  ranges: {readonly first: number; readonly last: number}[] | null = null,
) {
  const asked = {url: '/a', request: 0, datagram: 0, ranges, rttUs: null};
  const found = frameExchange({asked, bytes: encodeDatagramRequest(asked, 200), sentNs: 5}, frames, NO_CRYPTO);
  if (found === undefined) throw new Error('no exchange');
  return {...found, body: found.exchange.body && latin1(found.exchange.body)};
}

const arrived = (own: Partial<Frame>, payload: string | Uint8Array, readNs: number | null): ArrivedFrame => ({
  frame: {
    request: 0,
    index: 0,
    frames: 3,
    answers: null,
    abstractFrames: 0,
    continues: false,
    payload: typeof payload === 'string' ? bytesOf(payload) : payload,
    ...own,
  },
  sentNs: 10,
  readNs,
});

const WHOLE = HEAD + BODY;
const [FIRST, SECOND, THIRD] = [
  arrived({index: 0}, WHOLE.slice(0, 42), 20),
  arrived({index: 1}, WHOLE.slice(42, 46), 40),
  arrived({index: 2}, WHOLE.slice(46), 30),
];

test('frames are put in sequence, and each can be read when all frames before it have arrived', () => {
  const {exchange, body} = read([FIRST, THIRD, SECOND]);
  expect(body).toBe(BODY);
  const known = {url: 'http://page.test/a', status: 200, requestNs: 5, requestBytes: 200, headerBytes: HEAD.length};
  expect(exchange).toMatchObject({...known, firstByteNs: 20, completeNs: 40, bodyBytes: 12});
  expect(exchange.deliveries).toEqual([
    {atNs: 20, bytes: 42 - HEAD.length},
    {atNs: 40, bytes: 12},
  ]);
});

test('a response that lacks a frame is not complete', () => {
  expect(read([FIRST, THIRD]).exchange).toMatchObject({status: 200, completeNs: null, body: null, firstByteNs: 20});
  expect(read([SECOND, THIRD]).exchange).toMatchObject({status: null, completeNs: null});
  expect(read([]).exchange).toMatchObject({status: null, completeNs: null, requestNs: 5});
});

test('frames with other frame counts than the frame that arrived first are left out, and so are later copies', () => {
  const others = [
    arrived({index: 1, frames: 4}, 'xxxx', 35),
    arrived({index: 1, abstractFrames: 1}, 'yyyy', 36),
    arrived({index: 1}, 'zzzz', 50),
  ];
  expect(read([FIRST, ...others, SECOND, THIRD]).body).toBe(BODY);
});

test('without the times of arrival, the contents are known, but no times', () => {
  const frames = [FIRST, SECOND, THIRD].map(each => ({...each, readNs: null}));
  const {exchange, body} = read(frames);
  expect([body, exchange.completeNs, exchange.firstByteNs, exchange.deliveries]).toEqual([BODY, null, null, []]);
});

describe('split HTML', () => {
  const piece = (first: number, end: number) => ({first, bytes: bytesOf(BODY.slice(first, end))});
  const tags = encodePieces([piece(0, 3), piece(7, 11)]);
  const abstract = new Uint8Array([...bytesOf(HEAD), ...tags]);
  const split = (index: number, payload: Uint8Array, readNs: number): ArrivedFrame =>
    arrived({index, frames: 4, abstractFrames: 2}, payload, readNs);
  const ABSTRACT = [split(0, abstract.subarray(0, 45), 50), split(1, abstract.subarray(45), 60)];
  const [TEXT, REST] = [split(2, encodePieces([piece(3, 7)]), 20), split(3, encodePieces([piece(11, 12)]), 70)];

  test('can be shown once its abstract is complete, in whatever order its frames arrive', () => {
    const {exchange, body, isCached} = read([TEXT, ...ABSTRACT, REST]);
    expect([body, isCached]).toEqual([BODY, false]);
    expect(exchange).toMatchObject({status: 200, firstByteNs: 60, completeNs: 70, bodyBytes: 12});
    expect(exchange.deliveries).toEqual([
      {atNs: 60, bytes: 11},
      {atNs: 70, bytes: 12},
    ]);
  });

  test('is not complete without all of its frames', () => {
    expect(read([TEXT, ...ABSTRACT]).exchange).toMatchObject({
      status: 200,
      completeNs: null,
      body: null,
      bodyBytes: 11,
    });
    expect(read([TEXT, REST]).exchange).toMatchObject({status: null, completeNs: null, bodyBytes: 0});
    expect(read([TEXT, REST]).isCached).toBe(false);
  });

  test('has sizes and times, but no contents, if the client already had its abstract', () => {
    const {exchange, isCached} = read([REST, TEXT], [{first: 2, last: 3}]);
    expect(isCached).toBe(true);
    expect(exchange).toMatchObject({status: null, body: null, bodyBytes: 5, completeNs: 70});
    expect(read([REST], [{first: 2, last: 3}]).exchange).toMatchObject({completeNs: null});
  });

  test('has no contents if pieces overlap, or if the stated size is wrong', () => {
    const overlapping = split(3, encodePieces([piece(2, 3)]), 70);
    expect(read([TEXT, ...ABSTRACT, overlapping]).exchange).toMatchObject({body: null, completeNs: 70});
    const longer = bytesOf(HEAD.replace('12', '4294967295'));
    const lying = split(0, new Uint8Array([...longer, ...tags]), 50);
    expect(read([TEXT, lying, split(1, new Uint8Array(0), 60), REST]).exchange).toMatchObject({
      body: null,
      completeNs: null,
    });
  });
});
