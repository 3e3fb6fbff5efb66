import {expect, test} from 'vitest';
import {readTime} from './typedTime.ts';

test.each([
  ['8.2', 8.2],
  ['8,2', 8.2],
  ['0', 0],
  ['86400', 86_400],
  ['', null],
  [' ', null],
])('%j is the time %s', (typed, seconds) => {
  expect(readTime(typed)).toBe(seconds);
});

test.each(['-1', '86400.1', 'noon', '0x10', '8 s'])('%j is not a time', typed => {
  expect(readTime(typed)).toBeUndefined();
});
