import {expect, test} from 'vitest';
import type {ShownRun} from './loads.ts';
import {runBefore} from './runBefore.ts';

const runOf = (seed: number, hash = 'a', panes = 2) =>
  ({scenario: {seed}, page: {hash}, traces: Array.from({length: panes})}) as unknown as ShownRun;
const [first, second, third] = [runOf(1), runOf(2), runOf(3)];

test('during a whole drag, the run is compared with the one from before the drag', () => {
  expect(runBefore({run: second, shown: first, before: null, isSameStep: false})).toBe(first);
  expect(runBefore({run: third, shown: second, before: first, isSameStep: true})).toBe(first);
  expect(runBefore({run: third, shown: second, before: first, isSameStep: false})).toBe(second);
});

test('a dismissed comparison stays dismissed until settings change again', () => {
  expect(runBefore({run: third, shown: second, before: null, isSameStep: true})).toBeNull();
});

test('loading the same scenario again is not a change', () => {
  const again = {...second};
  expect(runBefore({run: again, shown: second, before: first, isSameStep: false})).toBe(first);
});

test('runs with another page or another number of panes are not compared', () => {
  expect(runBefore({run: runOf(2, 'b'), shown: first, before: null, isSameStep: false})).toBeNull();
  expect(runBefore({run: runOf(2, 'a', 3), shown: first, before: null, isSameStep: false})).toBeNull();
  expect(runBefore({run: runOf(3, 'b'), shown: second, before: first, isSameStep: true})).toBeNull();
});
