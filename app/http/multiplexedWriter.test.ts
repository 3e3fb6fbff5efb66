import {expect, test} from 'vitest';
import {MultiplexedWriter, ServerWriter} from './multiplexedWriter.ts';
import {AHEAD_BYTES} from './room.ts';
import type {Piece} from './transports.ts';

/** Returns a transport that accepts `limits.takes` bytes in each write, and a list of its writes. */
function transport() {
  const written: string[] = [];
  const limits = {takes: Number.POSITIVE_INFINITY};
  const write = (pieces: readonly Piece[]) => {
    written.push(pieces.map(({bytes, object}) => `${bytes.length} of ${object}`).join(', '));
    const all = pieces.reduce((sum, {bytes}) => sum + bytes.length, 0);
    return Math.min(limits.takes, all);
  };
  return {written, limits, write};
}

function piecesOf(sizes: readonly number[]): () => Piece | undefined {
  const left = sizes.map((bytes, object) => ({bytes: new Uint8Array(bytes), object}));
  return () => left.shift();
}

test('all pieces that are ready are one write, and pieces that were not accepted are first in the next write', () => {
  const {written, limits, write} = transport();
  const writer = new MultiplexedWriter(write);
  limits.takes = 25;
  expect(writer.write(piecesOf([10, 10, 10]))).toBe(true);
  limits.takes = 5;
  expect(writer.write(piecesOf([7]))).toBe(true);
  limits.takes = 7;
  expect(writer.write(piecesOf([]))).toBe(false);
  expect(writer.write(piecesOf([]))).toBe(false);
  expect(written).toEqual(['10 of 0, 10 of 1, 10 of 2', '5 of 2, 7 of 0', '7 of 0']);
  writer.handleGone();
  expect(writer.write(piecesOf([7]))).toBe(false);
  expect(written).toHaveLength(3);
});

test('a server writes bodies as far as there is room, and other frames at once', () => {
  const {written, write} = transport();
  const writer = new ServerWriter(write);
  const frames = piecesOf([500, 500]);
  const source = {pollFrames: frames, pollData: piecesOf(Array.from({length: 20}, () => 1000))};
  writer.write(source, 0);
  // A piece is written as a whole even if only a part of it fits.
  const bodies = Math.ceil((AHEAD_BYTES - 1000) / 1000);
  expect(written[0]?.split(', ')).toHaveLength(2 + bodies);
  writer.write(source, 0);
  expect(written).toHaveLength(1);
  writer.handleRoom(1001);
  writer.write({...source, pollFrames: piecesOf([1, 1])}, 0);
  expect(written[1]).toBe(`1 of 0, 1 of 1, 1000 of ${bodies}`);
});

test('a write has a limited size, and more writes follow only if the transport accepts everything', () => {
  const {written, limits, write} = transport();
  const writer = new MultiplexedWriter(write);
  const [large, small] = [100_000, 1000];
  limits.takes = small;
  expect(writer.write(piecesOf([large, large, large, large]))).toBe(true);
  expect(written).toEqual([`${large} of 0, ${large} of 1`]);
  limits.takes = Number.POSITIVE_INFINITY;
  expect(writer.write(piecesOf([]))).toBe(false);
  expect(written.slice(1)).toEqual([`${large - small} of 0, ${large} of 1`, `${large} of 2, ${large} of 3`]);
});
