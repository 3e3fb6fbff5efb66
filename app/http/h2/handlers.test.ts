import {describe, expect, test} from 'vitest';
import type {Scheduling} from '../responseOrder.ts';
import {startServer} from '../testing/handlerServer.ts';
import {encodeRstStream, encodeWindowUpdate} from './h2Frame.ts';
import type {HandlerRules} from './handlers.ts';

const RULES: HandlerRules = {headNs: 500, nextNs: 200, writeNs: 40, copyBytes: 32_768, keptBytes: 4096};

function started(scheduling: Scheduling = 'ring', windowBytes?: number) {
  return startServer({scheduling, pieceBytes: 16_384, handlers: RULES}, windowBytes);
}

test('a handler queues the head of its response, waits until it is written, and then queues the body', () => {
  const {ask, run} = started();
  ask(1, 3000, 0);
  expect(run(0)).toEqual(['500: 1 head', '740: 1 3000 end']);
});

test('the heads of responses to requests that come together precede the first body', () => {
  const {ask, run} = started();
  for (const stream of [1, 3, 5]) ask(stream, 3000, 0);
  expect(run(0)).toEqual([
    '500: 1 head',
    '540: 3 head',
    '580: 5 head',
    '740: 1 3000 end',
    '780: 3 3000 end',
    '820: 5 3000 end',
  ]);
});

test('a request that comes later is answered after the body of the first', () => {
  const {ask, run} = started();
  ask(1, 3000, 0);
  ask(3, 3000, 300);
  expect(run(300)).toEqual(['500: 1 head', '740: 1 3000 end', '800: 3 head', '1040: 3 3000 end']);
});

describe('the end of a stream', () => {
  test('is an empty frame of its own if the last part of the body is larger than 4 KB', () => {
    const {ask, run} = started();
    ask(1, 4097, 0);
    expect(run(0)).toEqual(['500: 1 head', '740: 1 4097', '980: 1 0 end']);
  });

  test('is in the last frame of the body if the last part has at most 4 KB', () => {
    const {ask, run} = started();
    ask(1, 4096, 0);
    expect(run(0)).toEqual(['500: 1 head', '740: 1 4096 end']);
    ask(3, 32_768 + 4096, 2000);
    expect(run(2000).at(-1)).toMatch(/: 3 4096 end$/);
  });

  test('waits for a turn, so that other responses come between a body and its end', () => {
    const {ask, run} = started();
    ask(1, 10_000, 0);
    ask(3, 10_000, 0);
    const order = run(0).map(text => text.replace(/^.*: /, ''));
    expect(order).toEqual(['1 head', '3 head', '1 10000', '3 10000', '1 0 end', '3 0 end']);
  });

  test('is in the head if there is no body', () => {
    const {ask, run, server} = started();
    ask(1, 0, 0);
    ask(3, 3000, 0, 'HEAD');
    expect(run(0)).toEqual(['500: 1 head end', '540: 3 head end']);
    expect(server.waiting).toBe(0);
  });
});

test('handlers end with a connection whose client breaks the protocol', () => {
  const {ask, poll, server} = started();
  ask(1, 3000, 0);
  ask(3, 3000, 0);
  expect(poll(500)).toEqual(['1 head']);
  // DATA on stream 0 is an error of the connection (RFC 9113 §6.1)
  server.handleBytes(Uint8Array.of(0, 0, 0, 0, 0, 0, 0, 0, 0), 510);
  expect([server.isBroken, server.pollTimeoutNs(510)]).toEqual([true, undefined]);
});

test('a body is copied in parts of 32 KB, and other streams write while the next part is copied', () => {
  // stream 1 is always first if it can write
  const {ask, run, server} = started({siblings: 'weights', turnBytes: 1});
  ask(1, 60_000, 0);
  server.handleDependency(3, {parent: 1, weight: 16, isExclusive: false});
  ask(3, 30_000, 0);
  const order = run(0).map(text => text.replace(/^.*: /, ''));
  expect(order).toEqual([
    '1 head',
    '3 head',
    '1 16384',
    '1 16384',
    '3 16384',
    '3 13616',
    '1 16384',
    '1 10848',
    '3 0 end',
    '1 0 end',
  ]);
});

test('a write that waits for room ends when there is room again, and only then does its handler continue', () => {
  const {ask, poll, server} = started();
  ask(1, 10_000, 0);
  expect([500, 540, 740].map(poll)).toEqual([['1 head'], [], ['1 10000']]);
  // the next call is that after an event which says that there is room
  expect(server.pollTimeoutNs(740)).toBe(780);
  expect(server.pollTimeoutNs(780)).toBeUndefined();
  expect(poll(5000)).toEqual([]);
  expect(server.pollTimeoutNs(5000)).toBe(5200);
  expect([5199, 5200].map(poll)).toEqual([[], ['1 0 end']]);
});

test('a stream without a window writes its head and no body, and does not hold up others', () => {
  const {ask, run, server} = started('ring', 0);
  ask(1, 3000, 0);
  ask(3, 0, 0);
  expect(run(0)).toEqual(['500: 1 head', '540: 3 head end']);
  server.handleBytes(encodeWindowUpdate(1, 5000), 9000);
  expect(run(9000)).toEqual(['9000: 1 3000 end']);
});

test('after its last frame, the server waits for nothing', () => {
  const {ask, poll, server} = started();
  ask(1, 3000, 0);
  for (const nowNs of [500, 540, 740, 780]) poll(nowNs);
  expect(server.pollTimeoutNs(780)).toBeUndefined();
});

test('nothing is written on a stream that was reset after its head, and the server does not wait for it', () => {
  const {ask, poll, server} = started();
  ask(1, 3000, 0);
  expect(poll(500)).toEqual(['1 head']);
  server.handleBytes(encodeRstStream(1, 'CANCEL'), 510);
  expect(poll(540)).toEqual([]);
  expect(server.pollTimeoutNs(540)).toBeUndefined();
});
