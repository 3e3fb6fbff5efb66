import {spawnSync} from 'node:child_process';
import {expect, test} from 'vitest';

test('the bench of the command line runs', () => {
  const env = {...process.env, INTERLEAVE_BENCH: 'tiny'};
  const {stdout, stderr, status} = spawnSync(process.execPath, ['main/cli/bench.mjs'], {
    env,
    encoding: 'utf8',
  });
  expect({stderr, status}).toEqual({stderr: '', status: 0});
  expect(stdout.match(/^command line, .*: \d+\.\d CPU ms each, \d+ per CPU s$/gm)).toHaveLength(2);
});
