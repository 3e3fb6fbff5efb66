import {createHash} from 'node:crypto';
import {cpSync, existsSync, mkdirSync, readFileSync, writeFileSync} from 'node:fs';
import {createRequire} from 'node:module';
import {join} from 'node:path';
import {root, run} from '../command.mjs';
import {readIfThere} from '../fingerprint.mjs';
import {once} from '../lock.mjs';
import {configuration} from './configuration.mjs';

/**
 * @typedef {object} MakeOptions
 * @property {string} app the folder with the files of the program (stage.mjs)
 * @property {string} out the folder for what is made
 * @property {boolean} isFolderOnly makes only the folder that the installers would install
 * @property {'linux' | 'mac' | 'windows'} system
 * @property {readonly string[]} [unpacked] patterns of further files that are put beside the archive (app.asar), not
 *   into it
 * @property {string | undefined} [electron] an unpacked Electron to use instead of the one that is downloaded
 */

/**
 * Makes the installers of one system. Returns the paths that electron-builder reports as made.
 *
 * @param {MakeOptions} options
 * @returns {Promise<readonly string[]>}
 */
export async function makeInstallers({app, out, isFolderOnly, system, unpacked = [], electron}) {
  const {build, Platform} = await installedPackage('electron-builder');
  const platform = {linux: Platform.LINUX, mac: Platform.MAC, windows: Platform.WINDOWS}[system];
  const other = electron === undefined ? {} : {electron: {folder: electron, version: versionOf(electron)}};
  const hasFuses = electron === undefined || canHaveFuses(electron);
  if (!hasFuses) {
    if (!isFolderOnly) throw new Error(`${electron} is too old for installers: its Electron has no fuses`);
    console.log(`installers: Electron ${versionOf(electron ?? '')} has no fuses, so none are set`);
  }
  const icon = join(app, '..', 'icon.png');
  await drawIcon(icon);
  return build({
    projectDir: app,
    // without a list, electron-builder makes what the configuration names for this system
    targets: platform.createTarget(isFolderOnly ? ['dir'] : []),
    config: {electronVersion: wantedElectron(), ...configuration({out, icon, ...other, unpacked, hasFuses})},
    publish: 'never',
  });
}

/**
 * Returns a package of builder/package.json. Installs all of them first, if they are not installed.
 *
 * @param {string} name
 */
export async function installedPackage(name) {
  const lock = readFileSync(join(builder, 'package-lock.json'));
  const hash = createHash('sha256').update(lock).digest('hex');
  const stamp = join(place, 'installed.sha256');
  await once(
    () => readIfThere(stamp) === hash,
    async () => {
      console.log('installers: npm ci');
      mkdirSync(place, {recursive: true});
      for (const file of ['package.json', 'package-lock.json']) cpSync(join(builder, file), join(place, file));
      // no package's script is needed: that of electron-winstaller is for a kind of installer that is not made here
      const args = ['ci', '--prefix', place, '--ignore-scripts', '--loglevel=error'];
      const npm = process.env.npm_execpath;
      const {code} = npm ? await run(process.execPath, [npm, ...args]) : await run('npm', args);
      if (code !== 0) throw new Error(`npm ci ended with exit code ${code}`);
      writeFileSync(stamp, hash);
    },
    {lock: join(root, '.cache/installers.lock')},
  );
  return createRequire(join(place, 'package.json'))(name);
}

const place = join(root, '.cache/installers');
const builder = join(import.meta.dirname, 'builder');

/** Draws the icon as a picture, from which electron-builder makes the icons of each system. @param {string} path */
async function drawIcon(path) {
  const {default: sharp} = await import('sharp');
  await sharp(join(import.meta.dirname, 'icon.svg'))
    .resize(1024)
    .png()
    .toFile(path);
}

/** The version of Electron that the program is made for. @returns {string} */
function wantedElectron() {
  const {devDependencies} = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  return devDependencies.electron;
}

/**
 * Whether the program file of an unpacked Electron contains the mark that precedes fuses (`SENTINEL` of
 * @electron/fuses).
 *
 * @param {string} folder
 */
function canHaveFuses(folder) {
  const framework = 'Electron.app/Contents/Frameworks/Electron Framework.framework/Electron Framework';
  const program = ['electron', 'electron.exe', framework].map(name => join(folder, name)).find(existsSync);
  return program !== undefined && readFileSync(program).includes('dL7pKGdnNz796PbbjQWNKmHXBZaB9tsX');
}

/** @param {string} folder an unpacked Electron */
function versionOf(folder) {
  const file = join(folder, 'version');
  if (!existsSync(file)) throw new Error(`${folder} has no Electron: there is no file 'version'`);
  return readFileSync(file, 'utf8').trim().replace(/^v/, '');
}
