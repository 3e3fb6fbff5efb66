import {expect, test} from 'vitest';
import {ByteRanges} from './byteRanges.ts';

test('ranges that are added in any order contain the same numbers as a plain set', () => {
  let seed = 7;
  const random = (below: number) => {
    seed = (seed * 1_103_515_245 + 12_345) % 2 ** 31;
    return seed % below;
  };
  for (let run = 0; run < 60; run++) {
    const [ranges, plain] = [new ByteRanges(), new Set<number>()];
    for (let i = 0; i < 12; i++) {
      const from = random(40);
      const to = from + random(8);
      ranges.add(from, to);
      for (let number = from; number < to; number++) plain.add(number);
      let end = 0;
      while (plain.has(end)) end += 1;
      expect(ranges.covers(from, to + 2)).toBe([from, to, to + 1].every(at => plain.has(at)));
      expect([ranges.end, ranges.largest]).toEqual([end, Math.max(-1, ...plain)]);
      const found = Array.from({length: 50}, (_, number) => number).filter(number => ranges.has(number));
      expect(found).toEqual([...plain].toSorted((a, b) => a - b));
    }
  }
});

test('empty ranges and ranges that are no numbers add nothing', () => {
  const ranges = new ByteRanges();
  ranges.add(5, 5);
  ranges.add(6, 2);
  ranges.add(Number.NaN, 3);
  expect([ranges.end, ranges.largest]).toEqual([0, -1]);
});

test('very many ranges in descending order are not all added, because this would take minutes', () => {
  const ranges = new ByteRanges();
  for (let at = 400_000; at > 0; at -= 2) ranges.add(at, at + 1);
  expect(ranges.has(400_000)).toBe(true);
  expect(ranges.has(2)).toBe(false);
});
