import {appendFileSync, mkdtempSync, readFileSync, rmSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {afterAll, expect, test} from 'vitest';
import type {BrowserLoad} from './browserLoad.ts';
import {appendResult, keepResults, type Result, readResults} from './results.ts';

const folder = mkdtempSync(join(tmpdir(), 'interleave-results-'));
afterAll(() => rmSync(folder, {recursive: true}));

const versions = {browser: '156', server: '1.22', kernel: '6.18'};

function loaded(seed: number, ends: {readonly [path: string]: number}, lcpMs: number | null = 80): Result<BrowserLoad> {
  const objects = Object.entries(ends).map(([path, endMs]) => ({path, startMs: 0, endMs}));
  const result = {finishMs: 100 + seed, fcpMs: 50, lcpMs, dclMs: 60, loadMs: 101 + seed, objects};
  return {cell: 'gallery', seed, page: 'hash', versions, result};
}

test('a file with results keeps what was written before the program was killed', () => {
  const file = join(folder, 'killed.jsonl');
  appendResult(file, loaded(1, {'/': 10}));
  appendFileSync(file, '\n{"cell":"gallery","seed":2,"resu');
  appendResult(file, loaded(3, {'/': 12}));
  expect(readResults(file).map(({seed}) => seed)).toEqual([1, 3]);
  expect(readResults(join(folder, 'missing.jsonl'))).toEqual([]);
});

test('the shorter form has all loads except failed ones, in a line for each cell, page and set of versions', () => {
  const file = join(folder, 'kept.jsonl');
  const newer = {...loaded(1, {'/': 9}), page: 'another hash'};
  const failed = {...loaded(4, {}), result: {failed: 'timeout'}};
  keepResults(file, [loaded(2, {'/': 11, '/b': 40}, null), loaded(1, {'/': 10, '/a': 30}), newer, failed]);
  expect(readFileSync(file, 'utf8').trim().split('\n')).toHaveLength(2);
  const [first, second, third, ...others] = readResults(file);
  expect(first).toMatchObject({seed: 1, result: {finishMs: 101, objects: [{path: '/', endMs: 10}, {path: '/a'}]}});
  expect(second).toMatchObject({seed: 2, result: {lcpMs: null, loadMs: 103, objects: [{path: '/'}, {path: '/b'}]}});
  expect(third).toMatchObject({seed: 1, page: 'another hash', versions});
  expect(others).toEqual([]);
  // what was kept can be kept again, and further loads can be appended
  keepResults(join(folder, 'again.jsonl'), readResults(file));
  expect(readFileSync(join(folder, 'again.jsonl'), 'utf8')).toBe(readFileSync(file, 'utf8'));
  appendResult(file, loaded(5, {'/': 13}));
  expect(readResults(file).map(({seed}) => seed)).toEqual([1, 2, 1, 5]);
});
