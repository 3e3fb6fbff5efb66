import {existsSync, mkdtempSync, rmSync, statSync, writeFileSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {afterEach, beforeEach, expect, test} from 'vitest';
import {makeFolder, makeFolders} from './makeFolder.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'interleave-folders-'));
});
afterEach(() => rmSync(folder, {recursive: true, force: true}));

test('a folder is created with its missing parents, and creating it again does nothing', () => {
  const path = join(folder, 'a/b/c');
  for (let i = 0; i < 2; i++) makeFolders(path, 0o700);
  expect(statSync(path).isDirectory()).toBe(true);
  expect(statSync(join(folder, 'a')).mode & 0o777).toBe(0o700);
});

test.each([
  ['with the path of a file', 'file'],
  ['with a path below a file', 'file/a/b'],
])('creating a folder %s is an error', (_, path) => {
  writeFileSync(join(folder, 'file'), '');
  expect(() => makeFolder(join(folder, path))).toThrow(/^cannot write .*file.*: (there is no such folder|EEXIST)/);
});

const hasProc = existsSync('/proc/self');
test.skipIf(!hasProc)(`a folder that cannot be created is an error${hasProc ? '' : ' (skipped: no /proc)'}`, () => {
  expect(() => makeFolder('/proc/nobody/a/b')).toThrow('cannot write /proc/nobody/a/b: there is no such folder');
});
