import {spawnSync} from 'node:child_process';
import {expect, test} from 'vitest';

test('the bench of the command line prints every figure, with warm-up and steady', () => {
  const env = {...process.env, INTERLEAVE_BENCH: 'tiny'};
  const {stdout, stderr, status} = spawnSync(process.execPath, ['main/cli/bench.mjs'], {
    env,
    encoding: 'utf8',
  });
  expect({stderr, status}).toEqual({stderr: '', status: 0});
  const figure = /^command line, (.*), (with warm-up|steady): \d+\.\d\d CPU ms each, \d+ per CPU s$/gm;
  const measured = [
    'n08-south-asia, TCP and SCTP',
    'gallery at 350 ms, 3 %, TCP and SCTP',
    'gallery, six TCP connections (goal 1.5 ms)',
    'gallery, HTTP/2 (goal 1 ms)',
    'gallery, HTTP/3 (goal 1.2 ms)',
  ];
  expect([...stdout.matchAll(figure)].map(([, name, kind]) => `${name} ${kind}`)).toEqual(
    measured.flatMap(name => [`${name} with warm-up`, `${name} steady`]),
  );
});
