import {expect, test} from 'vitest';
import type {ShownRun} from './loads.ts';
import {runBefore} from './runBefore.ts';

const runOf = (seed: number, hash = 'a', panes = 2) =>
  ({scenario: {seed}, page: {hash}, traces: Array.from({length: panes})}) as unknown as ShownRun;
const [first, second, third] = [runOf(1), runOf(2), runOf(3)];

test('a change is compared with what it began with, throughout a drag', () => {
  expect(runBefore({run: second, shown: first, before: null, isSameStep: false})).toBe(first);
  expect(runBefore({run: third, shown: second, before: first, isSameStep: true})).toBe(first);
  expect(runBefore({run: third, shown: second, before: first, isSameStep: false})).toBe(second);
});

test('what was dismissed stays away until settings change again', () => {
  expect(runBefore({run: third, shown: second, before: null, isSameStep: true})).toBeNull();
});

test('the same scenario again is no change', () => {
  const again = {...second};
  expect(runBefore({run: again, shown: second, before: first, isSameStep: false})).toBe(first);
});

test('another page, and more or fewer panes, are compared with nothing', () => {
  expect(runBefore({run: runOf(2, 'b'), shown: first, before: null, isSameStep: false})).toBeNull();
  expect(runBefore({run: runOf(2, 'a', 3), shown: first, before: null, isSameStep: false})).toBeNull();
  expect(runBefore({run: runOf(3, 'b'), shown: second, before: first, isSameStep: true})).toBeNull();
});
