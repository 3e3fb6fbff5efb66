import {existsSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync, writeFileSync} from 'node:fs';
import {basename, dirname, join} from 'node:path';
import {isPackage, root, run} from './command.mjs';
import {fingerprint, readIfThere} from './fingerprint.mjs';
import {once} from './lock.mjs';

// This file must not import npm packages at the top. The command line imports it, and must be able to say that no
// packages are installed.

/**
 * The folder of the bundles. A bundle is a JavaScript file that contains a module and everything that it imports. The
 * folder is as deep as main/engine, so that the bundles find native/addon by the same relative path as
 * main/engine/load.ts.
 */
export const bundles = join(root, 'dist/main');
const entries = {
  worker: 'main/workers/seedWorker.ts',
  experimentWorker: 'main/jobs/experiment/experimentWorker.ts',
  figureWorker: 'main/media/figures/figureWorker.ts',
  adviceWorker: 'main/jobs/advice/adviceWorker.ts',
  engineWorker: 'main/workers/engineWorker.ts',
  gateway: 'main/pages/gateway/gatewayMain.ts',
  converter: 'main/pages/convert/converterMain.ts',
  live: 'main/live/client/liveLoad.ts',
  web: 'main/shells/webShell.ts',
  electron: 'main/shells/electron/main.ts',
  cli: 'main/cli/main.ts',
  api: 'main/api/index.ts',
  drawSvg: 'main/api/drawSvg.ts',
};

/**
 * Name of an environment variable whose value is the root of a repository whose bundles are already built. They are not
 * built again, even if files are edited meanwhile. A test run sets the variable (e2e/buildOnce.ts). Other checkouts,
 * such as those that tests of these scripts make, are not affected.
 */
export const BUILT = 'INTERLEAVE_BUILT';

/** Bundles the TypeScript that runs in Node, if the bundles are out of date. */
export async function bundleMain() {
  if (isPackage || process.env[BUILT] === root) return;
  const sources = fingerprint(['app', 'main', 'package-lock.json'], isNoTest);
  await once(
    () => readIfThere(join(bundles, STAMP)) === sources,
    async () => {
      // the bundles are built in another folder and then renamed, because another process may be reading the old ones
      mkdirSync(bundles, {recursive: true});
      const fresh = makeFresh(bundles);
      try {
        for (const [name, entry] of Object.entries(entries)) {
          await bundle(join(root, entry), join(fresh, `${name}.mjs`), 'es');
        }
        // a sandboxed preload script cannot be a module
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
 * Bundles an entry and everything it imports into one file for Node, except the packages in `EXTERNAL`.
 *
 * @param {string} entry
 * @param {string} file
 * @param {'es' | 'cjs'} format
 * @param {{target?: string, config?: import('vite').InlineConfig}} [options]
 */
export async function bundle(entry, file, format, {target = 'node20', config} = {}) {
  const {build} = await import('vite');
  const {NODE_ENV} = process.env;
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
  // Vite sets NODE_ENV to 'production', and every process that starts later would inherit the value. React would then
  // have no `act`, and npm would list no development packages.
  if (NODE_ENV === undefined) delete process.env['NODE_ENV'];
  else process.env['NODE_ENV'] = NODE_ENV;
}

/**
 * Makes the ES modules load the addon by its path from dist/main, no matter which source file imports it. The bundles
 * for the smoke test with an old Electron are not ES modules, and get another path (e2e/electron/build.ts).
 * @type {import('vite').Plugin}
 */
const addonFromBundle = {
  name: 'addon-from-bundle',
  enforce: 'pre',
  resolveId: id =>
    id.endsWith('/native/addon/index.js') ? {id: '../../native/addon/index.js', external: true} : undefined,
};

/** Packages that are not bundled, because they load their own files at run time or have many files. */
export const EXTERNAL = ['ws', 'electron', 'playwright-core', 'sharp', 'mediabunny', 'jsdom', '@observablehq/plot'];

/** Builds the window's page into dist/renderer, if it is out of date. */
export async function bundleRenderer() {
  if (isPackage || process.env[BUILT] === root) return;
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
        // a test runner's NODE_ENV would select React's development build, and the next window would then use that
        // build
        const env = {NODE_ENV: 'production'};
        const args = [vite, 'build', ...config, '--logLevel', 'warn'];
        const {code} = await run(process.execPath, args, {env, toStderr: true});
        if (code !== 0) throw new Error(`vite build ended with exit code ${code}`);
        writeFileSync(join(fresh, 'new', STAMP), sources);
        // Between the two renames, which take a few milliseconds, no window can be opened. An open window keeps what it
        // has loaded, but cannot load the old version of its other parts later (renderer/kit/loadedLater.tsx).
        if (existsSync(built)) renameSync(built, join(fresh, 'old'));
        renameSync(join(fresh, 'new'), built);
      } finally {
        rmSync(fresh, {recursive: true, force: true});
      }
    },
  );
}

/**
 * Makes a temporary folder next to `place`. The lock lets only one process build at a time, so other such folders were
 * left by killed builds, and are removed.
 */
function makeFresh(/** @type {string} */ place) {
  const isLeft = (/** @type {string} */ name) => name.startsWith(`${basename(place)}-`);
  for (const name of readdirSync(dirname(place)).filter(isLeft))
    rmSync(join(dirname(place), name), {recursive: true, force: true});
  return mkdtempSync(`${place}-`);
}

/** Name of the file with the hash of a bundle's sources. The file is written last. */
const STAMP = 'sources.sha256';

/** @param {string} path */
function isNoTest(path) {
  return !/\.test\.tsx?$/.test(path);
}
