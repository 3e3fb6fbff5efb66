import {expect, test} from 'vitest';
import {parseScenario} from '../../run/scenario/scenario.ts';
import {filesText, fileWords, type Source, unalike} from './unalike.ts';

function source(file: string, settings: object, hash = 'a'.repeat(64)): Source {
  const parsed = parseScenario(settings);
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.problems));
  return {file, scenario: parsed.scenario, page: {hash, leftOut: []}, pane: 0};
}

const NAMES = ['TCP', 'SCTP'];
const notesOf = (...sources: readonly Source[]) => unalike(sources, NAMES).notes;

test('runs that differ only in their panes have no notes', () => {
  const panes = {panes: [{pipeline: 'tcp'}]};
  expect(unalike([source('a', {}), source('b', panes)], NAMES)).toEqual({page: false, notes: []});
});

test('a note gives each value of a setting that differs, with its panes', () => {
  const [one, other] = [source('a', {seed: 1}), source('b', {seed: 5, path: {loss: 0.03}})];
  expect(notesOf(one, other)).toEqual([
    'paths differ: 1 Mbit/s, RTT 350 ms, no loss (TCP); 1 Mbit/s, RTT 350 ms, 3 % of packets lost in both directions (SCTP)',
    'seeds differ: 1 (TCP); 5 (SCTP)',
  ]);
  expect(notesOf(one, source('b', {discovery: 'complete', serverThinkMs: 5, timeLimitMs: 1000}))).toEqual([
    'ways to discover objects differ: streaming (TCP); complete (SCTP)',
    'servers’ thinking times differ: 0 ms (TCP); 5 ms (SCTP)',
    'time limits differ: 3600 s (TCP); 1 s (SCTP)',
  ]);
  expect(notesOf(one, source('b', {changes: [{atMs: 5, path: {rttMs: 5}}]}))).toEqual([
    'changes of the path differ: none (TCP); 1 (SCTP)',
  ]);
});

test('a note says that paths differ even if their descriptions are equal', () => {
  expect(notesOf(source('a', {}), source('b', {path: {queuePackets: 5}}))).toEqual([
    'paths differ, in details that are not shown here',
  ]);
});

test('pages with the same name differ if their content does', () => {
  const found = unalike([source('a', {}), source('b', {}, 'b'.repeat(64))], NAMES);
  expect(found).toEqual({page: true, notes: ['pages differ: gallery aaaaaa (TCP); gallery bbbbbb (SCTP)']});
});

test('a note says which loads are live, and seeds of live loads are not compared', () => {
  const live = source('b', {seed: 9, path: {live: '127.0.0.1:9899'}});
  expect(notesOf(source('a', {}), live)).toEqual([
    'loads differ: computed (TCP); live (SCTP)',
    'paths differ: 1 Mbit/s, RTT 350 ms, no loss (TCP); live from 127.0.0.1:9899 (SCTP)',
  ]);
  expect(notesOf(live, {...live, file: 'c'})).toEqual([]);
});

test('each file is named once, and files with equal values are grouped', () => {
  expect(filesText(['a', 'b', 'a'].map(file => ({file})))).toBe('a, b');
  const [one, other] = [source('a', {}), source('b', {seed: 5})];
  expect(unalike([one, other, one], ['a', 'b', 'a']).notes).toEqual(['seeds differ: 1 (a); 5 (b)']);
});

test('panes of several files get short names from the file names', () => {
  const wordsOf = (...files: readonly string[]) => fileWords(files.map(file => ({file})));
  expect(wordsOf('a.trace', 'b.trace.gz', 'a.trace (2)')).toEqual(['a', 'b', 'a (2)']);
  expect(wordsOf('a.trace', 'a.trace')).toEqual([]);
  expect(wordsOf('a.trace', 'a')).toEqual(['a.trace', 'a']);
});
