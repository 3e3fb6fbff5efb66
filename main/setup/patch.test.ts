import {mkdtempSync, readFileSync, rmSync, writeFileSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {afterEach, beforeEach, expect, test} from 'vitest';
import {applyPatch} from './patch.mjs';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'interleave-patch-'));
  write('a.rs', ['one', 'two', '', 'four', 'five', 'six', 'seven', '']);
  write('b.rs', ['eins', 'zwei', '']);
});
afterEach(() => rmSync(folder, {recursive: true}));

const reason = 'Why this is\n\nIn a few lines.\n\n';
const a = `--- a/a.rs
+++ b/a.rs
@@ -1,3 +1,4 @@
 one
-two
+TWO
+and a half
${' '}
@@ -5,3 +6,2 @@ four
 five
-six
 seven
`;
const b = `--- a/b.rs
+++ b/b.rs
@@ -1,2 +1,2 @@
 eins
-zwei
+ZWEI
`;

test('hunks of several files replace their lines', () => {
  applyPatch(reason + a + b, folder);
  expect(read('a.rs')).toEqual(['one', 'TWO', 'and a half', '', 'four', 'five', 'seven', '']);
  expect(read('b.rs')).toEqual(['eins', 'ZWEI', '']);
});

test('a line of context that differs is named, and the file is not changed', () => {
  const lines = ['one', 'two', '', 'four', 'five', 'six', 'SEVEN', ''];
  write('a.rs', lines);
  expect(() => applyPatch(a, folder)).toThrow('the patch does not fit a.rs:8');
  expect(read('a.rs')).toEqual(lines);
});

test('a hunk whose lines have moved is refused', () => {
  write('b.rs', ['null', 'eins', 'zwei', '']);
  expect(() => applyPatch(b, folder)).toThrow('the patch does not fit b.rs:1');
});

test('a patch that was already applied is reported', () => {
  applyPatch(b, folder);
  expect(() => applyPatch(b, folder)).toThrow('b.rs:1 already contains the change of the patch: delete the patch');
});

test.each([
  ['only its reason', reason],
  ['nothing', ''],
])('a patch that contains %s is refused', (_, patch) => {
  expect(() => applyPatch(patch, folder)).toThrow('the patch names no file');
});

function write(name: string, lines: readonly string[]): void {
  writeFileSync(join(folder, name), lines.join('\n'));
}

function read(name: string): string[] {
  return readFileSync(join(folder, name), 'utf8').split('\n');
}
