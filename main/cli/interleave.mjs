#!/usr/bin/env node
// `npx interleave`: bundles the TypeScript in dist/ where it is out of date, then runs it.
import {mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync, statSync} from 'node:fs';
import {dirname, join} from 'node:path';
import {fileURLToPath, pathToFileURL} from 'node:url';

const root = join(dirname(fileURLToPath(import.meta.url)), '../..');
const bundled = join(root, 'dist/cli');
// in this order: who finds the last one new finds all of them new
const entries = {worker: 'main/engine/worker.ts', main: 'main/cli/main.ts'};

try {
  if (isStale()) await bundle();
  const {main} = await import(pathToFileURL(join(bundled, 'main.mjs')).href);
  process.exitCode = await main(process.argv.slice(2), root);
} catch (error) {
  if (error.code === 'ERR_MODULE_NOT_FOUND' || error.code === 'MODULE_NOT_FOUND') {
    console.error(
      `interleave: not set up yet: run npm test once in ${root} (${error.message.split('\n')[0]})`,
    );
    process.exitCode = 1;
  } else throw error;
}

function isStale() {
  const built = modified(join(bundled, 'main.mjs'));
  const sources = ['app', 'main'].flatMap(folder =>
    readdirSync(join(root, folder), {recursive: true}).map(path => join(root, folder, path)),
  );
  return [...sources, join(root, 'package-lock.json')].some(path => modified(path) >= built);
}

async function bundle() {
  const {build} = await import('esbuild');
  // beside its place, then renamed into it: another process may be reading
  mkdirSync(bundled, {recursive: true});
  const fresh = mkdtempSync(`${bundled}-`);
  try {
    await build({
      entryPoints: Object.fromEntries(
        Object.entries(entries).map(([name, path]) => [name, join(root, path)]),
      ),
      outdir: fresh,
      outExtension: {'.js': '.mjs'},
      bundle: true,
      platform: 'node',
      target: 'node20',
      format: 'esm',
      sourcemap: 'linked',
      logLevel: 'error',
      // stays where it is: dist/cli is as deep as main/engine, so its relative path holds
      external: ['*/native/addon/index.js'],
    });
    for (const name of Object.keys(entries)) {
      for (const file of [`${name}.mjs.map`, `${name}.mjs`])
        renameSync(join(fresh, file), join(bundled, file));
    }
  } finally {
    rmSync(fresh, {recursive: true, force: true});
  }
}

function modified(path) {
  return statSync(path, {throwIfNoEntry: false})?.mtimeMs ?? 0;
}
