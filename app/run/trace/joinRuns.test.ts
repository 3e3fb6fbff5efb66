import {expect, test} from 'vitest';
import {crc32} from '../../base/bytes.ts';
import type {Json} from '../../base/json.ts';
import {scenarioDocument} from '../scenario/document.ts';
import {parseScenario} from '../scenario/scenario.ts';
import {firstChoice, joinedRun, joinedScenario, panesOfFiles, type TraceFile} from './joinRuns.ts';
import {readFile} from './readScenarioFile.ts';
import {decodeRun, encodeRun, type Run} from './runFile.ts';
import {smallTrace} from './testing/smallTrace.ts';
import type {TraceData} from './traceData.ts';

const STAMP = {hash: 'a'.repeat(64), leftOut: []};

function document(settings: object): Json {
  const parsed = parseScenario(settings);
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.problems));
  return scenarioDocument(parsed.scenario);
}

function runOf(settings: object, panes = 1): Run {
  const scenario = document({...settings, panes: Array.from({length: panes}, () => ({pipeline: 'tcp'}))});
  return {scenario, page: STAMP, panes: Array.from({length: panes}, smallTrace)};
}

function fileOf(name: string, run: Run): TraceFile {
  return {name, bytes: encodeRun(run)};
}

function panesOf(...files: readonly TraceFile[]) {
  const found = panesOfFiles(files);
  if (!found.ok) throw new Error(found.message);
  return found.panes;
}

function problemOf(...files: readonly TraceFile[]): string | undefined {
  const found = panesOfFiles(files);
  return found.ok ? undefined : found.message;
}

const [a, b] = [fileOf('a.trace', runOf({seed: 1}, 2)), fileOf('b.trace', runOf({seed: 2, path: {live: 'h:1'}}))];

test('panes of two files are joined, and each keeps its own run', () => {
  const panes = panesOf(a, b);
  expect(panes.map(({file, pane, scenario}) => [file, pane, scenario.seed])).toEqual([
    ['a.trace', 0, 1],
    ['a.trace', 1, 1],
    ['b.trace', 0, 2],
  ]);
  expect(joinedScenario(panes)?.panes).toHaveLength(3);
  expect(panes[2]?.data).toEqual(smallTrace());
});

test('joined panes can be saved in one file, which contains the same panes', () => {
  const panes = panesOf(a, b);
  const [first] = panes;
  const run = joinedRun(panes);
  if (run === undefined) throw new Error('nothing is joined');
  const file = {name: 'both.trace', bytes: encodeRun(run)};
  expect(file.bytes[8]).toBe(5);
  expect(panesOf(file)).toEqual(panes);
  // The joined file can be joined again, and a single pane of a run also has a source.
  expect(panesOf(file, b).map(pane => pane.file)).toEqual(['a.trace', 'a.trace', 'b.trace', 'b.trace']);
  expect(joinedRun([first])?.sources).toHaveLength(1);
  expect(readFile(file.bytes)).toMatchObject({ok: false, message: expect.stringContaining('several runs')});
});

test('a single whole run is encoded as the same file again', () => {
  for (const file of [a, b]) {
    const run = joinedRun(panesOf(file));
    expect(run && encodeRun(run)).toEqual(file.bytes);
  }
});

test('the first pane of each file is shown if there is no room for all panes', () => {
  const many = fileOf('many.trace', runOf({}, 4));
  expect(firstChoice(panesOf(a, many))).toHaveLength(6);
  expect(firstChoice(panesOf(a, many, b)).map(({file, pane}) => [file, pane])).toEqual([
    ['a.trace', 0],
    ['many.trace', 0],
    ['b.trace', 0],
  ]);
});

test('files of the same name get numbers', () => {
  expect(panesOf(b, b, b).map(({file}) => file)).toEqual(['b.trace', 'b.trace (2)', 'b.trace (3)']);
  const numbered = {...b, name: 'b.trace (2)'};
  expect(panesOf(b, numbered, b).map(({file}) => file)).toEqual(['b.trace', 'b.trace (2)', 'b.trace (3)']);
  // a file that has such a name itself keeps it
  expect(panesOf(b, b, numbered).map(({file}) => file)).toEqual(['b.trace', 'b.trace (3)', 'b.trace (2)']);
});

test('more files than the largest number of panes are refused, and so is an empty list', () => {
  expect(problemOf(...Array.from({length: 7}, () => b))).toBe(
    '7 trace files are too many: at most 6 are shown at once',
  );
  expect(problemOf()).toBe('no trace files');
});

test('the message names the invalid file and the error', () => {
  const cut = {name: 'cut\u001b.trace', bytes: b.bytes.subarray(0, 40)};
  expect(problemOf(a, cut)).toMatch(/^cut\\u\{1b\}\.trace: damaged trace file: it has 40 bytes instead of \d+$/);
  const older = {name: 'old.trace', bytes: b.bytes.with(8, 3)};
  expect(problemOf(older)).toMatch(/^old\.trace: trace file of version 3, /);
  expect(problemOf({name: 'x', bytes: new Uint8Array(3)})).toBe('x: not a trace file');
  const wrong = (run: Partial<Run>) => problemOf(a, fileOf('x', {...runOf({}), ...run}));
  expect(wrong({scenario: {seed: 'two'}})).toContain('x: its scenario is not valid: seed');
  expect(wrong({panes: []})).toBe('x: it has no panes');
  expect(wrong({scenario: document({panes: [{pipeline: 'sctp'}]})})).toContain('was loaded over tcp, but over sctp');
  expect(wrong({scenario: document({panes: [{pipeline: 'tcp'}, {pipeline: 'tcp'}]})})).toContain(
    'it has 1 panes, but its scenario has 2',
  );
  expect(wrong({panes: [{...smallTrace(), conversion: 'webp'}]})).toContain('has pictures in another conversion');
});

test('an invalid trace is refused', () => {
  const wrong = (data: Partial<TraceData>) =>
    problemOf(fileOf('x', {...runOf({}), panes: [{...smallTrace(), ...data}]}));
  const {deliveries} = smallTrace();
  expect(wrong({})).toBeUndefined();
  expect(wrong({packets: undefined as unknown as TraceData['packets']})).toContain('has no packets');
  expect(wrong({deliveries: {...deliveries, atNs: new Float64Array(9)}})).toContain(
    'columns of different lengths in its table deliveries',
  );
  expect(wrong({deliveries: {...deliveries, object: Uint32Array.of(0, 1, 2)}})).toContain(
    'refers to row 2 of objects, which has 2 rows in column object of its table deliveries',
  );
  expect(wrong({objects: [{failure: null} as TraceData['objects'][0]]})).toContain('an object 0 without a valid url');
  expect(wrong({endNs: Number.NaN})).toContain('without a valid endNs');
});

test('an invalid page stamp is ignored', () => {
  const pageOf = (page: unknown) => panesOf(fileOf('x', {...runOf({}), page: page as typeof STAMP}))[0].page;
  const known = {...STAMP, leftOut: ['/a.png'], conversions: ['webp']};
  expect(pageOf(known)).toEqual(known);
  for (const wrong of [
    null,
    {},
    {...STAMP, hash: 7},
    {...STAMP, leftOut: [7]},
    {...STAMP, conversions: 'webp'},
    {...STAMP, conversions: ['gif']},
  ])
    expect(pageOf(wrong)).toBeUndefined();
});

test('a joined file with invalid sources is refused', () => {
  const run = joinedRun(panesOf(a, b));
  if (run?.sources === undefined) throw new Error('nothing is joined');
  const [first] = run.sources;
  if (first === undefined) throw new Error('no source');
  const wrong = (sources: readonly unknown[]) => {
    const decoded = decodeRun(encodeRun({...run, sources: sources as NonNullable<Run['sources']>}));
    return decoded.ok ? undefined : decoded.message;
  };
  const invalid = 'damaged trace file: the sources of its panes or its program are not valid';
  for (const sources of [[], [first], [first, first, {}], [first, first, {...first, pane: 0.5}]])
    expect(wrong(sources)).toBe(invalid);
  // Version 4 allows no sources, and version 5 requires them.
  for (const [version, file] of [
    [4, encodeRun(run)],
    [5, a.bytes],
  ] as const) {
    const forged = file.with(8, version);
    new DataView(forged.buffer).setUint32(20, crc32(forged.subarray(0, 20), forged.subarray(24)), true);
    expect(decodeRun(forged)).toEqual({ok: false, message: invalid});
  }
  const beyond = {...run, sources: run.sources.map(source => ({...source, pane: 2}))};
  expect(problemOf(fileOf('x', beyond))).toContain('its pane 1 is pane 3 of its run, but the scenario');
});
