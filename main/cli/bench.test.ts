import {spawnSync} from 'node:child_process';
import {expect, test} from 'vitest';

test('the bench of the command line runs', () => {
  const env = {...process.env, INTERLEAVE_BENCH: 'tiny'};
  const {stdout, stderr, status} = spawnSync(process.execPath, ['main/cli/bench.mjs'], {
    env,
    encoding: 'utf8',
  });
  expect({stderr, status}).toEqual({stderr: '', status: 0});
  const figure = /^command line, .*, (with warm-up|steady): \d+\.\d\d CPU ms each, \d+ per CPU s$/gm;
  expect([...stdout.matchAll(figure)].map(([, kind]) => kind)).toEqual([
    ...['with warm-up', 'steady', 'with warm-up', 'steady'],
    ...['with warm-up', 'steady', 'with warm-up', 'steady'],
  ]);
});
