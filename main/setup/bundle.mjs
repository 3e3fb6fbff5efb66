import {existsSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync, writeFileSync} from 'node:fs';
import {basename, dirname, join} from 'node:path';
import {root, run} from './command.mjs';
import {fingerprint, readIfThere} from './fingerprint.mjs';
import {once} from './lock.mjs';

// No imports from npm up here: the command line runs before anything is installed, and says so.

/** As deep as main/engine, so that the bundles find native/addon by the same relative path. */
export const bundles = join(root, 'dist/main');
const entries = {
  worker: 'main/workers/worker.ts',
  experimentWorker: 'main/jobs/experiment/worker.ts',
  figureWorker: 'main/media/figures/worker.ts',
  adviceWorker: 'main/jobs/advice/worker.ts',
  engineWorker: 'main/workers/engineWorker.ts',
  gateway: 'main/pages/gateway/process.ts',
  converter: 'main/pages/convert/process.ts',
  live: 'main/live/client/liveLoad.ts',
  web: 'main/shells/web.ts',
  electron: 'main/shells/electron/main.ts',
  cli: 'main/cli/main.ts',
};

/**
 * Set to the repository's root by whoever has built it and wants it to stay so, whatever is edited meanwhile: a test run
 * (e2e/buildOnce.ts). A checkout elsewhere, of a test of these scripts, is not meant.
 */
export const BUILT = 'INTERLEAVE_BUILT';

/** Bundles the TypeScript that runs in Node, where it is out of date. */
export async function bundleMain() {
  if (process.env[BUILT] === root) return;
  const sources = fingerprint(['app', 'main', 'package-lock.json'], isNoTest);
  await once(
    () => readIfThere(join(bundles, STAMP)) === sources,
    async () => {
      // beside its place, then renamed into it: another process may be reading
      mkdirSync(bundles, {recursive: true});
      const fresh = makeFresh(bundles);
      try {
        for (const [name, entry] of Object.entries(entries)) {
          await bundle(join(root, entry), join(fresh, `${name}.mjs`), 'es');
        }
        // a sandboxed preload is no module
        await bundle(join(root, 'main/preload.ts'), join(fresh, 'preload.cjs'), 'cjs');
        writeFileSync(join(fresh, STAMP), sources);
        const modules = [...Object.keys(entries).map(name => `${name}.mjs`), 'preload.cjs'];
        for (const file of [...modules.flatMap(name => [`${name}.map`, name]), STAMP]) {
          renameSync(join(fresh, file), join(bundles, file));
        }
      } finally {
        rmSync(fresh, {recursive: true, force: true});
      }
    },
  );
}

/**
 * One file for Node of an entry and all that it imports, but for packages that find files of their own.
 *
 * @param {string} entry
 * @param {string} file
 * @param {'es' | 'cjs'} format
 * @param {{target?: string, config?: import('vite').InlineConfig}} [options]
 */
export async function bundle(entry, file, format, {target = 'node20', config} = {}) {
  const {build} = await import('vite');
  await build({
    configFile: false,
    root,
    publicDir: false,
    logLevel: 'error',
    ...config,
    plugins: [...(config?.plugins ?? []), ...(format === 'es' ? [addonFromBundle] : [])],
    ssr: {noExternal: true, external: EXTERNAL},
    build: {
      ssr: true,
      target,
      minify: false,
      sourcemap: true,
      outDir: dirname(file),
      emptyOutDir: false,
      rolldownOptions: {
        input: entry,
        output: {format, entryFileNames: basename(file), codeSplitting: false},
      },
    },
  });
}

/**
 * The addon is loaded from where the bundle is, dist/main, however deep the source that imports it. Electron's smoke build
 * knows where the addon is.
 * @type {import('vite').Plugin}
 */
const addonFromBundle = {
  name: 'addon-from-bundle',
  enforce: 'pre',
  resolveId: id =>
    id.endsWith('/native/addon/index.js') ? {id: '../../native/addon/index.js', external: true} : undefined,
};

/** Packages that find files of their own, or have many. */
const EXTERNAL = ['ws', 'electron', 'playwright-core', 'sharp', 'mediabunny', 'jsdom', '@observablehq/plot'];

/** Builds the window's page into dist/renderer, where it is out of date. */
export async function bundleRenderer() {
  if (process.env[BUILT] === root) return;
  const sources = fingerprint(['app', 'renderer', 'fixtures/stories', 'package-lock.json'], isNoTest);
  const built = join(root, 'dist/renderer');
  await once(
    () => readIfThere(join(built, STAMP)) === sources,
    async () => {
      console.error('window: vite build');
      mkdirSync(join(root, 'dist'), {recursive: true});
      const fresh = makeFresh(built);
      try {
        const vite = join(root, 'node_modules/vite/bin/vite.js');
        const config = ['--config', join(root, 'renderer/vite.config.ts'), '--outDir', join(fresh, 'new')];
        // under a test runner's NODE_ENV it would be React's development build, for whoever starts the window next
        const env = {NODE_ENV: 'production'};
        const args = [vite, 'build', ...config, '--logLevel', 'warn'];
        const {code} = await run(process.execPath, args, {env, toStderr: true});
        if (code !== 0) throw new Error(`vite build ended with exit code ${code}`);
        writeFileSync(join(fresh, 'new', STAMP), sources);
        // a window that is open has read what it needs, but for a few milliseconds nobody can open one
        if (existsSync(built)) renameSync(built, join(fresh, 'old'));
        renameSync(join(fresh, 'new'), built);
      } finally {
        rmSync(fresh, {recursive: true, force: true});
      }
    },
  );
}

/** A folder beside a place. The lock lets one process build at a time, so others there are left by killed builds. */
function makeFresh(/** @type {string} */ place) {
  const isLeft = (/** @type {string} */ name) => name.startsWith(`${basename(place)}-`);
  for (const name of readdirSync(dirname(place)).filter(isLeft))
    rmSync(join(dirname(place), name), {recursive: true, force: true});
  return mkdtempSync(`${place}-`);
}

/** What a bundle was made of, written last. */
const STAMP = 'sources.sha256';

/** @param {string} path */
function isNoTest(path) {
  return !/\.test\.tsx?$/.test(path);
}
