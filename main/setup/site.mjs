// npm run site -- --out FOLDER: builds the web edition, a static folder that any web server can serve.
import './node.mjs';
import {spawnSync} from 'node:child_process';
import {createHash} from 'node:crypto';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import {basename, dirname, join, relative, resolve, sep} from 'node:path';
import {pathToFileURL} from 'node:url';
import {bundle} from './bundle.mjs';
import {inOneLine, root, run} from './command.mjs';
import {fingerprint, readIfThere} from './fingerprint.mjs';
import {once} from './lock.mjs';
import {installPackages} from './packages.mjs';
import {buildWasm} from './wasm.mjs';

/** The file by which a folder is recognised as a web edition that may be replaced. */
const MARK = '.interleave-site';
const WORKER = 'sw.js';

if (process.argv[1] === import.meta.filename) {
  await inOneLine(async () => {
    const folder = outOf(process.argv.slice(2));
    await installPackages();
    await buildSite(folder);
    console.log(`site: ${folder}`);
  });
}

/**
 * @param {readonly string[]} args
 * @throws {Error} if the arguments are not `--out FOLDER`; the message is one line
 */
function outOf(args) {
  const [option, folder, ...others] = args;
  if (option !== '--out' || folder === undefined || others.length > 0)
    throw new Error(`invalid arguments: ${args.join(' ') || 'none'} (use: npm run site -- --out FOLDER)`);
  return resolve(process.env.INIT_CWD ?? '', folder);
}

/**
 * Builds the web edition into dist/site, if it is out of date, and returns this folder. This is for tests and
 * measurements.
 *
 * @returns {Promise<string>}
 */
export async function builtSite() {
  const folder = join(root, 'dist/site');
  const missing = await buildWasm();
  if (missing !== undefined) throw new Error(missing);
  // the site writes its version, which contains the commit, into the files that it saves
  const commit = spawnSync('git', ['rev-parse', 'HEAD'], {cwd: root, encoding: 'utf8'}).stdout ?? '';
  const sources = fingerprint(SOURCES, path => !/\.test\.tsx?$/.test(path)) + commit;
  const stamp = `${folder}.sha256`;
  await once(
    () => readIfThere(stamp) === sources,
    async () => {
      await buildSite(folder);
      writeFileSync(stamp, sources);
    },
    {lock: join(root, '.cache/site.lock')},
  );
  return folder;
}

/** What the web edition is made of. */
const SOURCES = [
  'app',
  'main',
  'renderer',
  'fixtures/pages',
  'fixtures/stories',
  'package-lock.json',
  'native/wasm/index.js',
  'native/wasm/interleave.wasm',
];

/**
 * Builds the web edition. The folder appears only when it is complete. A folder with an earlier web edition is
 * replaced.
 *
 * @param {string} folder
 * @throws {Error} if the folder has other files, or if a part cannot be built; the message is one line
 */
async function buildSite(folder) {
  if (existsSync(folder) && readdirSync(folder).length > 0 && !existsSync(join(folder, MARK)))
    throw new Error(`${folder} is not empty, and is not a web edition: choose another folder`);
  const missing = await buildWasm();
  if (missing !== undefined) throw new Error(missing);
  mkdirSync(dirname(folder), {recursive: true});
  const fresh = mkdtempSync(join(dirname(folder), `.${basename(folder)}-`));
  try {
    const {makePages, versionAt} = await pagesModule();
    const site = join(fresh, 'site');
    const names = await makePages(join(root, 'fixtures/pages'), join(fresh, 'pages'));
    await buildPages(site, versionAt(root), names);
    renameSync(join(fresh, 'pages'), join(site, 'pages'));
    // without this file GitHub Pages would leave out files whose names begin with _
    writeFileSync(join(site, '.nojekyll'), '');
    completeServiceWorker(site);
    writeFileSync(join(site, MARK), '');
    if (existsSync(folder)) renameSync(folder, join(fresh, 'old'));
    renameSync(site, folder);
  } finally {
    rmSync(fresh, {recursive: true, force: true});
  }
}

/**
 * Adds two constants to the service worker: the list of the files that it stores, and a hash of these files and of its
 * own code.
 *
 * @param {string} site
 */
function completeServiceWorker(site) {
  const all = readdirSync(site, {recursive: true, encoding: 'utf8', withFileTypes: true})
    .filter(entry => entry.isFile() && !entry.name.startsWith('.') && entry.name !== WORKER)
    .map(entry => relative(site, join(entry.parentPath, entry.name)).split(sep).join('/'))
    .sort();
  const hash = createHash('sha256');
  const worker = join(site, WORKER);
  for (const file of [WORKER, ...all]) hash.update(`${file}\0`).update(readFileSync(join(site, file)));
  const constants = {INTERLEAVE_FILES: all, INTERLEAVE_BUILD: hash.digest('hex').slice(0, 16)};
  const lines = Object.entries(constants).map(([name, value]) => `const ${name} = ${JSON.stringify(value)};`);
  writeFileSync(worker, [...lines, readFileSync(worker, 'utf8')].join('\n'));
}

/**
 * Bundles the module that writes the pages, and loads it.
 *
 * @returns {Promise<typeof import('../shells/site/makePages.ts')>}
 */
async function pagesModule() {
  mkdirSync(join(root, 'dist'), {recursive: true});
  // The bundle is in dist/, because it imports packages, which Node looks for in the folders above it.
  const folder = mkdtempSync(join(root, 'dist/.site-'));
  try {
    const file = join(folder, 'makePages.mjs');
    await bundle(join(root, 'main/shells/site/makePages.ts'), file, 'es');
    return await import(pathToFileURL(file).href);
  } finally {
    rmSync(folder, {recursive: true, force: true});
  }
}

/**
 * @param {string} folder
 * @param {string} version
 * @param {readonly string[]} names
 */
async function buildPages(folder, version, names) {
  const vite = join(root, 'node_modules/vite/bin/vite.js');
  const config = ['--config', join(root, 'main/shells/site/vite.config.ts'), '--outDir', folder];
  const env = {
    NODE_ENV: 'production',
    INTERLEAVE_SITE_VERSION: JSON.stringify(version),
    INTERLEAVE_SITE_PAGES: JSON.stringify(names),
  };
  const {code} = await run(process.execPath, [vite, 'build', ...config, '--logLevel', 'warn'], {env, toStderr: true});
  if (code !== 0) throw new Error(`vite build ended with exit code ${code}`);
}
