import {expect, test} from 'vitest';
import {ByteLog, MessageLog, type WriteLog} from '../../pipelines/writeLog.ts';
import type {BlockedColumns, ChunkColumns, PacketColumns} from '../trace/columns.ts';
import {attributeBlocked, attributeChunks} from './attribution.ts';

// Two connections: 0 ↔ 1 and 2 ↔ 3. The servers 1, 3 and 1 send packets; data is blocked at the clients 0 and 2.

const packets = {endpoint: Uint32Array.of(1, 3, 1)} as PacketColumns;

test('data of a connection belong to the objects whose bytes were written at the same offsets', () => {
  const [one, other] = [new ByteLog(), new ByteLog()];
  one.add(0, 150, 7);
  one.add(0, 150, 8);
  other.add(0, 300, 9);
  const chunks = chunksOf({first: [0, 0, 100], bytes: [100, 100, 100], message: [0, 0, 0]});
  expect(rowsOf(attributeChunks(packets, chunks, writesOf(one, other)))).toEqual([
    '0: 100 of 7',
    '1: 100 of 9',
    '2: 50 of 7',
    '2: 50 of 8',
  ]);
  const blocked = blockedOf({endpoint: [0, 2], first: [100, 100], bytes: [100, 50]});
  expect(rowsOf(attributeBlocked(packets, chunks, blocked, 'byte', writesOf(one, other)))).toEqual([
    '0: 50 of 7',
    '0: 50 of 8',
    '1: 50 of 9',
  ]);
});

test('data that was written for no object belongs to no object', () => {
  const [one, other] = [new ByteLog(), new MessageLog()];
  for (const [bytes, object] of [
    [50, null],
    [100, 7],
    [50, null],
  ] as const)
    one.add(0, bytes, object);
  other.add(0, 100, null);
  const chunks = chunksOf({first: [0, 0, 100], bytes: [100, 100, 100], message: [0, 0, 0]});
  expect(rowsOf(attributeChunks(packets, chunks, writesOf(one, other)))).toEqual(['0: 50 of 7', '2: 50 of 7']);
});

test('a chunk has the object of its message; blocked data has the object of the chunk with the same number', () => {
  const [one, other] = [new MessageLog(), new MessageLog()];
  for (const object of [7, 8]) one.add(0, 100, object);
  other.add(0, 100, 9);
  const chunks = chunksOf({first: [5, 6, 6], bytes: [100, 100, 100], message: [0, 0, 1]});
  expect(rowsOf(attributeChunks(packets, chunks, writesOf(one, other)))).toEqual([
    '0: 100 of 7',
    '1: 100 of 9',
    '2: 100 of 8',
  ]);
  // The blocked rows are number 6 of each connection, and number 4, which was never sent.
  const blocked = blockedOf({endpoint: [0, 2, 0], first: [6, 6, 4], bytes: [100, 100, 100]});
  expect(rowsOf(attributeBlocked(packets, chunks, blocked, 'chunk', writesOf(one, other)))).toEqual([
    '0: 100 of 8',
    '1: 100 of 9',
  ]);
});

function writesOf(one: WriteLog, other: WriteLog) {
  const ends = [
    {log: one, peer: 1},
    {log: one, peer: 0},
    {log: other, peer: 3},
    {log: other, peer: 2},
  ];
  return (endpoint: number) => ends[endpoint];
}

interface Rows {
  readonly first: readonly number[];
  readonly bytes: readonly number[];
}

function chunksOf({first, bytes, message}: Rows & {readonly message: readonly number[]}): ChunkColumns {
  return {
    packet: Uint32Array.from(first.keys()),
    first: Float64Array.from(first),
    bytes: Uint32Array.from(bytes),
    stream: new Uint32Array(first.length),
    message: Uint32Array.from(message),
    retransmission: new Uint8Array(first.length),
  };
}

function blockedOf({endpoint, first, bytes}: Rows & {readonly endpoint: readonly number[]}): BlockedColumns {
  return {
    endpoint: Uint32Array.from(endpoint),
    stream: new Uint32Array(first.length),
    first: Float64Array.from(first),
    bytes: Uint32Array.from(bytes),
    startNs: new Float64Array(first.length),
    endNs: new Float64Array(first.length),
  };
}

function rowsOf(pieces: ReturnType<typeof attributeChunks>): readonly string[] {
  return Array.from(pieces.row, (row, i) => `${row}: ${pieces.bytes[i]} of ${pieces.object[i]}`);
}
