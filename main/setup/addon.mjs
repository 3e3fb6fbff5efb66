import {createHash} from 'node:crypto';
import {copyFileSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync} from 'node:fs';
import {dirname, join} from 'node:path';
import {pathToFileURL} from 'node:url';
import {findPrebuilt, ownVersion} from '../../native/addon/prebuilts.mjs';
import {runCargo} from './cargo.mjs';
import {inOneLine, root} from './command.mjs';
import {fingerprint, readIfThere} from './fingerprint.mjs';
import {once} from './lock.mjs';

/**
 * Builds the addon, which is the native module for Node that contains the Rust core, and puts it in place, unless it is
 * already built from the current sources. If a prebuilt addon that was built from these sources is installed, nothing
 * is built.
 */
export async function buildAddon() {
  if (isPrebuilt()) {
    // native/addon/index.js would prefer an addon that was built here, which may be older
    rmSync(placed, {force: true});
    rmSync(stampPath, {force: true});
    return;
  }
  const sources = addonSources() + process.platform + process.arch;
  const isBuilt = () => {
    const stamp = readStamp();
    return stamp?.sources === sources && stamp.library === hashOf(placed);
  };
  const work = async () => {
    console.log('addon: cargo build --release');
    const built = await build();
    // the new file is renamed, because overwriting the old one would crash a process that has it mapped
    replace(placed, fresh => copyFileSync(built, fresh));
    const library = hashOf(placed);
    mkdirSync(dirname(stampPath), {recursive: true});
    replace(stampPath, fresh => writeFileSync(fresh, JSON.stringify({sources, library})));
  };
  // the addon has a separate lock: it can be built while other things are set up, because it depends on none of them
  await once(isBuilt, work, {lock: join(root, '.cache/addon.lock')});
}

/** Whether a prebuilt addon is installed that was built from the current sources. */
function isPrebuilt() {
  const found = findPrebuilt(ownVersion());
  return 'path' in found && found.sources === addonSources();
}

/** Returns a hash of the Rust sources of the addon. */
export function addonSources() {
  return fingerprint(SOURCES);
}

/** Builds the addon, unless an addon of the current sources exists. @returns {Promise<string>} its path */
export async function builtAddon() {
  await buildAddon();
  const found = findPrebuilt(ownVersion());
  return !existsSync(placed) && 'path' in found ? found.path : placed;
}

/**
 * Whether the addon is the file that was built. A truncated file would crash the process that loads it.
 *
 * @returns {boolean} true also if `buildAddon` did not build the addon, because there is no hash of the built file then
 */
export function isAddonWhole() {
  const stamp = readStamp();
  return stamp === undefined || stamp.library === hashOf(placed);
}

/** Builds the library, and returns its path, wherever cargo's configuration puts it. */
async function build() {
  const args = /** @type {const} */ (['build', '--quiet', '--release', '--package', 'addon']);
  const {code, output} = await runCargo([...args, '--message-format=json-render-diagnostics'], {
    capture: true,
  });
  if (code !== 0) throw new Error(`cargo build ended with exit code ${code}`);
  const artifacts = output.split('\n').filter(line => line.includes('"compiler-artifact"'));
  const [library] = artifacts
    .map(line => JSON.parse(line))
    .filter(({target}) => target.name === 'addon' && target.kind.includes('cdylib'))
    .map(({filenames}) => filenames[0]);
  if (library === undefined) throw new Error('cargo build made no library of the addon');
  return library;
}

/**
 * @param {string} path
 * @param {(fresh: string) => void} make
 */
function replace(path, make) {
  const fresh = `${path}.${process.pid}.new`;
  try {
    make(fresh);
    renameSync(fresh, path);
  } finally {
    rmSync(fresh, {force: true});
  }
}

/** @returns {{sources: string, library: string} | undefined} */
function readStamp() {
  try {
    return JSON.parse(readIfThere(stampPath) ?? 'null') ?? undefined;
  } catch {
    return undefined;
  }
}

/** @param {string} path */
function hashOf(path) {
  try {
    return createHash('sha256').update(readFileSync(path)).digest('hex');
  } catch {
    return undefined;
  }
}

const placed = join(root, 'native/addon/index.node');
const stampPath = join(root, '.cache/addon.json');
/** Sources of the library. They include netsim's unit tests, which are in its source files, but no other tests. */
const SOURCES = [
  'Cargo.toml',
  'Cargo.lock',
  'patches',
  'netsim/Cargo.toml',
  'netsim/build.rs',
  'netsim/src',
  'binding/Cargo.toml',
  'binding/src',
  'addon/Cargo.toml',
  'addon/build.rs',
  'addon/src',
].map(path => `native/${path}`);

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) await inOneLine(buildAddon);
