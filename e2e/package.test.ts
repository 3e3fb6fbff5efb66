import {spawn, spawnSync} from 'node:child_process';
import {once} from 'node:events';
import {mkdtempSync, readFileSync, rmSync, writeFileSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {afterAll, beforeAll, beforeEach, describe, expect, test} from 'vitest';
import {root} from '../main/setup/command.mjs';
import {installInto, npm, packAll, type Tarballs} from './packed.ts';

// These tests check which files `npm pack` packs, and whether the packed program runs in a project without other files.

/** The files of the package, as patterns, and how many of each there are at least. */
const CONTENTS: readonly (readonly [pattern: RegExp, least: number])[] = [
  [/^(package\.json|README\.md|LICENSE|CHANGELOG\.md|CITATION\.cff|SECURITY\.md|THIRD_PARTY_NOTICES\.md)$/, 7],
  [/^dist\/main\/[a-zA-Z]+\.mjs$/, 13],
  [/^dist\/main\/preload\.cjs$/, 1],
  [/^dist\/renderer\/(index\.html|sources\.sha256|(assets|movie)\/[^/]+)$/, 10],
  [/^docs\/[a-z-]+\.md$/i, 14],
  [/^schemas\/[a-z]+\.schema\.json$/, 4],
  [/^examples\/[a-z0-9./-]+$/i, 8],
  [/^fixtures\/experiments\/[a-z0-9-]+\.grid\.json$/, 1],
  [/^fixtures\/pages\/(manifest\.json|[a-z0-9-]+\/(files\/)?[a-z0-9.-]+)$/, 60],
  [/^fixtures\/stories\/[a-z-]+\.story\.json$/, 6],
  [/^main\/api\/interleave\.d\.ts$/, 1],
  [/^main\/cli\/interleave\.mjs$/, 1],
  [/^main\/files\/commit\.txt$/, 1],
  [/^main\/setup\/[a-z]+\.mjs$/i, 15],
  [/^native\/Cargo\.(toml|lock)$/, 2],
  [/^native\/patches\/[^/]+\.patch$/, 15],
  [/^native\/addon\/(index\.js|index\.d\.ts|prebuilts\.mjs)$/, 3],
  [/^native\/[a-z]+\/(Cargo\.toml|build\.rs|src\/.+\.rs)$/, 60],
];

const MOST_BYTES = 25e6;

/** What npm prints if there is no network. */
const NO_NETWORK = /ENOTFOUND|EAI_AGAIN|ETIMEDOUT|ECONNREFUSED|ECONNRESET|ENETUNREACH|ENOTCACHED/;

test('npm pack packs the files that are listed above, and no others', () => {
  const {stdout} = npm(['pack', '--dry-run', '--json', '--ignore-scripts'], root, process.env);
  const [packed] = JSON.parse(stdout) as {unpackedSize: number; files: {path: string}[]}[];
  const paths = packed?.files.map(({path}) => path) ?? [];
  expect(paths.filter(path => !CONTENTS.some(([pattern]) => pattern.test(path)))).toEqual([]);
  for (const [pattern, least] of CONTENTS) {
    const found = paths.filter(path => pattern.test(path)).length;
    expect(found, `${pattern}`).toBeGreaterThanOrEqual(least);
  }
  expect(packed?.unpackedSize).toBeLessThan(MOST_BYTES);
  // if a crate of the workspace is missing, cargo builds none
  const [, members = ''] = /^members = \[(.+)\]$/m.exec(readFileSync(join(root, 'native/Cargo.toml'), 'utf8')) ?? [];
  for (const member of members.matchAll(/\w+/g)) expect(paths).toContain(`native/${member}/Cargo.toml`);
});

describe('in an empty folder, without cargo', {tags: ['long']}, () => {
  const folder = mkdtempSync(join(tmpdir(), 'interleave-package-'));
  const project = join(folder, 'project');
  let tarballs: Tarballs;
  let env: NodeJS.ProcessEnv;
  let whyNot = '';
  beforeAll(async () => {
    tarballs = await packAll(folder);
    try {
      env = installInto(project, tarballs);
    } catch (error) {
      if (!NO_NETWORK.test(String(error))) throw error;
      whyNot = 'npm cannot reach the registry, from which it installs the dependencies';
    }
  });
  beforeEach(({skip}) => skip(whyNot !== '', whyNot));
  afterAll(() => rmSync(folder, {recursive: true, force: true}));

  /** Runs `npx interleave` in the project. */
  const interleave = (...args: string[]) => {
    const {status, stdout, stderr} = spawnSync('npx', ['--offline', 'interleave', ...args], {
      cwd: project,
      encoding: 'utf8',
      env,
    });
    return {status, stdout, stderr};
  };

  test('the program runs, and names its commit', () => {
    expect(spawnSync('cargo', ['--version'], {env}).error).toMatchObject({code: 'ENOENT'});
    expect(interleave('--version')).toMatchObject({
      status: 0,
      stdout: expect.stringMatching(/^interleave \S+ \([0-9a-f]{7}\)\n$/),
    });
    const {status, stdout} = interleave('run', '--scenario', 'n07-movie', '--seeds', '1-4', '--json');
    expect(status).toBe(0);
    const {summary} = JSON.parse(stdout) as {summary: {complete: number}[]};
    expect(summary.map(({complete}) => complete)).toEqual([4, 4]);
  });

  test('an experiment with two worker threads ends without an error', () => {
    const grid = 'node_modules/interleave/examples/streams.grid.json';
    const {status, stderr} = interleave('experiment', grid, '--out', 'streams', '--jobs', '2');
    expect({status, stderr: status === 0 ? '' : stderr}).toEqual({status: 0, stderr: ''});
  });

  test('the API runs in plain JavaScript', () => {
    writeFileSync(
      join(project, 'use.mjs'),
      `import {figure, load, measure, openPage, run} from 'interleave';
      import schema from 'interleave/schemas/grid.schema.json' with {type: 'json'};
      const page = await openPage('gallery-3k');
      const result = await run({path: {loss: 0.01}}, {page, seeds: '1-3'});
      const [first] = measure(await load(result.scenario, {page, seed: 1}));
      const same = JSON.stringify(first) === JSON.stringify(result.runs[0].panes[0]);
      console.log(schema.title, same, (await figure(result)).slice(0, 4));`,
    );
    const {status, stdout, stderr} = spawnSync(process.execPath, ['--no-warnings', 'use.mjs'], {
      cwd: project,
      encoding: 'utf8',
      env,
    });
    expect({status, stdout, stderr}).toEqual({status: 0, stdout: 'A grid of Interleave true <svg\n', stderr: ''});
  });

  test('the API has types for strict TypeScript, with NodeNext and with bundlers', () => {
    writeFileSync(
      join(project, 'use.mts'),
      `import {figure, load, measure, openPage, type Page, type PaneMetrics, type RunResult, run} from 'interleave';
      const page: Page = await openPage({synthetic: {objects: 3}});
      const result: RunResult = await run('n07-movie', {page, seeds: [1, 2], onProgress: (done: number) => console.log(done)});
      const times: (number | null)[] = measure(await load({seed: 1})).map((pane: PaneMetrics) => pane.pageTimeMs);
      const svg: string = await figure([result], {metric: 'silentMs', kind: 'ecdf'});
      console.log(times, svg, result.summary[1]?.againstFirst?.rankTest.p);
      // @ts-expect-error: seeds are a text or numbers
      await run('n07-movie', {seeds: true});
      // @ts-expect-error: the results of a load cannot be changed
      result.runs[0]!.seed = 2;
      // @ts-expect-error: there is no such kind
      await figure(result, {kind: 'pie'});`,
    );
    const tsc = join(root, 'node_modules/typescript/bin/tsc');
    const check = (module: string, moduleResolution: string) => {
      const options = ['--strict', '--noEmit', '--target', 'es2022', '--types', '', '--lib', 'es2023,dom'];
      const args = [
        tsc,
        ...options,
        '--exactOptionalPropertyTypes',
        '--module',
        module,
        '--moduleResolution',
        moduleResolution,
      ];
      return spawnSync(process.execPath, [...args, 'use.mts'], {cwd: project, encoding: 'utf8'}).stdout;
    };
    expect(check('nodenext', 'nodenext')).toBe('');
    expect(check('preserve', 'bundler')).toBe('');
  });

  // On Linux, this environment names no display, so the program only prints the address of the window. On other systems
  // it would open the window in a browser.
  test.runIf(process.platform === 'linux')('the window opens', async () => {
    const bin = join(project, 'node_modules/interleave/main/cli/interleave.mjs');
    const window = spawn(process.execPath, [bin, 'window', 'web-lte'], {cwd: project, env});
    try {
      const address = await new Promise<string>(resolve => {
        window.stdout.on('data', text => {
          const [found] = /http:\S+/.exec(String(text)) ?? [];
          if (found !== undefined) resolve(found);
        });
      });
      expect(await (await fetch(address)).text()).toContain('<title>');
    } finally {
      const ended = once(window, 'exit');
      window.kill('SIGTERM');
      await ended;
    }
  });

  test('without a prebuilt addon, one line says what is missing', () => {
    rmSync(join(project, 'node_modules/interleave-linux-x64-gnu'), {recursive: true});
    const {status, stderr} = interleave('pages');
    expect(status).toBe(1);
    expect(stderr).toMatch(
      /^interleave: there is no native addon for .*: the package interleave-.* is not installed, .*\n$/m,
    );
  });
});
