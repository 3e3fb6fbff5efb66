import {expect, test} from 'vitest';
import {firstDifference} from './identity.ts';

test.each([
  [{a: 1, b: {c: 2}}, {a: 1, b: {c: 2}}, null],
  [{a: 1, b: {c: 2}}, {a: 1, b: {c: 3}}, 'b.c is 2 there and 3 here'],
  [{a: {b: 1, c: 2}}, {a: {c: 2, b: 1}}, 'a are b, c there and c, b here'],
  [{b: 1, c: 2}, {c: 2, b: 1}, 'the keys are b, c there and c, b here'],
  [1, {a: 1}, 'the document is 1 there and {"a":1} here'],
] as const)('the first difference of %j and %j has a subject', (there, here, text) => {
  expect(firstDifference(there, here)).toBe(text);
});
