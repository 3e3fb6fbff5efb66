import {spawnSync} from 'node:child_process';
import {existsSync, readFileSync} from 'node:fs';
import {join} from 'node:path';
import {endWith, keep} from './keep.mjs';

/**
 * Returns the path of Electron's program. Downloads Electron if it is missing, unless `elsewhere` names another build.
 * If there is no program after that, returns undefined, and prints the reason unless the npm package is missing.
 *
 * @param {string} folder the folder of its npm package
 * @param {string} [elsewhere] the folder of another build, as in `ELECTRON_OVERRIDE_DIST_PATH`
 * @returns {string | undefined}
 */
export function findElectron(folder, elsewhere) {
  if (elsewhere) {
    const program = join(elsewhere, programPath(folder) ?? 'electron');
    if (existsSync(program)) return program;
    console.log(`window: ELECTRON_OVERRIDE_DIST_PATH is wrong: there is no ${program}`);
    return undefined;
  }
  const installed = findInstalled(folder);
  if (installed !== undefined) return installed;
  if (!existsSync(folder)) return undefined;
  console.log('window: downloads Electron');
  spawnSync(process.execPath, [join(folder, 'install.js')], {stdio: 'ignore'});
  const downloaded = findInstalled(folder);
  if (downloaded === undefined) console.log('window: Electron cannot be downloaded here');
  return downloaded;
}

/**
 * Opens Electron, and resolves with true once it counts as launched or has ended normally. If Electron fails before,
 * for example because a system library is missing, prints the reason and resolves with false.
 *
 * @param {string} program
 * @param {string[]} args
 * @returns {Promise<boolean>}
 */
export function openElectron(program, args) {
  const {ended, end} = keep(program, args);
  endWith(async () => {
    end();
    await ended;
  });
  return new Promise(resolve => {
    const launched = setTimeout(() => resolve(true), LAUNCH_MS);
    ended.then(({code, signal, error}) => {
      clearTimeout(launched);
      const isWanted = error === undefined && (code === 0 || signal === 'SIGINT' || signal === 'SIGTERM');
      const why = error ?? `it ended with ${signal ?? `exit code ${code}`}`;
      if (!isWanted) console.log(`window: Electron cannot run here (${why})`);
      resolve(isWanted);
    });
  });
}

/** An Electron that has run for this long counts as launched. */
const LAUNCH_MS = 5000;

function findInstalled(/** @type {string} */ folder) {
  const path = programPath(folder);
  const program = path === undefined ? undefined : join(folder, 'dist', path);
  return program !== undefined && existsSync(program) ? program : undefined;
}

/**
 * Reads the program's path within a build, which differs between systems. The package's install.js writes it to a file.
 *
 * @param {string} folder
 */
function programPath(folder) {
  const file = join(folder, 'path.txt');
  return existsSync(file) ? readFileSync(file, 'utf8') : undefined;
}
