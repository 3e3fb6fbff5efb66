import {expect, test} from 'vitest';
import {joinedBytes} from '../http/buffers.ts';
import {encodeFrame} from '../http/datagrams/datagramFrame.ts';
import {encodeDatagramRequest} from '../http/datagrams/datagramRequest.ts';
import {isFramePipe, readFramePipe} from './framePipe.ts';
import {Heard} from './heard.ts';

const message = (bytes: Uint8Array): Uint8Array => joinedBytes([Uint8Array.of(bytes.length >> 8, bytes.length), bytes]);
const GET = message(encodeDatagramRequest({url: '/', request: 3, datagram: 0, ranges: null, rttUs: null}, 100));
const frame = (index: number): Uint8Array =>
  encodeFrame({
    request: 3,
    index,
    frames: 2,
    answers: null,
    abstractFrames: 2,
    continues: false,
    payload: Uint8Array.of(7, 7, 7),
  });
/** Each of the parts is recorded and read at a time of its own. */
const heard = (...parts: readonly Uint8Array[]): Heard => {
  const spans = parts.map((bytes, i) => {
    const at = parts.slice(0, i).reduce((sum, {length}) => sum + length, 0);
    return {at, bytes, sentNs: 10 * i, readNs: 10 * i + 5};
  });
  return new Heard(spans);
};

test('messages have the time at which their last byte could be read, and the number of their request', () => {
  const [first, second] = [message(frame(0)), message(frame(1))];
  const pipe = readFramePipe(heard(GET), heard(first.subarray(0, 9), first.subarray(9), second));
  expect(pipe.requests).toMatchObject([{asked: {url: '/', request: 3}, sentNs: 0}]);
  expect(pipe.frames).toMatchObject([
    {frame: {index: 0}, sentNs: 0, readNs: 15},
    {frame: {index: 1}, sentNs: 20, readNs: 25},
  ]);
  expect(pipe.up).toEqual([{end: GET.length, exchange: 3}]);
  expect(pipe.down.map(({exchange}) => exchange)).toEqual([3, 3]);
});

test('messages that are incomplete or that are neither requests nor frames are left out', () => {
  const whole = message(frame(0));
  const cut = readFramePipe(heard(GET.subarray(0, 50)), heard(whole, whole.subarray(0, -1)));
  expect([cut.requests.length, cut.frames.length]).toEqual([0, 1]);
  const others = readFramePipe(heard(message(frame(0)), GET), heard(message(Uint8Array.of(1)), whole));
  expect([others.requests.length, others.frames.length]).toEqual([1, 1]);
  expect(others.down).toEqual([
    {end: 3, exchange: null},
    {end: 3 + whole.length, exchange: 3},
  ]);
});

test('a connection carries frames if its first message is a request', () => {
  expect([GET, GET.subarray(0, 90), message(frame(0)), new Uint8Array(0)].map(isFramePipe)).toEqual([
    true,
    false,
    false,
    false,
  ]);
});
