// This file applies our patches to the crates of native/Cargo.lock. A patch is a file
// native/patches/CRATE+VERSION+NN-WHAT.patch. The WebAssembly module also has the patches of native/wasm/patches. The
// patches of a crate are applied in the order of their numbers NN.
import {spawnSync} from 'node:child_process';
import {createHash} from 'node:crypto';
import {existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync} from 'node:fs';
import {homedir} from 'node:os';
import {basename, join} from 'node:path';
import {applyPatch} from './patch.mjs';

/**
 * Returns the folders of the patched crates, and makes the missing ones. The name of a folder contains a hash of the
 * crate and its patches. So an existing folder is always up to date, and a changed patch or version gets a new folder.
 *
 * @param {string} native the folder of Cargo.lock, `patches` and `target`
 * @param {() => Promise<unknown>} fetch makes cargo download the crates of Cargo.lock
 * @param {string[]} [patchFolders] the folders of the patches. The patches of an earlier folder are applied first.
 * @returns {Promise<string[]>}
 * @throws {Error} with a message of one line, if a patch is for another version or cannot be applied, or if its crate
 * cannot be downloaded
 */
export async function patchCrates(native, fetch, patchFolders = ['patches']) {
  const lock = readFileSync(join(native, 'Cargo.lock'), 'utf8');
  const folders = [];
  for (const {name, version, files} of queues(native, patchFolders)) {
    const locked = lockedCrate(lock, name);
    if (locked?.version !== version) {
      const found = locked === undefined ? `no ${name}` : `${name} ${locked.version}`;
      throw new Error(
        `native/${files[0]}: Cargo.lock has ${found}: delete the patch if it is no longer needed, otherwise make a new one`,
      );
    }
    const patches = files.map(file => ({file, text: readFileSync(join(native, file), 'utf8')}));
    const hash = createHash('sha256').update(locked.checksum);
    for (const {text} of patches) hash.update(text);
    const crate = `${name}-${version}`;
    const folder = join(native, 'target/patched', `${crate}-${hash.digest('hex').slice(0, 16)}`);
    folders.push(folder);
    if (existsSync(folder)) continue;
    if (cached(crate) === undefined) await fetch();
    makePatched({crate, checksum: locked.checksum, patches, folder});
  }
  return folders;
}

/**
 * Returns the patches of each crate in the order of their folders and numbers.
 *
 * @param {string} native
 * @param {string[]} folders
 */
function queues(native, folders) {
  /** @type {Map<string, {name: string, version: string, files: string[]}>} */
  const found = new Map();
  const paths = folders.flatMap(folder =>
    readdirSync(join(native, folder))
      .sort()
      .map(name => `${folder}/${name}`),
  );
  for (const file of paths) {
    const [, name, version] = /^([^+]+)\+(.+)\+\d\d-[^+]+\.patch$/.exec(basename(file)) ?? [];
    if (name === undefined || version === undefined) {
      throw new Error(`native/${file}: the name of a patch must be CRATE+VERSION+NN-WHAT.patch`);
    }
    const crate = `${name}+${version}`;
    const queue = found.get(crate) ?? {name, version, files: []};
    queue.files.push(file);
    found.set(crate, queue);
  }
  return found.values();
}

/**
 * Unpacks a crate, applies its patches, and puts the result into `folder`.
 *
 * @param {{crate: string, checksum: string, patches: {file: string, text: string}[], folder: string}} options
 */
function makePatched({crate, checksum, patches, folder}) {
  const path = cached(crate);
  if (path === undefined) throw new Error(`there is no ${crate}.crate in ${cache()}`);
  const actual = createHash('sha256').update(readFileSync(path)).digest('hex');
  if (actual !== checksum) {
    throw new Error(`${path} has SHA-256 ${actual}, but Cargo.lock has ${checksum}: delete the file`);
  }
  mkdirSync(join(folder, '..'), {recursive: true});
  // the crate is unpacked and patched in a temporary folder, which is then renamed, so that `folder` exists only when
  // it is complete
  const fresh = mkdtempSync(`${folder}-`);
  try {
    const {status, stderr, error} = spawnSync('tar', ['-xzf', path, '-C', fresh], {encoding: 'utf8'});
    if (status !== 0) throw new Error(`tar cannot unpack ${path}: ${error?.message ?? stderr.trim()}`);
    for (const {file, text} of patches) {
      try {
        applyPatch(text, join(fresh, crate));
      } catch (error) {
        throw new Error(`native/${file}: ${error instanceof Error ? error.message : error}`);
      }
    }
    if (!existsSync(folder)) renameSync(join(fresh, crate), folder);
  } catch (error) {
    if (!existsSync(folder)) throw error; // if the folder exists, another process made it first
  } finally {
    rmSync(fresh, {recursive: true, force: true});
  }
}

/**
 * Finds the version and the checksum of a crate in the text of a Cargo.lock.
 *
 * @param {string} lock
 * @param {string} name
 */
function lockedCrate(lock, name) {
  const entry = lock.split('[[package]]\n').find(text => text.startsWith(`name = "${name}"\n`));
  const value = (/** @type {string} */ key) => new RegExp(`^${key} = "(.+)"$`, 'm').exec(entry ?? '')?.[1] ?? '';
  return entry === undefined ? undefined : {version: value('version'), checksum: value('checksum')};
}

/**
 * Returns the path of the crate's tarball that cargo downloaded, or undefined if there is none. The tarball is used
 * because its checksum can be verified. The sources that cargo unpacked have no checksum.
 *
 * @param {string} crate
 */
function cached(crate) {
  if (!existsSync(cache())) return undefined;
  return readdirSync(cache())
    .map(registry => join(cache(), registry, `${crate}.crate`))
    .find(path => existsSync(path));
}

function cache() {
  return join(process.env.CARGO_HOME || join(homedir(), '.cargo'), 'registry/cache');
}
