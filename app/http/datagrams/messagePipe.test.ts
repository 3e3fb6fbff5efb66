import {describe, expect, test} from 'vitest';
import type {Piece, Transports} from '../transports.ts';
import {MessagePipe} from './messagePipe.ts';

const MESSAGE = new Uint8Array(10);

/** Returns a pipe whose TCP accepts `room` bytes, and a list of its writes: endpoint and number of bytes. */
function pipeOf(room: number) {
  const written: (readonly [number, number])[] = [];
  let left = room;
  const pipe = new MessagePipe({
    openTcp: () => ({client: 0, server: 1}),
    connect: () => {},
    write: (endpoint: number, _stream: number, pieces: readonly Piece[]) => {
      const bytes = Math.min(
        left,
        pieces.reduce((sum, piece) => sum + piece.bytes.length, 0),
      );
      left -= bytes;
      written.push([endpoint, bytes]);
      return bytes;
    },
  } as Partial<Transports> as Transports);
  return {pipe, written};
}

describe('a pipe of messages', () => {
  test('writes queued messages until TCP does not accept all bytes', () => {
    const {pipe, written} = pipeOf(15);
    pipe.send('server', MESSAGE, 1);
    pipe.send('client', MESSAGE, null);
    expect(pipe.write()).toBe(true);
    expect(written).toEqual([
      [0, 12],
      [1, 3],
      [1, 0],
    ]);
  });

  test.each([
    {type: 'closed', endpoint: 1, reason: 'data-timeout'},
    {type: 'peer-closed', endpoint: 1},
  ] as const)('writes nothing more after the event $type, not even messages that are sent later', event => {
    const {pipe, written} = pipeOf(5);
    pipe.send('server', MESSAGE, 1);
    expect(pipe.write()).toBe(true);
    written.length = 0;
    expect(pipe.read(event)).toEqual([]);
    pipe.send('server', MESSAGE, 1);
    pipe.send('client', MESSAGE, null);
    expect(pipe.write()).toBe(false);
    expect(written).toEqual([]);
  });
});
