import {existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {afterEach, beforeEach, describe, expect, test, vi} from 'vitest';
import {findElectron, openElectron} from './electron.mjs';

// The tests use a package like Electron's. Its install.js makes the program, or fails.

let folder: string;
let said: string[];
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'interleave-electron-'));
  said = [];
  vi.spyOn(console, 'log').mockImplementation(line => said.push(line));
});
afterEach(() => {
  vi.restoreAllMocks();
  rmSync(folder, {recursive: true});
});

test('an installed Electron is found and not downloaded', () => {
  install();
  expect(findElectron(folder)).toBe(join(folder, 'dist/program'));
  expect(said).toEqual([]);
});

test('an Electron that was never installed is downloaded', () => {
  canDownload();
  expect(findElectron(folder)).toBe(join(folder, 'dist/program'));
});

test('an Electron that was installed and removed is downloaded', () => {
  install();
  rmSync(join(folder, 'dist'), {recursive: true});
  canDownload();
  const program = findElectron(folder) ?? '';
  expect(existsSync(program)).toBe(true);
});

test('if the download fails, there is no Electron, and a line says so', () => {
  writeFileSync(join(folder, 'install.js'), 'process.exitCode = 1;');
  expect(findElectron(folder)).toBeUndefined();
  expect(said.at(-1)).toBe('window: Electron cannot be downloaded here');
});

test('another build is found in its folder', () => {
  const elsewhere = join(folder, 'elsewhere');
  mkdirSync(elsewhere);
  writeFileSync(join(elsewhere, 'electron'), '');
  expect(findElectron(folder, elsewhere)).toBe(join(elsewhere, 'electron'));
});

test('a wrong folder of another build is named, and nothing is downloaded', () => {
  canDownload();
  expect(findElectron(folder, join(folder, 'elsewhere'))).toBeUndefined();
  expect(said).toEqual([expect.stringContaining('ELECTRON_OVERRIDE_DIST_PATH is wrong')]);
  expect(existsSync(join(folder, 'dist'))).toBe(false);
});

describe('Electron', () => {
  const program = (script: string): string => {
    const path = join(folder, 'program');
    writeFileSync(path, `#!/bin/sh\n${script}\n`, {mode: 0o755});
    return path;
  };

  test.each([
    ['because a library is missing', 'exit 127', 'exit code 127'],
    ['because of a signal', 'kill -ABRT $$', 'SIGABRT'],
  ])('that ends at launch %s is reported, and does not count as opened', async (_, script, why) => {
    expect(await openElectron(program(script), [])).toBe(false);
    expect(said).toEqual([`window: Electron cannot run here (it ended with ${why})`]);
  });

  test('that is not a program does not count as opened', async () => {
    expect(await openElectron(join(folder, 'nothing'), [])).toBe(false);
    expect(said).toEqual([expect.stringContaining('ENOENT')]);
  });

  test.each([
    ['is closed', 'exit 0'],
    ['is ended by a signal', 'kill -TERM $$'],
  ])('that %s counts as opened', async (_, script) => {
    expect(await openElectron(program(script), [])).toBe(true);
    expect(said).toEqual([]);
  });

  test('that ends later counts as opened', async () => {
    vi.useFakeTimers({toFake: ['setTimeout', 'clearTimeout']});
    const open = openElectron(program('read line; exit 3'), []);
    vi.runAllTimers();
    vi.useRealTimers();
    expect(await open).toBe(true);
  });
});

function install(): void {
  mkdirSync(join(folder, 'dist'));
  writeFileSync(join(folder, 'dist/program'), '');
  writeFileSync(join(folder, 'path.txt'), 'program');
}

function canDownload(): void {
  writeFileSync(
    join(folder, 'install.js'),
    `const {mkdirSync, writeFileSync} = require('node:fs');
    mkdirSync(__dirname + '/dist');
    writeFileSync(__dirname + '/dist/program', '');
    writeFileSync(__dirname + '/path.txt', 'program');`,
  );
}
