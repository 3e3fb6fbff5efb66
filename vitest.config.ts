import {readdirSync, readFileSync} from 'node:fs';
import {availableParallelism} from 'node:os';
import {join} from 'node:path';
import {defineConfig} from 'vitest/config';

/**
 * Test files that run what is bundled: the window, the command line, and the processes and threads of both. All is
 * built once before the first of them.
 */
const built = [
  ...testFiles('e2e'),
  ...testFiles('main/cli'),
  ...testFiles('main').filter(path => /\/(bundle|interleave|start)\.mjs\b/.test(textOf(path))),
].filter((path, i, all) => all.indexOf(path) === i);

/**
 * Test files that leave nothing behind for others: those of what is pure, and of the engine. They share processes and
 * what these have loaded, at less than half the CPU time. Not who replaces modules, globals or timers (`vi`).
 */
const together = ['app', 'renderer', 'main/engine', 'main/workers']
  .flatMap(testFiles)
  .filter(path => !built.includes(path) && !/\bvi\./.test(textOf(path)));

/**
 * A busy machine can make a test with browsers, processes or kernels fail. Such a test is run once more, and `npm test`
 * names each test that passed only then.
 */
const RETRIES = 1;

export default defineConfig({
  test: {
    globalSetup: 'e2e/cacheFolder.ts',
    // a browser has to start, and a machine may be slow or busy: that is no fault
    testTimeout: 180_000,
    hookTimeout: 180_000,
    expect: {poll: {timeout: 60_000}},
    // `npm test` leaves these out, and `npm run test:long` runs them; vitest by itself runs both
    tags: [{name: 'long', description: 'takes many seconds, and a shorter test would notice most faults, too'}],
    // more than there are cores: many wait for a browser or a peer
    maxWorkers: availableParallelism() + 1,
    // by name, so those that take long go first
    projects: [
      {extends: true, test: {name: 'built', include: built, globalSetup: 'e2e/buildOnce.ts', retry: RETRIES}},
      {
        extends: true,
        test: {
          name: 'others',
          retry: RETRIES,
          include: ['{app,main,renderer,native,fixtures,e2e}/**/*.test.{ts,tsx}'],
          exclude: ['**/node_modules/**', 'native/target/**', ...built, ...together],
        },
      },
      {extends: true, test: {name: 'together', include: together, isolate: false}},
    ],
  },
});

/** Below a folder, their paths from here. */
function testFiles(folder: string): readonly string[] {
  return readdirSync(join(import.meta.dirname, folder), {recursive: true, encoding: 'utf8'})
    .filter(name => /\.test\.tsx?$/.test(name))
    .map(name => `${folder}/${name}`);
}

function textOf(path: string): string {
  return readFileSync(join(import.meta.dirname, path), 'utf8');
}
