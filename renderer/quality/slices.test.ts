import {expect, test} from 'vitest';
import {whenIdle} from './slices.ts';

/** Idle periods by hand, of so many ms; each piece takes 3. */
function window() {
  const asked: IdleRequestCallback[] = [];
  const slices = whenIdle(callback => asked.push(callback));
  let spentMs = 0;
  const idle = async (ms: number): Promise<void> => {
    spentMs = 0;
    const timeRemaining = () => Math.max(ms - spentMs, 0);
    for (const callback of asked.splice(0)) callback({didTimeout: false, timeRemaining});
    await Promise.resolve();
  };
  const piece = <T>(work: () => T) =>
    slices(() => {
      spentMs += 3;
      return work();
    });
  return {piece, idle, asked};
}

test('pieces wait for an idle window, as many are done as fit, in order', async () => {
  const {piece, idle, asked} = window();
  const done: number[] = [];
  const all = [1, 2, 3, 4].map(each => piece(() => done.push(each)));
  expect(done).toEqual([]);
  expect(asked).toHaveLength(1);
  await idle(50);
  expect(done).toEqual([1, 2, 3]);
  await idle(50);
  expect(await Promise.all(all)).toEqual([1, 2, 3, 4]);
  expect(asked).toEqual([]);
});

test('a window that is never idle does one at a time', async () => {
  const {piece, idle} = window();
  const done: number[] = [];
  for (const each of [1, 2]) void piece(() => done.push(each));
  await idle(0);
  expect(done).toEqual([1]);
});

test('a piece that fails tells, and the next is done', async () => {
  const {piece, idle} = window();
  const fails = piece(() => {
    throw new Error('spoilt');
  });
  const next = piece(() => 7);
  await idle(50);
  await expect(fails).rejects.toThrow('spoilt');
  expect(await next).toBe(7);
});
