// npm run wasm: builds the WebAssembly module native/wasm/interleave.wasm from native/wasm, unless it is already built
// from the current sources.
import './node.mjs';
import {spawnSync} from 'node:child_process';
import {copyFileSync, existsSync, mkdirSync, readFileSync, renameSync, writeFileSync} from 'node:fs';
import {delimiter, dirname, join} from 'node:path';
import {pathToFileURL} from 'node:url';
import {inOneLine, root, run} from './command.mjs';
import {patchCrates} from './crates.mjs';
import {fingerprint, readIfThere} from './fingerprint.mjs';
import {once} from './lock.mjs';
import {isOlder} from './node.mjs';
import {installDebianPackages} from './system.mjs';

/** The built module. */
export const wasmModule = join(root, 'native/wasm/interleave.wasm');

/**
 * Installs Debian's Rust for WebAssembly if there is no toolchain, and for tests also Debian's Firefox. If the user is
 * not root, it only prints the command that installs them.
 */
export async function installForWasm({isForTests = true} = {}) {
  if (findToolchain() === undefined) await installDebianPackages(DEBIAN);
  if (isForTests) await installDebianPackages(['firefox-esr'], 'to run the tests in Firefox');
}

/**
 * Builds the module if it is out of date.
 *
 * @returns {Promise<string | undefined>} what has to be installed before the module can be built; undefined if the
 *   module is there
 * @throws {Error} one line, if the build fails
 */
export async function buildWasm() {
  const sources = fingerprint(SOURCES);
  const isBuilt = () => existsSync(wasmModule) && readIfThere(stampPath) === sources;
  if (isBuilt()) return undefined;
  const toolchain = findToolchain();
  if (toolchain === undefined) return `native/wasm needs Rust for WebAssembly: ${HOW}`;
  const work = async () => {
    console.error(`wasm: cargo build (${toolchain.name})`);
    const built = await build(toolchain);
    const fresh = `${wasmModule}.${process.pid}.new`;
    copyFileSync(built, fresh);
    renameSync(fresh, wasmModule);
    mkdirSync(dirname(stampPath), {recursive: true});
    writeFileSync(stampPath, sources);
  };
  await once(isBuilt, work, {lock: join(root, '.cache/wasm.lock')});
  return undefined;
}

/**
 * Builds tests of netsim for WebAssembly. Each module exports `main`, which traps if a test fails.
 *
 * @param {readonly string[]} names the names of the tests in native/wasm/Cargo.toml
 * @returns {Promise<string[] | undefined>} the paths of the modules; undefined if there is no toolchain
 */
export async function buildWasmTests(names) {
  const toolchain = findToolchain();
  if (toolchain === undefined) return undefined;
  const tests = names.flatMap(name => ['--test', name]);
  const artifacts = await cargo(toolchain, ['test', '--no-run', '--release', ...tests], ['std', 'panic_abort', 'test']);
  return names.map(name => artifacts.find(({target}) => target.name === name)?.filenames[0] ?? '');
}

/**
 * @typedef {{name: string, cargo: string, env: Record<string, string>, buildsStd: boolean}} Toolchain `buildsStd` is
 * whether the standard library also has to be built
 */

/**
 * Finds Rust with the target wasm32-unknown-unknown: rustup's, which has the compiled standard library, or Debian's,
 * which has only its sources.
 *
 * @returns {Toolchain | undefined}
 */
function findToolchain() {
  const sysroot = outputOf('rustc', ['--print', 'sysroot'])?.trim();
  if (sysroot !== undefined && existsSync(join(sysroot, 'lib/rustlib', TARGET, 'lib')) && isNewEnough('rustc'))
    return {name: 'rustup', cargo: 'cargo', env: {}, buildsStd: false};
  const [cargo, rustc] = ['/usr/bin/cargo', '/usr/bin/rustc'];
  const isThere = existsSync(cargo) && existsSync('/usr/lib/rustlib/src') && isOnPath('wasm-ld');
  if (!isThere || !isNewEnough(rustc)) return undefined;
  // RUSTC_BOOTSTRAP makes a stable cargo accept unstable options, such as the one that builds the standard library
  return {name: 'Debian', cargo, env: {RUSTC: rustc, RUSTC_BOOTSTRAP: '1', [LINKER]: 'wasm-ld'}, buildsStd: true};
}

/**
 * @param {Toolchain} toolchain
 * @returns {Promise<string>} the path of the module
 */
async function build(toolchain) {
  const artifacts = await cargo(toolchain, ['build', '--release'], ['std', 'panic_abort']);
  const built = artifacts.find(({target}) => target.name === 'wasm')?.filenames.find(name => name.endsWith('.wasm'));
  if (built === undefined) throw new Error('cargo build made no WebAssembly module');
  return built;
}

/**
 * Runs cargo on native/wasm, with the crates of native/Cargo.lock and our patches.
 *
 * @param {Toolchain} toolchain
 * @param {string[]} command
 * @param {string[]} std the crates of the standard library to build, if the toolchain has only their sources
 * @returns {Promise<{target: {name: string}, filenames: string[]}[]>} what cargo made
 */
async function cargo(toolchain, command, std) {
  const patched = await patchCrates(
    join(root, 'native'),
    () => run('cargo', ['fetch', '--quiet', '--locked', '--manifest-path', 'native/Cargo.toml']),
    ['patches', 'wasm/patches'],
  );
  copyWasmLock();
  const configs = [
    // cargo's `paths` could not replace the original crates: it requires that a replacement has the same dependencies,
    // and the patched crates have fewer
    ...patched.map(path => `patch.crates-io.${crateOf(path)}.path=${JSON.stringify(path)}`),
    `target.${TARGET}.rustflags=${JSON.stringify([...NO_RANDOMNESS, ...(toolchain.buildsStd ? NO_PLACES : [])])}`,
  ];
  const args = [
    ...command,
    ...configs.flatMap(config => ['--config', config]),
    ...PLACES,
    ...(toolchain.buildsStd ? ['-Z', `build-std=${std}`] : []),
    '--message-format=json-render-diagnostics',
  ];
  // with this variable netsim uses what the patches add to the crates, as in main/setup/cargo.mjs
  const env = {...toolchain.env, INTERLEAVE_PATCHED: '1'};
  const {code, output} = await run(toolchain.cargo, args, {capture: true, env});
  if (code !== 0) throw new Error(`cargo ${command[0]} of native/wasm ended with exit code ${code}`);
  return output
    .split('\n')
    .filter(line => line.includes('"compiler-artifact"'))
    .map(line => JSON.parse(line));
}

/** The module has no source of random numbers: all of them come from the seed. */
const NO_RANDOMNESS = ['--cfg', 'getrandom_backend="unsupported"'];

/**
 * Panics do not name the line of the sources, so that the module is 8 kB smaller. Stable compilers lack this option.
 */
const NO_PLACES = ['-Zlocation-detail=none'];

/**
 * Copies native/Cargo.lock to native/wasm, so that both use the same crate versions. From the copy, cargo then removes
 * the crates that the module does not need; it keeps the versions of the others.
 */
export function copyWasmLock() {
  copyFileSync(join(root, 'native/Cargo.lock'), join(root, MANIFEST, '../Cargo.lock'));
}

/** @param {string} path the folder of a patched crate, NAME-VERSION-HASH */
function crateOf(path) {
  const {1: name = ''} = /^name = "(.+)"$/m.exec(readFileSync(join(path, 'Cargo.toml'), 'utf8')) ?? [];
  return name;
}

/** @param {string} rustc */
function isNewEnough(rustc) {
  const needed = /^rust-version = "(.+)"$/m.exec(readFileSync(join(root, 'native/Cargo.toml'), 'utf8'))?.[1] ?? '';
  const version = /^\S+ ([\d.]+)/.exec(outputOf(rustc, ['--version']) ?? '')?.[1];
  return version !== undefined && !isOlder(version, needed);
}

/**
 * @param {string} program
 * @param {string[]} args
 */
function outputOf(program, args) {
  const {status, stdout} = spawnSync(program, args, {cwd: root, encoding: 'utf8'});
  return status === 0 ? stdout : undefined;
}

/** @param {string} program */
function isOnPath(program) {
  return (process.env['PATH'] ?? '').split(delimiter).some(folder => existsSync(join(folder, program)));
}

const TARGET = 'wasm32-unknown-unknown';
const LINKER = 'CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_LINKER';
const DEBIAN = ['rustc-web', 'cargo-web', 'rust-web-src', 'lld'];
const HOW = `rustup target add ${TARGET}, or on Debian: sudo apt-get install ${DEBIAN.join(' ')}`;
const stampPath = join(root, '.cache/wasm.sha256');
const SOURCES = [
  'native/Cargo.toml',
  'native/Cargo.lock',
  'native/patches',
  'native/netsim/Cargo.toml',
  'native/netsim/build.rs',
  'native/netsim/src',
  'native/binding/Cargo.toml',
  'native/binding/src',
  'native/wasm/Cargo.toml',
  'native/wasm/patches',
  'native/wasm/src',
];
const MANIFEST = 'native/wasm/Cargo.toml';
const PLACES = ['--quiet', '--manifest-path', MANIFEST, '--target', TARGET, '--target-dir', 'native/target/wasm'];

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  await inOneLine(async () => {
    await installForWasm({isForTests: false});
    const missing = await buildWasm();
    if (missing !== undefined) throw new Error(missing);
  });
}
