import {readFileSync} from 'node:fs';
import {join} from 'node:path';
import {expect, test} from 'vitest';
import {fileSet, type SetFile} from './fileSet.ts';
import {gallery} from './gallery.ts';

test('the search for pictures ends after it has read four times the bytes that a page may have', async () => {
  const picture = readFileSync(join(import.meta.dirname, '../../../fixtures/pages/gallery/logo.png'));
  const none = new Uint8Array(19_000_000);
  let reads = 0;
  const file = (path: string, bytes: Uint8Array): SetFile => ({
    path,
    bytes: bytes.length,
    read: async () => {
      reads += 1;
      return bytes;
    },
  });
  const others = Array.from({length: 300}, (_, i) => file(`${i + 1}.dat`, none));
  const files = fileSet([file('0.png', picture), ...others]);
  const {leftOut} = await gallery('a', files, new AbortController().signal);
  expect(reads).toBe(1 + 11);
  expect(leftOut).toHaveLength(300);
  expect(leftOut[10]?.why).toBe('it is not a picture that browsers show');
  expect(leftOut[11]?.why).toBe('it was not read, because the files before it have more than 200000000 bytes');
});
