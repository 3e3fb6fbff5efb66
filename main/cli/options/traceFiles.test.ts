import {mkdtempSync, rmSync, writeFileSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {afterAll, expect, test} from 'vitest';
import {scenarioDocument} from '../../../app/run/scenario/document.ts';
import {parseScenario} from '../../../app/run/scenario/scenario.ts';
import {encodeRun} from '../../../app/run/trace/runFile.ts';
import {smallTrace} from '../../../app/run/trace/testing/smallTrace.ts';
import {readArguments} from '../command.ts';
import {filmstrip} from '../commands/pictures/filmstrip.ts';
import {record} from '../commands/pictures/record.ts';
import {still} from '../commands/pictures/still.ts';
import {chosenRun} from './traceFiles.ts';
import {UsageError} from './usageError.ts';

const folder = mkdtempSync(join(tmpdir(), 'interleave-trace-option-'));
afterAll(() => rmSync(folder, {recursive: true}));

function file(name: string, settings: object): string {
  const parsed = parseScenario({...settings, panes: [{pipeline: 'tcp'}]});
  if (!parsed.ok) throw new Error('not a scenario');
  const path = join(folder, name);
  writeFileSync(path, encodeRun({scenario: scenarioDocument(parsed.scenario), panes: [smallTrace()]}));
  return path;
}

test.each([
  ['record', (args: readonly string[]) => readArguments(record, args), ['--out', 'a.mp4']],
  ['still', (args: readonly string[]) => readArguments(still, args), ['--at', '7s', '--out', 'a.png']],
  ['filmstrip', (args: readonly string[]) => readArguments(filmstrip, args), ['--at', '1s,2s', '--out', 'a.png']],
] as const)('%s takes trace files or a scenario, but not both', (_, read, rest) => {
  expect(read(rest)).toMatchObject({traces: []});
  expect(read(['--trace', 'a', '--trace', 'b', ...rest])).toMatchObject({traces: ['a', 'b']});
  for (const own of [
    ['--scenario', 'n07-movie'],
    ['--page', 'gallery'],
    ['--set', 'seed=1'],
  ])
    expect(() => read(['--trace', 'a', ...own, ...rest])).toThrow(
      new UsageError(`--trace and ${own[0]} exclude each other: the trace file decides what is shown`),
    );
});

test('a story cannot be combined with trace files', () => {
  expect(() => readArguments(record, ['--story', 'x', '--trace', 'a', '--out', 'a.mp4'])).toThrow('--story');
});

test('the panes of several files become one run that names the files', () => {
  const run = chosenRun([file('a.trace', {seed: 1}), file('b.trace', {path: {live: 'h:1'}})]);
  expect(run.panes).toHaveLength(2);
  expect(run.sources?.map(source => source.file)).toEqual(['a.trace', 'b.trace']);
  expect(chosenRun([file('a.trace', {})]).sources).toHaveLength(1);
});

test('the error names a file that is missing or is not a trace file', () => {
  writeFileSync(join(folder, 'c.json'), '{}');
  expect(() => chosenRun([join(folder, 'c.json')])).toThrow(new UsageError('c.json: not a trace file'));
  expect(() => chosenRun([join(folder, 'gone')])).toThrow(/^--trace .*gone: no file that can be read$/);
});
