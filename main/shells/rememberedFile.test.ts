import {mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {afterEach, beforeEach, expect, test} from 'vitest';
import {RememberedFile} from './rememberedFile.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'interleave-remembered-'));
});
afterEach(() => rmSync(folder, {recursive: true}));

test('the next program also reads what was written last, and a missing folder is made', async () => {
  const user = join(folder, 'data');
  const file = new RememberedFile(user);
  expect(await file.read()).toBeNull();
  void file.write({scenario: 1});
  void file.write({scenario: 2});
  expect(await file.read()).toEqual({scenario: 2});
  await file.close();
  expect(await new RememberedFile(user).read()).toEqual({scenario: 2});
  expect(readdirSync(user)).toEqual(['window.json']);
});

test('a damaged file counts as empty, not as a first visit', async () => {
  writeFileSync(join(folder, 'window.json'), '{"scenario": ');
  expect(await new RememberedFile(folder).read()).toEqual({});
});

test('a call that cannot write the file fails, but the next call does not', async () => {
  mkdirSync(join(folder, 'window.json'));
  const file = new RememberedFile(folder);
  await expect(file.write({})).rejects.toThrow('window.json');
  expect(await file.read()).toEqual({});
});

test('a value that is too large is refused with its size', () => {
  const file = new RememberedFile(folder);
  expect(() => file.write('x'.repeat(9_000_000))).toThrow('has 9000002 bytes (at most 8388608)');
});
