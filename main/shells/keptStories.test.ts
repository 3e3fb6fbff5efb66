import {mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {afterEach, beforeEach, expect, test} from 'vitest';
import {KeptStories} from './keptStories.ts';

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'interleave-kept-'));
});
afterEach(() => rmSync(folder, {recursive: true, force: true}));

test('what was kept last is read, by the next program too', async () => {
  const place = join(folder, 'not/there/yet');
  const stories = new KeptStories(place);
  expect(await stories.read()).toBe(null);
  // none waits for the one before
  void stories.keep('["first"]');
  void stories.keep('["second"]');
  await stories.keep('["“third”"]');
  expect(await new KeptStories(place).read()).toBe('["“third”"]');
  expect(readdirSync(place)).toEqual(['stories.json']);
});

test('what is under way is there when the program has ended', async () => {
  const stories = new KeptStories(folder);
  void stories.keep('x'.repeat(1_000_000));
  await stories.close();
  expect(readFileSync(join(folder, 'stories.json'), 'utf8')).toHaveLength(1_000_000);
});

test.each<[string, unknown, string]>([
  ['no text', {toString: 7}, 'stories are a text'],
  ['nothing', undefined, 'stories are a text'],
  ['too much', 'ü'.repeat(5_000_000), 'the stories have 10000000 bytes (at most 8388608)'],
])('%s is refused, and what was kept stays', async (_, text, message) => {
  const stories = new KeptStories(folder);
  await stories.keep('[]');
  await expect(stories.keep(text)).rejects.toThrow(message);
  expect(await stories.read()).toBe('[]');
});

test('a folder that cannot be written to is told, and the next text is tried again', async () => {
  const place = join(folder, 'taken');
  writeFileSync(place, 'a file');
  const stories = new KeptStories(place);
  await expect(stories.keep('[]')).rejects.toThrow();
  expect(await stories.read()).toBe(null);
  rmSync(place);
  await stories.keep('["now"]');
  expect(await stories.read()).toBe('["now"]');
});

test('a file that is no text of ours opens no window less, and is not written over', async () => {
  const path = join(folder, 'stories.json');
  mkdirSync(path);
  expect(await new KeptStories(folder).read()).toBe(null);
  rmSync(path, {recursive: true});
  writeFileSync(path, new Uint8Array(9 * 1024 * 1024));
  const stories = new KeptStories(folder);
  expect(await stories.read()).toBe(null);
  await expect(stories.keep('[]')).rejects.toThrow(`${path} cannot be read, and is left as it is`);
  expect(statSync(path).size).toBe(9 * 1024 * 1024);
  rmSync(path);
  await stories.keep('["now"]');
  await stories.keep('["then"]');
  expect(await stories.read()).toBe('["then"]');
});
