import {afterEach, expect, test, vi} from 'vitest';
import {thisWindow, whenIdle} from './slices.ts';

afterEach(() => {
  vi.unstubAllGlobals();
});

/** A window in which the test starts each idle period and sets its length in ms. Each slice takes 3 ms. */
function window() {
  const asked: IdleRequestCallback[] = [];
  const waits: {readonly ms: number; readonly end: () => void}[] = [];
  let [stillMs, spentMs] = [Number.POSITIVE_INFINITY, 0];
  const slices = whenIdle({
    request: callback => asked.push(callback),
    wait: (end, ms) => waits.push({ms, end}),
    stillMs: () => stillMs,
  });
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
  const keepStill = (ms: number): void => {
    stillMs = ms;
    for (const {end} of waits.splice(0)) end();
  };
  return {piece, idle, keepStill, asked, waits};
}

test('slices wait for an idle period, and are done in order, as many at a time as fit into half a frame', async () => {
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

test('a window that is never idle does one slice at a time', async () => {
  const {piece, idle} = window();
  const done: number[] = [];
  for (const each of [1, 2]) void piece(() => done.push(each));
  await idle(0);
  expect(done).toEqual([1]);
});

test('while the user drags, no slice is done until the user has been inactive for a second', async () => {
  const {piece, idle, keepStill, asked, waits} = window();
  const done: number[] = [];
  void piece(() => done.push(1));
  // a move after the request
  keepStill(0);
  await idle(50);
  expect([done, asked.length]).toEqual([[], 0]);
  expect(waits.map(({ms}) => ms)).toEqual([1000]);
  keepStill(400);
  expect(waits.map(({ms}) => ms)).toEqual([600]);
  void piece(() => done.push(2));
  expect([waits.length, asked.length]).toEqual([1, 0]);
  keepStill(1000);
  expect([waits.length, asked.length]).toEqual([0, 1]);
  await idle(50);
  expect(done).toEqual([1, 2]);
});

test('a failing slice rejects, and the next slice is done', async () => {
  const {piece, idle} = window();
  const fails = piece(() => {
    throw new Error('spoilt');
  });
  const next = piece(() => 7);
  await idle(50);
  await expect(fails).rejects.toThrow('spoilt');
  expect(await next).toBe(7);
});

test.each([
  ['input', {}, true],
  ['wheel', {}, true],
  ['pointermove', {buttons: 1}, true],
  ['pointermove', {buttons: 0}, false],
  ['keydown', {}, false],
])('the event %s %o counts as use: %s', (type, of, isMove) => {
  const target = new EventTarget();
  vi.stubGlobal('window', target);
  const {stillMs} = thisWindow();
  expect(stillMs()).toBe(Number.POSITIVE_INFINITY);
  target.dispatchEvent(Object.assign(new Event(type), of));
  expect(Number.isFinite(stillMs())).toBe(isMove);
});
