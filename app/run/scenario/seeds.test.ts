import fc from 'fast-check';
import {expect, test} from 'vitest';
import {readSeeds, seedsText} from './seeds.ts';

test('each seed is returned once, in the order of the text', () => {
  expect(readSeeds('3, 1-3,9')).toEqual({ok: true, seeds: [3, 1, 2, 9]});
  expect(readSeeds('1-100000')).toMatchObject({ok: true});
});

test.each([
  ['', 'must be like 1-50 or 1,2,7 (0 to 2^53 − 1)'],
  ['5-3', 'must be like 1-50 or 1,2,7 (0 to 2^53 − 1)'],
  ['9007199254740992', 'must be like 1-50 or 1,2,7 (0 to 2^53 − 1)'],
  ['1-100001', 'at most 100000 seeds'],
])('seeds of %o are refused', (text, limit) => expect(readSeeds(text)).toEqual({ok: false, limit}));

test('the text of some seeds is parsed into the same seeds', () => {
  expect(seedsText([1, 2, 3, 7, 9, 10])).toBe('1-3,7,9-10');
  const some = fc.uniqueArray(fc.integer({min: 0, max: 12}), {minLength: 1});
  fc.assert(
    fc.property(some, seeds => {
      expect(readSeeds(seedsText(seeds))).toEqual({ok: true, seeds});
    }),
  );
});
