import {expect, test} from 'vitest';
import {FRAMED, type Frame, PLAIN} from './shimProtocol.ts';

const frames: readonly Frame[] = [
  {type: 'data', life: 3, bytes: Uint8Array.of(1, 2, 3)},
  {type: 'end', life: 255},
  {type: 'reset', life: 0, reason: 'the server’s timeout'},
  {type: 'credit', life: 7, bytes: 2 ** 32 - 1},
  {type: 'ping'} as const,
  {type: 'pong'} as const,
];

test('reading an encoded frame returns the same frame', () => {
  for (const frame of frames) expect(FRAMED.read(FRAMED.encode(frame) ?? new Uint8Array())).toEqual(frame);
});

test('frames of unknown types, and frames too short or too long for their type, are refused', () => {
  const bad = [[], [0], [0, 1], [9, 0, 1], [1, 0, 1], [3, 0, 1, 2, 3], [3, 0, 1, 2, 3, 4, 5], [4, 1], [4, 0, 0]];
  for (const bytes of bad) expect(FRAMED.read(Uint8Array.from(bytes))).toBeUndefined();
  expect(FRAMED.read(new Uint8Array([2, 0, ...Array<number>(501).fill(65)]))).toBeUndefined();
});

test('plain HTTP has messages for data and for no other frame', () => {
  const bytes = Uint8Array.of(71, 69, 84);
  expect(PLAIN.encode({type: 'data', life: 0, bytes})).toEqual(bytes);
  expect(PLAIN.read(bytes)).toEqual({type: 'data', life: 0, bytes});
  for (const frame of frames.slice(1)) expect(PLAIN.encode(frame)).toBeUndefined();
});
