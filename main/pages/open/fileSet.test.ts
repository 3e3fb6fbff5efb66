import {expect, test} from 'vitest';
import {fileSet} from './fileSet.ts';

const file = (path: string, content = path) => ({
  path,
  bytes: content.length,
  read: async () => new TextEncoder().encode(content),
});

test('the common folders are removed from the paths, even if an archiver adds hidden files outside them', () => {
  const paths = (...names: readonly string[]) => fileSet(names.map(name => file(name))).paths;
  expect(paths('a/b/c.html', 'a/b/d/e.png', 'a/bc.png')).toEqual(['b/c.html', 'b/d/e.png', 'bc.png']);
  expect(paths('a/b/c.html', 'a/b/d/e.png')).toEqual(['c.html', 'd/e.png']);
  expect(paths('a/b/c.html')).toEqual(['c.html']);
  expect(paths('c.html', 'a/b.png')).toEqual(['c.html', 'a/b.png']);
  expect(paths('a/c.html', '__MACOSX/a/._c.html', 'a/.git/d')).toEqual(['c.html', '.git/d']);
});

test('a hidden file outside the common folder does not replace a file in it', async () => {
  const files = fileSet([file('.git/index.html'), file('site/index.html'), file('.DS_Store')]);
  expect(files.paths).toEqual(['index.html']);
  expect(Buffer.from((await files.read('index.html', 20)) ?? []).toString()).toBe('site/index.html');
});

test('the first of several files with one path counts, and a file that is too large is not read', async () => {
  const files = fileSet([file('a', 'first'), file('a', 'second'), file('b')]);
  expect(Buffer.from((await files.read('a', 5)) ?? []).toString()).toBe('first');
  expect(await files.read('c', 5)).toBeUndefined();
  let reads = 0;
  const read = async (): Promise<Uint8Array> => {
    reads += 1;
    return new Uint8Array(6);
  };
  await expect(fileSet([{path: 'd', bytes: 6, read}]).read('d', 5)).rejects.toThrow('it has more than 5 bytes');
  expect(reads).toBe(0);
});
