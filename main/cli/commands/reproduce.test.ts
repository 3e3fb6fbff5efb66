import {describe, expect, test} from 'vitest';
import {readArguments} from '../command.ts';
import {help} from '../help.ts';
import {COMMANDS} from './list.ts';
import {reproduce} from './reproduce.ts';

const read = (...args: readonly string[]) => readArguments(reproduce, args);

describe('reproduce', () => {
  test('sorts papers as in the list, without duplicates, and reads `all` as every paper', () => {
    const names = (...papers: readonly string[]) => read(...papers, '--out', 'x').papers.map(({name}) => name);
    expect(names('l06', 'n07', 'l06')).toEqual(['n07', 'l06']);
    expect(names('all')).toEqual(['n07', 'n08', 'r02', 'l06', 'c03']);
    expect(names('c03', 'all')).toEqual(names('all'));
  });

  test('uses 50 seeds and prints a table by default', () => {
    expect(read('l06', '-o', 'x')).toMatchObject({out: 'x', isResumed: false, format: 'table'});
    expect(read('l06', '-o', 'x').seeds).toEqual(Array.from({length: 50}, (_, i) => i + 1));
    const all = read('l06', '-o', 'x', '--seeds', '3,7-8', '--jobs', '1', '--resume', '--json');
    expect(all).toMatchObject({seeds: [3, 7, 8], jobs: 1, isResumed: true, format: 'json'});
  });

  test.each([
    [['n09', '--out', 'x'], /^there is no paper n09: the names are n07, n08, r02, l06, c03, all; did you mean n0\d\?$/],
    [['everything', '--out', 'x'], /^there is no paper everything: the names are n07, n08, r02, l06, c03, all$/],
    [['--out', 'x'], /^the paper is missing: interleave reproduce n07\|n08\|r02\|l06\|c03\|all --out DIR$/],
    [['l06'], /^--out DIR is missing$/],
    [['l06', '--out', 'x', '--seeds', '0x1'], /^--seeds is 0x1: must be like 1-50/],
    [['l06', '--out', 'x', '--jobs', '0'], /^--jobs is 0: must be 1 to 256$/],
    [['l06', '--out', 'x', '--sed', '1'], /did you mean --seeds\?$/],
  ])('refuses %j', (args, message) => {
    expect(() => read(...args)).toThrow(message);
  });

  test('says in its help how many loads each paper and grid takes', () => {
    const text = help('reproduce', COMMANDS);
    expect(text).toMatch(/^ +100,800 {2}page-times: /m);
    // 2 losses × 2 rates × 2 panes × 800 seeds (16 times the default of 50)
    expect(text).toMatch(/^ +6,400 {2}movies: /m);
    const [, total = '', rows = ''] = /^ {2}n07 +([\d,]+) .*\n((?: {4}.*\n)+)/m.exec(text) ?? [];
    const counts = [...rows.matchAll(/^ +([\d,]+) /gm)].map(([, count = '']) => Number(count.replaceAll(',', '')));
    expect(Number(total.replaceAll(',', ''))).toBe(counts.reduce((sum, count) => sum + count, 0));
  });
});
