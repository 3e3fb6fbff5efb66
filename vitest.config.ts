import {existsSync, readdirSync, readFileSync} from 'node:fs';
import {availableParallelism} from 'node:os';
import {join} from 'node:path';
import {defineConfig} from 'vitest/config';

/** Functions of `vi` with which test files replace something, each with the function of `vi` that undoes this. */
const UNDONE_BY = {
  stubEnv: 'unstubAllEnvs',
  stubGlobal: 'unstubAllGlobals',
  spyOn: 'restoreAllMocks',
  useFakeTimers: 'useRealTimers',
};

/** Test files that measure their process or a loaded module, so they cannot share these with other files. */
const MEASURES_PROCESS = ['native/wasm/wasm.test.ts', 'main/live/server/liveServer.test.ts'];

/** The folders with tests. */
const FOLDERS = ['app', 'main', 'renderer', 'native/addon', 'native/interop', 'native/wasm', 'fixtures', 'e2e'];

/**
 * Test files that are not loaded: those that have only tests with the tag `long`, if the run leaves these tests out, as
 * `npm test` does. Some of them build or look for something when they are loaded.
 */
const unused = process.argv.includes('--tags-filter=!long')
  ? FOLDERS.flatMap(filesIn).filter(path => /^\/\/ @module-tag long$/m.test(textOf(path)))
  : [];

/**
 * Test files that run what is bundled: the window, the command line, and the processes and threads of both. Everything
 * is built once, before the first of these files runs.
 */
const built = [
  ...testFiles('e2e'),
  ...testFiles('main/cli'),
  ...testFiles('main').filter(path => /\/(bundle|interleave|start)\.mjs\b/.test(textOf(path))),
].filter((path, i, all) => all.indexOf(path) === i);

/**
 * All other test files that share processes and loaded modules, because they leave nothing behind. A process for each
 * file would take half a second of CPU time.
 */
const together = FOLDERS.flatMap(testFiles).filter(path => !built.includes(path) && sharesModules(path));

/** The files of `together` that need no browser, process or kernel. `npm test` does not run them again if they fail. */
const pure = ['app', 'renderer', 'main/engine', 'main/workers']
  .flatMap(testFiles)
  .filter(path => together.includes(path));

const onceBuilt = {globalSetup: 'e2e/buildOnce.ts'};

export default defineConfig({
  test: {
    globalSetup: 'e2e/cacheFolder.ts',
    // the limit is long, because a browser has to start, and a machine may be slow or busy
    testTimeout: 180_000,
    hookTimeout: 180_000,
    expect: {poll: {timeout: 60_000}},
    // `npm test` leaves these out, and `npm run test:long` runs them; vitest by itself runs both
    tags: [{name: 'long', description: 'takes many seconds, and a shorter test would notice most faults, too'}],
    // more workers than cores, because many wait for a browser or a peer
    maxWorkers: availableParallelism() + 1,
    // projects run in the order of their names, so those that take long run first
    projects: [
      {extends: true, test: {...onceBuilt, name: 'built', include: built.filter(sharesModules), isolate: false}},
      {extends: true, test: {...onceBuilt, name: 'built alone', include: built.filter(path => !sharesModules(path))}},
      {
        extends: true,
        test: {
          name: 'others',
          include: FOLDERS.map(folder => `${folder}/**/*.test.{ts,tsx}`),
          exclude: ['**/node_modules/**', ...unused, ...built, ...together],
        },
      },
      {extends: true, test: {name: 'pure', include: pure, isolate: false}},
      {
        extends: true,
        test: {
          name: 'together',
          include: together.filter(path => !pure.includes(path)),
          isolate: false,
        },
      },
    ],
  },
});

/** Returns the paths of the test files below a folder, without {@link unused}. */
function testFiles(folder: string): readonly string[] {
  return filesIn(folder).filter(path => !unused.includes(path));
}

/** Returns the paths of all test files below a folder. */
function filesIn(folder: string): readonly string[] {
  const path = join(import.meta.dirname, folder);
  // tests of the set-up use this file in a folder with only a part of the repository
  if (!existsSync(path)) return [];
  return readdirSync(path, {recursive: true, encoding: 'utf8'})
    .filter(name => /\.test\.tsx?$/.test(name))
    .map(name => `${folder}/${name}`);
}

/**
 * Whether a test file can share its process and the loaded modules with other files. The file must replace no modules.
 * If it replaces environment variables, globals, methods or timers, it must undo this. It must not measure what it
 * shares.
 */
function sharesModules(path: string): boolean {
  if (MEASURES_PROCESS.includes(path)) return false;
  const text = textOf(path);
  const isUsed = (name: string) => text.includes(`vi.${name}(`);
  return (
    !['mock', 'doMock', 'hoisted'].some(isUsed) &&
    Object.entries(UNDONE_BY).every(([use, undo]) => !isUsed(use) || isUsed(undo))
  );
}

function textOf(path: string): string {
  return readFileSync(join(import.meta.dirname, path), 'utf8');
}
