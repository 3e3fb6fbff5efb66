import fc from 'fast-check';
import {expect, test} from 'vitest';
import {MOST_SHARDS, readShard, runOfShard, shardRuns} from './shard.ts';

test('every run belongs to exactly one part, for any number of parts', () => {
  const counts = fc.tuple(fc.integer({min: 0, max: 60}), fc.integer({min: 1, max: 80}));
  fc.assert(
    fc.property(counts, ([runs, of]) => {
      const all = Array.from({length: of}, (_, i) => i + 1).flatMap(part =>
        Array.from({length: shardRuns({part, of}, runs)}, (_, n) => runOfShard({part, of}, n)),
      );
      expect(all.sort((a, b) => a - b)).toEqual(Array.from({length: runs}, (_, run) => run));
    }),
  );
});

test('a run’s part depends on its number alone', () => {
  expect([0, 1, 2].map(n => runOfShard({part: 2, of: 8}, n))).toEqual([1, 9, 17]);
});

test('a shard is read from a text like 2/8, with parts from 1 on', () => {
  expect(readShard('2/8')).toEqual({part: 2, of: 8});
  const wrong = ['0/8', '9/8', '2', '2/', '-1/8', '1.5/2', `1/${MOST_SHARDS + 1}`, ''];
  expect(wrong.map(readShard)).toEqual(wrong.map(() => undefined));
});
