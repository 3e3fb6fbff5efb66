import {spawnSync} from 'node:child_process';
import {readFileSync} from 'node:fs';
import {expect, test} from 'vitest';

const sources = spawnSync('git', ['ls-files', '--cached', '--others', '--exclude-standard'], {
  encoding: 'utf8',
})
  .stdout.split('\n')
  .filter(path => /\.(ts|tsx|mjs)$/.test(path) && !path.endsWith('.d.ts'))
  .map(path => ({path, text: readFileSync(path, 'utf8')}));

test('every export is imported somewhere', () => {
  expect(sources.length).toBeGreaterThan(0);
  expect(unusedExports(sources)).toEqual([]);
});

test('an export that nobody imports is found', () => {
  const lonely = {path: 'a.ts', text: 'export const used = 1;\nexport function lonely() {}\n'};
  const user = {path: 'b.ts', text: "import {used} from './a.ts';\n"};
  expect(unusedExports([lonely, user])).toEqual(['a.ts: lonely']);
});

/** Names that are exported and occur in no other file. */
function unusedExports(files: {path: string; text: string}[]): string[] {
  return files.flatMap(({path, text}) =>
    [...text.matchAll(/^export (?:async )?(?:const|function|class|interface|type|enum) (\w+)/gm)]
      .map(([, name]) => name ?? '')
      .filter(name => !files.some(file => file.path !== path && new RegExp(`\\b${name}\\b`).test(file.text)))
      .map(name => `${path}: ${name}`),
  );
}
