import {spawn} from 'node:child_process';
import {once} from 'node:events';
import {cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {dirname, join} from 'node:path';
import {text} from 'node:stream/consumers';
import {afterEach, beforeEach, expect, test} from 'vitest';
import {BUILT} from './bundle.mjs';
import {root as repository} from './command.mjs';

// These tests use the test runner's set-up in a checkout that has little to build, and two test files that need the
// build.

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'interleave-bundle-'));
  for (const part of [
    'main/setup',
    'package.json',
    'package-lock.json',
    'vitest.config.ts',
    'renderer/vite.config.ts',
    'e2e/buildOnce.ts',
    'e2e/cacheFolder.ts',
  ])
    cpSync(join(repository, part), join(root, part), {
      recursive: true,
      filter: path => !/\.test\./.test(path),
    });
  symlinkSync(join(repository, 'node_modules'), join(root, 'node_modules'));
  const {entries} = /const entries = \{(?<entries>.*?)\};/s.exec(
    readFileSync(join(root, 'main/setup/bundle.mjs'), 'utf8'),
  )?.groups ?? {entries: ''};
  const modules = [...(entries ?? '').matchAll(/'(.*?)'/g)].map(([, path]) => path ?? '');
  for (const path of [...modules, 'main/engine/load.ts', 'main/preload.ts']) write(path, 'export const x = 1;\n');
  for (const page of ['index.html', 'movie/stage.html', 'movie/encoder.html'])
    write(`renderer/${page}`, '<!doctype html>');
  write('app/edited.ts', '');
});
afterEach(() => rmSync(root, {recursive: true, force: true}));

test('one build serves all test files of a run, even if a source is edited; the next run contains the edit', {
  tags: ['long'],
}, async () => {
  for (const name of ['one', 'two']) write(`e2e/${name}.test.ts`, EDITS);
  // folders that killed builds left
  for (const left of ['main-aBcDeF', 'renderer-aBcDeF']) write(`dist/${left}/half.mjs`, '');
  const first = await run('node_modules/vitest/vitest.mjs', 'run');
  expect(first.code, first.output).toBe(0);
  expect(first.output).toContain('2 passed');
  expect(first.output.match(/vite build/g)).toHaveLength(1);
  expect(readdirSync(join(root, 'dist')).sort()).toEqual(['main', 'renderer']);
  // no test had to wait for a build
  expect(first.output).not.toContain('waits for process');
  const stamp = readFileSync(join(root, STAMP), 'utf8');
  write(
    'build.mjs',
    "import {bundleMain, bundleRenderer} from './main/setup/bundle.mjs';\nawait bundleMain();\nawait bundleRenderer();\n",
  );
  expect((await run('build.mjs')).output).toContain('vite build');
  expect(readFileSync(join(root, STAMP), 'utf8')).not.toBe(stamp);
});

const STAMP = 'dist/main/sources.sha256';

/** Each test file edits a source of both bundles, and then requests both bundles as every test does. */
const EDITS = `
import {appendFileSync, readFileSync} from 'node:fs';
import {expect, test} from 'vitest';
import {bundleMain, bundleRenderer} from '../main/setup/bundle.mjs';
test('edits', async () => {
  const stamp = readFileSync('${STAMP}', 'utf8');
  appendFileSync('app/edited.ts', '// edited');
  await Promise.all([bundleMain(), bundleRenderer()]);
  expect(readFileSync('${STAMP}', 'utf8')).toBe(stamp);
});
`;

function write(path: string, content: string): void {
  mkdirSync(dirname(join(root, path)), {recursive: true});
  writeFileSync(join(root, path), content);
}

/** Runs a script without the variable that tells this test run that everything is already built. */
async function run(script: string, ...args: string[]): Promise<{code: unknown; output: string}> {
  const env = Object.fromEntries(
    Object.entries(process.env).filter(([name]) => name !== BUILT && !name.startsWith('VITEST')),
  );
  const child = spawn(process.execPath, [script, ...args], {cwd: root, env});
  const [[code], ...output] = await Promise.all([once(child, 'close'), text(child.stdout), text(child.stderr)]);
  return {code, output: output.join('')};
}
