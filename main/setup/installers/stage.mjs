import {spawnSync} from 'node:child_process';
import {cpSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync} from 'node:fs';
import {basename, join} from 'node:path';
import {root} from '../command.mjs';
import {NOTICES, noticesWithTexts, shippedPackages} from '../notices.mjs';

/**
 * The JavaScript bundles (main/setup/bundle.mjs) that Electron runs. The others are for the command line, the window in
 * a browser, and the API.
 */
const BUNDLES = ['electron.mjs', 'engineWorker.mjs', 'gateway.mjs', 'live.mjs', 'preload.cjs'];
/** The packages that these bundles load at run time. All other packages that they use are contained in them. */
const PACKAGES = ['mediabunny', 'sharp'];

/**
 * Collects the files of the built program for Electron in a folder. The folder's earlier content is removed. The folder
 * is laid out like the repository, because the bundles find everything by relative paths.
 *
 * @param {string} folder
 */
export async function stage(folder) {
  rmSync(folder, {recursive: true, force: true});
  mkdirSync(folder, {recursive: true});
  for (const name of BUNDLES) copy(`dist/main/${name}`, folder);
  copy('dist/renderer', folder);
  stageData(folder);
  for (const name of withDependencies(PACKAGES)) copy(`node_modules/${name}`, folder);
  writeManifest(folder, 'dist/main/electron.mjs', PACKAGES);
  writeFileSync(join(folder, basename(NOTICES)), noticesWithTexts(await shippedPackages()));
}

/** Copies the addon with its loader, the built-in pages, the licence and the commit. @param {string} folder */
export function stageData(folder) {
  for (const path of [
    'native/addon/index.js',
    'native/addon/prebuilts.mjs',
    'native/addon/index.node',
    'fixtures/pages',
    'LICENSE',
  ])
    copy(path, folder);
  // a clone names its commit in .git, which an installer does not have (main/files/program.ts)
  const {status, stdout} = spawnSync('git', ['rev-parse', 'HEAD'], {cwd: root, encoding: 'utf8'});
  copy('main/files/commit.txt', folder);
  if (status === 0) writeFileSync(join(folder, 'main/files/commit.txt'), stdout);
}

/**
 * Writes the package.json of the program.
 *
 * @param {string} folder
 * @param {string} main
 * @param {readonly string[]} packages the packages in the folder that the program imports by name
 */
export function writeManifest(folder, main, packages) {
  const {name, version, description, license, dependencies} = manifestIn(root);
  const manifest = {
    name,
    version,
    description,
    license,
    author: 'The Interleave authors',
    homepage: 'https://interleave.invalid',
    main,
    // the name of the window's class, by which desktops find the icon of a running program
    desktopName: 'interleave.desktop',
    dependencies: Object.fromEntries(packages.map(each => [each, dependencies[each]])),
  };
  writeFileSync(join(folder, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`);
}

/**
 * Returns the names of these packages, and of the installed packages that they need.
 *
 * @param {readonly string[]} names
 */
function withDependencies(names) {
  const found = new Set(names);
  for (const name of found) {
    const {dependencies = {}, optionalDependencies = {}} = manifestIn(join(root, 'node_modules', name));
    const needed = Object.keys({...dependencies, ...optionalDependencies}).filter(each => !each.startsWith('@types/'));
    for (const each of needed) if (existsSync(join(root, 'node_modules', each))) found.add(each);
  }
  return [...found];
}

/** @param {string} folder */
function manifestIn(folder) {
  return JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
}

/** @param {string} path @param {string} folder */
function copy(path, folder) {
  cpSync(join(root, path), join(folder, path), {recursive: true, dereference: true});
}
