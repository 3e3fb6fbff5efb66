import {afterEach, beforeEach, expect, test, vi} from 'vitest';
import type {Json} from '../../../app/base/json.ts';
import type {PathAnswer} from '../../../app/host/contract.ts';
import {DEFAULT_PATH} from '../../../app/run/scenario/path.ts';
import {type RunningPath, requestedChange} from '../../../app/run/scenario/runningPath.ts';
import {NO_COUNTS} from '../../../app/run/scenario/testing/noCounts.ts';
import {PathWatch} from './pathWatch.ts';

const ZERO = {handOvers: 0, clients: 0, refused: 0};
let running: RunningPath;
let asked: (readonly [live: string, change: Json | null])[];
/** The host's next answer, instead of that of the path. */
let instead: (PathAnswer | null)[];

beforeEach(() => {
  vi.useFakeTimers();
  running = {path: DEFAULT_PATH, seed: 1, counts: {down: NO_COUNTS, up: NO_COUNTS}, traffic: [], ...ZERO};
  asked = [];
  instead = [];
});
afterEach(() => vi.useRealTimers());

async function askPath(live: string, change: Json | null): Promise<PathAnswer | null> {
  asked.push([live, change]);
  const other = instead.shift();
  if (other !== undefined) return other;
  const changed = requestedChange(change ?? {}, running.path);
  if (changed.ok) running = {...running, path: changed.path};
  return {ok: true, running};
}

function lossOf(watch: PathWatch): unknown {
  return watch.store.getState().running?.path.loss.down;
}

function bernoulli(rate: number) {
  return {model: 'bernoulli', rate, applies: 'all'};
}

test('a path that answers is asked again, until it is no longer watched', async () => {
  const watch = new PathWatch({askPath});
  const end = watch.watch('a:1');
  await vi.advanceTimersByTimeAsync(2500);
  expect(asked).toEqual(Array.from({length: 3}, () => ['a:1', null]));
  expect(watch.store.getState().running).toEqual(running);
  end();
  await vi.advanceTimersByTimeAsync(5000);
  expect(asked.length).toBe(3);
});

test('if watching ends during a call, no further call begins', async () => {
  let answer = (): void => undefined;
  const host = {
    askPath: (live: string, change: Json | null) =>
      new Promise<PathAnswer | null>(resolve => {
        answer = () => resolve(askPath(live, change));
      }),
  };
  const end = new PathWatch(host).watch('a:1');
  end();
  answer();
  await vi.advanceTimersByTimeAsync(5000);
  expect(asked.length).toBe(1);
});

test.each([null, 'gone'])('a server without a path is not asked again: %s', async answer => {
  instead = [null];
  const askNobody = answer === null ? askPath : () => Promise.reject(asked.push(['a:1', null]));
  const watch = new PathWatch({askPath: askNobody});
  watch.watch('a:1');
  await vi.advanceTimersByTimeAsync(5000);
  expect([asked.length, watch.store.getState().running]).toEqual([1, null]);
});

test('a hand-over is asked for once, and a refusal is shown', async () => {
  const watch = new PathWatch({askPath});
  await watch.handOver();
  expect(asked).toEqual([]);
  const end = watch.watch('a:1');
  await vi.advanceTimersByTimeAsync(0);
  await watch.handOver();
  expect(asked.filter(([, change]) => change !== null)).toEqual([['a:1', {handover: true}]]);
  instead = [{ok: false, message: 'the path cannot', problems: []}];
  await watch.handOver();
  expect(watch.store.getState().failure).toBe('the path cannot');
  end();
});

test('a change is shown at once, and the changes that are made during a call are sent together after it', async () => {
  const watch = new PathWatch({askPath});
  watch.watch('a:1');
  await vi.advanceTimersByTimeAsync(0);
  for (const rate of [0.01, 0.02, 0.03]) watch.set('loss', rate);
  watch.set('rttMs', {up: 10});
  expect(lossOf(watch)).toEqual(bernoulli(0.03));
  await vi.advanceTimersByTimeAsync(0);
  expect(asked.slice(1)).toEqual([
    ['a:1', {loss: 0.01}],
    ['a:1', {loss: 0.03, rttMs: {down: 350, up: 10}}],
  ]);
  expect([running.path.loss.down, running.path.rttMs]).toEqual([bernoulli(0.03), {down: 350, up: 10}]);
  expect(lossOf(watch)).toEqual(bernoulli(0.03));
});

test('an invalid value is not sent, and the reason is shown until the edit ends', async () => {
  const watch = new PathWatch({askPath});
  watch.watch('a:1');
  await vi.advanceTimersByTimeAsync(0);
  watch.set('loss', 2);
  expect(watch.store.getState().refused).toMatchObject({key: 'loss', problem: {value: 2}});
  watch.endEdit();
  expect(watch.store.getState().refused).toBeNull();
  expect(asked.length).toBe(1);
});

test('after a refused change, the reason and the path’s own settings are shown', async () => {
  const watch = new PathWatch({askPath});
  watch.watch('a:1');
  await vi.advanceTimersByTimeAsync(0);
  instead = [{ok: false, message: 'the path does not answer', problems: []}];
  watch.set('loss', 0.5);
  await vi.advanceTimersByTimeAsync(0);
  expect(watch.store.getState().failure).toBe('the path does not answer');
  await vi.advanceTimersByTimeAsync(1000);
  expect(lossOf(watch)).toEqual(bernoulli(0));
});

test('for another server, nothing about the previous one is shown', async () => {
  const watch = new PathWatch({askPath});
  const end = watch.watch('a:1');
  await vi.advanceTimersByTimeAsync(0);
  watch.watch('b:1');
  expect(watch.store.getState().running).toBeNull();
  end();
  await vi.advanceTimersByTimeAsync(1500);
  expect(asked.map(([live]) => live)).toEqual(['a:1', 'b:1', 'b:1']);
});

test('a late answer from the previous server is ignored', async () => {
  const answers: ((answer: PathAnswer | null) => void)[] = [];
  const watch = new PathWatch({askPath: () => new Promise(resolve => answers.push(resolve))});
  watch.watch('a:1');
  watch.watch('b:1');
  answers[0]?.({ok: true, running});
  await vi.advanceTimersByTimeAsync(0);
  expect([watch.store.getState().running, answers.length]).toEqual([null, 2]);
  answers[1]?.({ok: true, running});
  await vi.advanceTimersByTimeAsync(0);
  expect(watch.store.getState().running).toEqual(running);
});
