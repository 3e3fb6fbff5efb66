import {expect, test} from 'vitest';
import {RingScheduler} from './ringScheduler.ts';

/** Writes `count` times, and returns the streams that were written. */
function written(ring: RingScheduler, count: number, canWrite: (id: number) => boolean = () => true) {
  return Array.from({length: count}, () => {
    const id = ring.next(canWrite)?.id;
    if (id !== undefined) ring.handleWritten(id);
    return id;
  });
}

function ringOf(...ids: readonly number[]): RingScheduler {
  const ring = new RingScheduler();
  for (const id of ids) ring.add(id);
  return ring;
}

test('streams take turns of one write', () => {
  expect(written(ringOf(1, 3, 5), 5)).toEqual([1, 3, 5, 1, 3]);
});

test('a stream that could not write in its turn waits until the ring has come round', () => {
  const ring = ringOf(1, 3, 5, 7);
  expect(written(ring, 2, id => id !== 3)).toEqual([1, 5]);
  expect(written(ring, 3)).toEqual([7, 1, 3]);
});

test('a new stream comes after all others, and a removed stream has no turn', () => {
  const ring = ringOf(1, 3);
  written(ring, 1);
  ring.add(5);
  expect(written(ring, 3)).toEqual([3, 1, 5]);
  ring.remove(1);
  expect(written(ring, 3)).toEqual([3, 5, 3]);
  ring.remove(3);
  ring.remove(5);
  expect(ring.next(() => true)).toBeUndefined();
});
