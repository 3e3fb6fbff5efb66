import {expect, test} from 'vitest';
import {H2End} from './h2End.ts';
import {HeadBudget} from './headBudget.ts';
import type {Served} from './httpEnd.ts';
import {SERVER_LIMITS} from './serverLimits.ts';

const PREFACE = Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n');
const SETTINGS = Buffer.from([0, 0, 0, 4, 0, 0, 0, 0, 0]);
const PING = Buffer.from([0, 0, 8, 6, 0, 0, 0, 0, 0, ...Array<number>(8).fill(1)]);

test('an HTTP/2 end is full while its transport has not accepted all bytes, so PING answers cannot fill memory', () => {
  const served = {
    respond: () => expect.fail('no request'),
    refuse: () => undefined,
    limits: SERVER_LIMITS,
    heads: new HeadBudget(SERVER_LIMITS),
    clock: () => 0,
  } satisfies Served;
  let [room, taken] = [Number.POSITIVE_INFINITY, 0];
  const send = ({length}: Uint8Array): number => {
    const bytes = Math.min(length, room);
    room -= bytes;
    taken += bytes;
    return bytes;
  };
  const end = new H2End(served, {address: '192.0.2.1', giveUp: () => expect.fail('given up'), send});
  const said = (bytes: Uint8Array): void => {
    end.handleBytes(bytes);
    end.write();
  };
  said(Buffer.concat([PREFACE, SETTINGS]));
  expect(end.isFull).toBe(false);
  const before = taken;
  room = 0;
  said(PING);
  expect(end.isFull).toBe(true);
  room = PING.length - 1;
  end.write();
  expect(end.isFull).toBe(true);
  room = 1;
  end.write();
  expect([end.isFull, taken - before]).toEqual([false, PING.length]);
});
