import {execFileSync} from 'node:child_process';
import {mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync, statSync} from 'node:fs';
import {join} from 'node:path';

// No imports from npm up here: the command line runs before anything is installed, and says so.

const root = join(import.meta.dirname, '../..');
/** As deep as main/engine, so that the bundles find native/addon by the same relative path. */
export const bundles = join(root, 'dist/main');
/** In this order, after the preload: who finds the last one new finds all of them new. */
const entries = {
  worker: 'main/engine/worker.ts',
  engineWorker: 'main/engine/engineWorker.ts',
  web: 'main/shells/web.ts',
  electron: 'main/shells/electron/main.ts',
  cli: 'main/cli/main.ts',
};

/** Bundles the TypeScript that runs in Node, where it is out of date. */
export async function bundleMain() {
  const built = modified(join(bundles, 'cli.mjs'));
  if (newest(['app', 'main']) < built) return;
  const {build} = await import('esbuild');
  // beside its place, then renamed into it: another process may be reading
  mkdirSync(bundles, {recursive: true});
  const fresh = mkdtempSync(`${bundles}-`);
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
      external: ['*/native/addon/index.js', 'ws', 'electron', 'playwright-core', 'sharp'],
    });
    // a sandboxed preload is no module
    await build({
      entryPoints: [join(root, 'main/preload.ts')],
      outfile: join(fresh, 'preload.cjs'),
      bundle: true,
      platform: 'node',
      format: 'cjs',
      external: ['electron'],
      logLevel: 'error',
    });
    const modules = Object.keys(entries).flatMap(name => [`${name}.mjs.map`, `${name}.mjs`]);
    for (const file of ['preload.cjs', ...modules]) renameSync(join(fresh, file), join(bundles, file));
  } finally {
    rmSync(fresh, {recursive: true, force: true});
  }
}

/** Builds the window's page into dist/renderer, where it is out of date. */
export async function bundleRenderer() {
  if (newest(['app', 'renderer']) < modified(join(root, 'dist/renderer/index.html'))) return;
  console.error('window: vite build');
  const vite = join(root, 'node_modules/vite/bin/vite.js');
  const options = ['--config', join(root, 'renderer/vite.config.ts'), '--logLevel', 'warn'];
  // under a test runner's NODE_ENV it would be React's development build, for whoever starts the window next
  const env = {...process.env, NODE_ENV: 'production'};
  execFileSync(process.execPath, [vite, 'build', ...options], {cwd: root, env, stdio: ['ignore', 2, 2]});
}

/** When the newest file of these folders, or of the packages, was changed, ms. */
function newest(folders) {
  const sources = folders.flatMap(folder =>
    readdirSync(join(root, folder), {recursive: true}).map(path => join(root, folder, path)),
  );
  return Math.max(...[...sources, join(root, 'package-lock.json')].map(modified));
}

function modified(path) {
  return statSync(path, {throwIfNoEntry: false})?.mtimeMs ?? 0;
}
