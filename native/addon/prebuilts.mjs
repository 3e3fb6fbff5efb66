// The prebuilt addons. Each platform has an npm package that contains only the addon for this platform. For example,
// interleave-linux-x64-gnu contains interleave.linux-x64-gnu.node; this is the layout of napi-rs. The program names all
// these packages as optional dependencies, and npm installs the one whose `os`, `cpu` and `libc` fit.
// main/setup/prebuilt.mjs makes these packages.
import {existsSync, readFileSync} from 'node:fs';
import {createRequire} from 'node:module';
import {fileURLToPath} from 'node:url';

/** @typedef {{platform: string, os: string, cpu: string, libc?: 'glibc' | 'musl'}} Prebuilt */

/** @type {readonly Prebuilt[]} */
export const PREBUILTS = [
  {platform: 'linux-x64-gnu', os: 'linux', cpu: 'x64', libc: 'glibc'},
  {platform: 'linux-x64-musl', os: 'linux', cpu: 'x64', libc: 'musl'},
  {platform: 'linux-arm64-gnu', os: 'linux', cpu: 'arm64', libc: 'glibc'},
  {platform: 'linux-arm64-musl', os: 'linux', cpu: 'arm64', libc: 'musl'},
  {platform: 'darwin-x64', os: 'darwin', cpu: 'x64'},
  {platform: 'darwin-arm64', os: 'darwin', cpu: 'arm64'},
  {platform: 'win32-x64-msvc', os: 'win32', cpu: 'x64'},
];

/** The name of the npm package with the prebuilt addon. @param {string} platform */
export function prebuiltName(platform) {
  return `interleave-${platform}`;
}

/** The name of the addon's file in its package. @param {string} platform */
export function prebuiltFile(platform) {
  return `interleave.${platform}.node`;
}

/**
 * The platform of this process, such as `linux-x64-gnu`. There may be no prebuilt addon for it.
 *
 * @param {{platform: string, arch: string}} machine
 */
export function platformOf({platform, arch} = process) {
  if (platform === 'linux') return `linux-${arch}-${isMusl() ? 'musl' : 'gnu'}`;
  return platform === 'win32' ? `win32-${arch}-msvc` : `${platform}-${arch}`;
}

/**
 * Finds the prebuilt addon for this platform.
 *
 * @param {string} version the program's version, which the addon must have
 * @returns {{path: string, sources: string} | {why: string, isOffered: boolean}} the addon's path, and the hash of the
 * Rust sources from which it was built; or why there is none, and whether its package can be installed
 */
export function findPrebuilt(version, platform = platformOf()) {
  const name = prebuiltName(platform);
  if (PREBUILTS.every(each => each.platform !== platform)) {
    return {why: 'no prebuilt addon is made for it', isOffered: false};
  }
  /** @type {string} */
  let manifest;
  try {
    manifest = createRequire(import.meta.url).resolve(`${name}/package.json`);
  } catch {
    return {why: `the package ${name} is not installed`, isOffered: true};
  }
  /** @type {{version: string, sources?: string}} */
  const {version: found, sources = ''} = JSON.parse(readFileSync(manifest, 'utf8'));
  if (found !== version) return {why: `the package ${name} has version ${found}, not ${version}`, isOffered: true};
  const path = manifest.replace(/package\.json$/, prebuiltFile(platform));
  if (existsSync(path)) return {path, sources};
  return {why: `the package ${name} lacks its file ${prebuiltFile(platform)}`, isOffered: true};
}

/** The version of the program. */
export function ownVersion() {
  const manifest = fileURLToPath(new URL('../../package.json', import.meta.url));
  return /** @type {{version: string}} */ (JSON.parse(readFileSync(manifest, 'utf8'))).version;
}

/** Whether the system's C library is musl. Only a process with glibc reports the version of glibc. */
function isMusl() {
  const {report} = process;
  if (report === undefined) return false;
  // without this setting, the report looks up the host names of both ends of every open connection
  Object.assign(report, {excludeNetwork: true});
  const {header} = /** @type {{header: {glibcVersionRuntime?: string}}} */ (report.getReport());
  return header.glibcVersionRuntime === undefined;
}
