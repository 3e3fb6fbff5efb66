// Loads the addon. If this folder has index.node, that file is used: main/setup/addon.mjs builds it from the Rust crate
// if no prebuilt addon fits the sources. If this folder lacks index.node, a prebuilt addon of the same version is used.
import {existsSync} from 'node:fs';
import {createRequire} from 'node:module';
import {fileURLToPath} from 'node:url';
import {findPrebuilt, ownVersion, platformOf, prebuiltName} from './prebuilts.mjs';

const own = fileURLToPath(new URL('index.node', import.meta.url));
const addon = existsSync(own) ? load(own, 'native/addon/index.node') : loadPrebuilt();

export const {
  Association,
  Emulator,
  Listener,
  QuicConnection,
  QuicListener,
  Simulation,
  TcpConnection,
  Tunnel,
  readCapture,
  tcpInfo,
} = addon;

/**
 * Loads an addon, and refuses it if it was built without our patches.
 * @throws {Error} with the code `UNPATCHED`
 */
function load(path, name) {
  const addon = createRequire(import.meta.url)(path);
  if (addon.PATCHED === true) return addon;
  const problem = `${name} was built without the patches of native/patches`;
  throw Object.assign(new Error(`${problem}: npm start or npm test builds it with them`), {
    code: 'UNPATCHED',
  });
}

/** @throws {Error} with the code `NO_ADDON`. Its message says what was looked for, and what to do. */
function loadPrebuilt() {
  const version = ownVersion();
  const found = findPrebuilt(version);
  if ('why' in found) throw noAddon(found.why, found.isOffered ? [version] : []);
  try {
    return load(found.path, found.path);
  } catch (error) {
    // for example, the C library is older than the addon needs
    throw error.code === 'UNPATCHED' ? error : noAddon(`${found.path} cannot be loaded (${error.message})`, []);
  }
}

function noAddon(why, versions) {
  const platform = platformOf();
  const build = `install Rust (https://rustup.rs) and run node ${fileURLToPath(new URL('../../main/setup/addon.mjs', import.meta.url))}`;
  const install = versions.map(version => `run npm install ${prebuiltName(platform)}@${version}, or `).join('');
  const problem = `there is no native addon for ${platform}: ${why}, and there is no ${own}`;
  return Object.assign(new Error(`${problem}: ${install}${build}`), {code: 'NO_ADDON'});
}
