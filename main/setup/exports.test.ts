import {spawnSync} from 'node:child_process';
import {readFileSync} from 'node:fs';
import {expect, test} from 'vitest';

const sources = spawnSync('git', ['ls-files', '--cached', '--others', '--exclude-standard'], {
  encoding: 'utf8',
})
  .stdout.split('\n')
  .filter(path => /\.(ts|tsx|mjs)$/.test(path) && !path.endsWith('.d.ts'))
  .map(path => ({path, text: readFileSync(path, 'utf8')}));

test('every export occurs in another file, or is a type that its own file uses', () => {
  expect(sources.length).toBeGreaterThan(0);
  expect(unusedExports(sources)).toEqual([]);
});

test('an export that occurs in no other file is found, unless it is a type that its own file uses', () => {
  const lonely = {
    path: 'a.ts',
    text: 'export type Answer = 1;\nexport const used: Answer = 1;\nexport function lonely() {}\nexport type Alone = 2;\n',
  };
  const user = {path: 'b.ts', text: "import {used} from './a.ts';\n"};
  expect(unusedExports([lonely, user])).toEqual(['a.ts: lonely', 'a.ts: Alone']);
});

/** Lists the exports that occur in no other file. Types that their own file uses elsewhere are not listed. */
function unusedExports(files: {path: string; text: string}[]): string[] {
  const users = new Map<string, number>();
  for (const {text} of files)
    for (const word of new Set(text.match(/\w+/g))) users.set(word, (users.get(word) ?? 0) + 1);
  return files.flatMap(({path, text}) =>
    [...text.matchAll(/^export (?:async )?(const|function|class|interface|type|enum) (\w+)/gm)]
      .map(([, kind, name]) => ({name: name ?? '', isType: kind === 'interface' || kind === 'type'}))
      .filter(({name, isType}) => {
        const isUsedHere = isType && [...text.matchAll(new RegExp(`\\b${name}\\b`, 'g'))].length > 1;
        return !isUsedHere && users.get(name) === 1;
      })
      .map(({name}) => `${path}: ${name}`),
  );
}
