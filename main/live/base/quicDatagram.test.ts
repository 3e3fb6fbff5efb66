import {expect, test} from 'vitest';
import {addresseeOf, beforeRetry} from './quicDatagram.ts';

const ID = [1, 2, 3, 4, 5, 6, 7, 8];
const NUMBER = 0x01020304;
const none = (): boolean => false;
const ours = (number: number): boolean => number === NUMBER;

function long(id: readonly number[]): Buffer {
  return Buffer.from([0xc0, 0, 0, 0, 1, id.length, ...id, 0]);
}

test('a datagram whose connection id begins with the number of a connection belongs to this connection', () => {
  expect(addresseeOf(Buffer.from([0x40, ...ID, 9]), 'a 1', ours)).toEqual({kind: 'number', number: NUMBER});
  expect(addresseeOf(long(ID), 'a 1', ours)).toEqual({kind: 'number', number: NUMBER});
});

test('an id of more than 8 bytes counts as one that a client made up', () => {
  expect(addresseeOf(long([...ID, 9]), 'a 1', ours).kind).toBe('name');
});

test('an id that a client made up identifies a connection only together with the sender’s address', () => {
  const names = [
    addresseeOf(long(ID), 'a 1', none),
    addresseeOf(long(ID), 'a 2', none),
    addresseeOf(long([...ID, 9]), 'a 1', none),
  ];
  expect(names.map(({kind}) => kind)).toEqual(['name', 'name', 'name']);
  expect(new Set(names.map(addressee => JSON.stringify(addressee))).size).toBe(3);
  expect(addresseeOf(long(ID), 'a 1', none)).toEqual(names[0]);
});

test('a datagram without an id, or with an id too short for a first packet, belongs to nobody', () => {
  const whole = long(ID);
  for (let bytes = 0; bytes < 14; bytes++)
    expect(addresseeOf(whole.subarray(0, bytes), 'a 1', ours)).toEqual({kind: 'nobody'});
  expect(addresseeOf(long(ID.slice(1)), 'a 1', ours)).toEqual({kind: 'nobody'});
  expect(addresseeOf(Buffer.from([0x40, ...ID.slice(1)]), 'a 1', ours)).toEqual({kind: 'nobody'});
});

test('a datagram is cut before its first Retry packet', () => {
  const packet = (first: number, ...rest: readonly number[]): number[] => [
    first,
    0,
    0,
    0,
    1,
    ID.length,
    ...ID,
    2,
    7,
    7,
    ...rest,
  ];
  const [initial, handshake] = [packet(0xc3, 1, 9, 0x40, 3, 1, 2, 3), packet(0xe3, 2, 1, 2)];
  const retry = packet(0xf3, 1, 2, 3);
  const good = [initial, [...initial, ...handshake], [...handshake, 0x70, 1, 2]];
  for (const before of good) expect(beforeRetry(Buffer.from(before))).toEqual(Buffer.from(before));
  for (const before of [[], initial, handshake, [...initial, ...handshake]])
    expect(beforeRetry(Buffer.from([...before, ...retry]))).toEqual(Buffer.from(before));
  // A truncated packet is not changed.
  for (let bytes = 0; bytes < initial.length; bytes++)
    expect(beforeRetry(Buffer.from(initial.slice(0, bytes))).length).toBe(bytes);
});
