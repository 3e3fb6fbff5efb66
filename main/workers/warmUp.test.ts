import {afterEach, beforeEach, expect, test, vi} from 'vitest';
import {WarmUp} from './warmUp.ts';

beforeEach(() => vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

/** Handles a call as a thread does. */
function call(warmUp: WarmUp, load?: () => unknown): unknown {
  warmUp.pause();
  const answer = load === undefined ? undefined : warmUp.run(load);
  warmUp.resume();
  return answer;
}

test('an idle thread repeats its newest load, forty times in all', () => {
  const warmUp = new WarmUp(() => Date.now());
  const [first, second] = [vi.fn(() => 'first'), vi.fn()];
  expect(call(warmUp, first)).toBe('first');
  expect(first).toHaveBeenCalledTimes(1);
  vi.advanceTimersByTime(100 + 5);
  expect(first).toHaveBeenCalledTimes(1 + 2);
  call(warmUp, second);
  vi.advanceTimersByTime(10_000);
  expect(first).toHaveBeenCalledTimes(1 + 2);
  expect(second).toHaveBeenCalledTimes(1 + 38);
});

test('a thread that works repeats nothing, and after another call it goes on', () => {
  const warmUp = new WarmUp(() => Date.now());
  const load = vi.fn();
  call(warmUp, load);
  warmUp.pause();
  vi.advanceTimersByTime(10_000);
  expect(load).toHaveBeenCalledTimes(1);
  warmUp.resume();
  vi.advanceTimersByTime(99);
  expect(load).toHaveBeenCalledTimes(1);
  vi.advanceTimersByTime(1);
  expect(load).toHaveBeenCalledTimes(2);
});

test('a load that takes long is not repeated', () => {
  const warmUp = new WarmUp(() => Date.now());
  const load = vi.fn(() => vi.advanceTimersByTime(201));
  call(warmUp, load);
  vi.advanceTimersByTime(10_000);
  expect(load).toHaveBeenCalledTimes(1);
});
