import {copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {afterAll, beforeAll, expect, test, vi} from 'vitest';
import type {Json} from '../../../../app/base/json.ts';
import {decodeRun, encodeRun, type Run} from '../../../../app/run/trace/runFile.ts';
import {root} from '../../../setup/command.mjs';
import {readArguments} from '../../command.ts';
import {chosenRun} from '../../options/traceFiles.ts';
import {UsageError} from '../../options/usageError.ts';
import {type Ended, runHere} from '../../testing/runHere.ts';
import {run as runCommand} from './run.ts';
import {openTraces} from './traces.ts';

const folder = mkdtempSync(join(tmpdir(), 'interleave-run-trace-'));
afterAll(() => {
  vi.unstubAllEnvs();
  rmSync(folder, {recursive: true});
});

const small = {
  page: {synthetic: {indexBytes: 1000, objects: 2, objectBytes: 2000}},
  path: {rateBps: 1_000_000, rttMs: 100, loss: 0.2},
  seed: 7,
};

beforeAll(async () => {
  vi.stubEnv('XDG_CACHE_HOME', join(folder, 'cache'));
  write('small.json', small);
  await compute('small.json', 'a.trace');
  write('other.json', {...small, seed: 3, page: {synthetic: {objects: 3}}, panes: [{pipeline: 'sctp'}]});
  await compute('other.json', 'b.trace');
  // this load was computed, but the scenario in the file says that it was live, so some numbers count as unknown
  made('live.trace', {path: {live: '127.0.0.1:9'}});
});

function write(name: string, document: object): void {
  writeFileSync(join(folder, name), JSON.stringify(document));
}

/** Writes a trace file: the computed load of a.trace with other settings. */
function made(name: string, settings: object): void {
  const {scenario, ...others} = decoded('a.trace');
  const changed = {...(scenario as object), ...settings} as Json;
  writeFileSync(join(folder, name), encodeRun({...others, scenario: changed}));
}

async function compute(scenario: string, out: string): Promise<void> {
  expect(await runHere(folder, ['trace', '-s', scenario, '--out', out])).toMatchObject({status: 0});
}

function decoded(name: string): Run {
  const read = decodeRun(readFileSync(join(folder, name)));
  if (!read.ok) throw new Error(read.message);
  return read.run;
}

/** Returns what `run --trace` prints. */
function run(files: readonly string[], ...args: readonly string[]): Promise<Ended> {
  return runHere(folder, ['run', ...files.flatMap(file => ['--trace', file]), ...args]);
}

test.each([
  ['a table', []],
  ['CSV', ['--csv']],
])('the trace of a computed load is printed like the load itself, as %s', async (_, format) => {
  const before = await runHere(folder, ['run', '-s', 'small.json', ...format]);
  expect(before).toMatchObject({status: 0, stderr: ''});
  expect(await run(['a.trace'], ...format)).toEqual(before);
});

test('the JSON of a computed trace is that of its run, with the name of the file', async () => {
  const before = JSON.parse((await runHere(folder, ['run', '-s', 'small.json', '--json'])).stdout);
  const {stdout} = await run([join(folder, 'a.trace')], '--json');
  expect(JSON.parse(stdout)).toEqual({...before, traces: ['a.trace']});
});

test('nothing is loaded again: the numbers come from the file', async () => {
  const before = JSON.parse((await run(['a.trace'], '--json')).stdout).runs[0].panes[0];
  made('slower.trace', {path: {rateBps: 10_000, rttMs: 900}});
  expect(JSON.parse((await run(['slower.trace'], '--json')).stdout).runs[0].panes[0]).toEqual(before);
});

test('converted pictures, and parts of the page that are left out, are reported once', async () => {
  const page = join(folder, 'pictures');
  mkdirSync(page);
  writeFileSync(join(page, 'index.html'), '<img src=logo.png><img src=out.png>');
  copyFileSync(join(root, 'fixtures/pages/gallery/logo.png'), join(page, 'logo.png'));
  symlinkSync('/etc/passwd', join(page, 'out.png'));
  const panes = [{pipeline: 'tcp', conversion: 'progressive'}, {pipeline: 'sctp'}];
  write('pictures.json', {...small, page: './pictures', panes});
  await compute('pictures.json', 'pictures.trace');
  const before = await runHere(folder, ['run', '-s', 'pictures.json']);
  expect(before.stdout).toContain('pictures progressive (pane 1): 0 of 1 converted');
  const leftOut = 'interleave: not all of the page is loaded: /out.png: it is a link that leads out of the folder\n';
  expect(before.stderr).toBe(leftOut);
  expect(await run(['pictures.trace'])).toEqual(before);
  const {stdout, stderr} = await run(['a.trace', 'pictures.trace']);
  expect(stdout).toContain('pictures progressive (pane 3): 0 of 1 converted');
  expect(stderr).toBe(leftOut);
});

test('an interruption while the traces are opened is thrown', async () => {
  const ended = AbortSignal.abort(new Error('ended'));
  const command = {traces: [join(folder, 'a.trace')]};
  await expect(openTraces(command, join(root, 'fixtures/pages'), ended)).rejects.toThrow('ended');
});

test('a live trace leaves out what its client cannot know', async () => {
  const {status, stdout} = await run(['live.trace'], '--json');
  expect(status).toBe(0);
  const {scenario, runs, model, sources} = JSON.parse(stdout);
  expect([scenario.path, sources]).toEqual([{live: '127.0.0.1:9'}, undefined]);
  const neither = {down: null, up: null};
  expect(runs[0].panes).toMatchObject([
    {outcome: 'complete', packets: neither, lost: neither, retransmitted: null, holBlockedMs: null},
    {outcome: 'complete', lost: neither, packets: {down: expect.any(Number)}},
  ]);
  expect(model[0]).toEqual({ok: false, reason: 'the settings of a live path are not known'});
  const {stdout: table} = await run(['live.trace']);
  expect(table).toMatch(/^live; times in ms\n/);
  expect(table).toContain('live, one pane after the other; the client cannot count lost packets');
  expect(table).not.toContain('NaN');
});

test('each pane of several files has the numbers of its own run', async () => {
  const {stdout} = await run(['live.trace', 'a.trace', 'b.trace'], '--json');
  const {scenario, runs, model, traces, sources, summary} = JSON.parse(stdout);
  const alone = async (file: string) => JSON.parse((await run([file], '--json')).stdout);
  const [ofLive, ofA, ofB] = [await alone('live.trace'), await alone('a.trace'), await alone('b.trace')];
  const panes = [ofLive, ofA, ofB].flatMap(result => result.runs[0].panes);
  expect(runs).toEqual([{seed: 7, panes}]);
  expect(model).toEqual([ofLive, ofA, ofB].flatMap(result => result.model));
  // two predictions differ, so the comparison above shows that no panes were exchanged
  expect(model[2].pageTimeMs).not.toBe(model[3].pageTimeMs);
  expect(traces).toEqual(['live.trace', 'a.trace', 'b.trace']);
  expect(scenario).toEqual({...ofLive.scenario, panes: [ofLive, ofA, ofB].flatMap(r => r.scenario.panes)});
  expect(summary).toHaveLength(5);
  const of = (file: string, {scenario, page}: {scenario: Json; page: Json}, pane: number) => {
    return {file, scenario, page, pane};
  };
  expect(sources).toEqual([
    of('live.trace', ofLive, 0),
    of('live.trace', ofLive, 1),
    of('a.trace', ofA, 0),
    of('a.trace', ofA, 1),
    of('b.trace', ofB, 0),
  ]);
});

test('a file that joins the panes of several runs gives the same output as the separate files', async () => {
  const files = ['live.trace', 'b.trace'];
  writeFileSync(join(folder, 'joined.trace'), encodeRun(chosenRun(files.map(file => join(folder, file)))));
  const [joined, apart] = [await run(['joined.trace'], '--json'), await run(files, '--json')];
  expect(JSON.parse(joined.stdout)).toEqual({...JSON.parse(apart.stdout), traces: ['joined.trace']});
  expect((await run(['joined.trace'])).stdout).toBe((await run(files)).stdout);
});

test('the table and CSV of several files name the run of each pane', async () => {
  const {stdout: table} = await run(['live.trace', 'b.trace']);
  expect(table).toMatch(/^recorded loads; times in ms\n/);
  expect(table).toContain('pane 2: live.trace, pane 2 of 2, live 127.0.0.1:9\n');
  expect(table).toContain('pane 3: b.trace, pane 1 of 1, seed 3\n');
  expect(table).toContain('live panes: the client cannot count lost packets');
  // this object is in only one of the pages
  expect(table).toMatch(/^\/o\/3 +– +– +\d+$/m);
  const {stdout: csv} = await run(['a.trace', 'b.trace'], '--csv');
  const lines = csv.trimEnd().split('\n').slice(1);
  const columns = lines.map(line => line.split(',').slice(0, 3).join());
  expect(columns.filter((column, i) => columns.indexOf(column) === i)).toEqual(['7,1,tcp', '7,2,sctp', '3,3,sctp']);
});

test('too many panes are reduced to the first of each file, with a note', async () => {
  const {stdout, stderr} = await run(['a.trace', 'a.trace', 'a.trace', 'b.trace'], '--json');
  expect(JSON.parse(stdout).runs[0].panes).toHaveLength(4);
  expect(stderr).toBe('interleave: the files have 7 panes; 4 are shown, each the first of its file\n');
});

test('the error names a damaged file', async () => {
  const bytes = readFileSync(join(folder, 'a.trace'));
  bytes.fill(0xff, bytes.length - 8);
  writeFileSync(join(folder, 'damaged.trace'), bytes);
  const {status, stdout, stderr} = await run(['a.trace', 'damaged.trace'], '--json');
  expect([status, stdout]).toEqual([2, '']);
  expect(stderr).toMatch(/^interleave: damaged\.trace: damaged trace file: its checksum is .*\n$/);
});

test('a page that has changed or no longer exists is refused', async () => {
  const html = join(folder, 'page/index.html');
  mkdirSync(join(folder, 'page'));
  writeFileSync(html, '<p>one');
  write('paged.json', {...small, page: './page'});
  await compute('paged.json', 'paged.trace');
  expect(await run(['paged.trace'])).toMatchObject({status: 0});
  writeFileSync(html, '<p>two');
  const {status, stdout, stderr} = await run(['a.trace', 'paged.trace']);
  expect([status, stdout]).toEqual([2, '']);
  expect(stderr).toMatch(/differs from the page of paged\.trace: its hash is [0-9a-f]{12}… instead of/);
  rmSync(html);
  expect(await run(['paged.trace'])).toMatchObject({status: 2, stdout: ''});
});

test.each([
  ['--seeds', '1-2', 'nothing is loaded again'],
  ['--token', 'T', 'nothing is loaded again'],
  ['--repeat', '30', 'nothing is loaded again'],
  ['--visual', '--json', 'trace files have no visual metrics yet'],
  ['--scenario', 'n07-movie', 'the trace file decides what is shown'],
  ['--set', 'seed=1', 'the trace file decides what is shown'],
  ['--page', 'gallery', 'the trace file decides what is shown'],
])('%s is refused together with trace files', (option, value, why) => {
  expect(readArguments(runCommand, ['--trace', 'a', '--trace', 'b'])).toMatchObject({traces: ['a', 'b']});
  expect(() => readArguments(runCommand, ['--trace', 'a', option, value])).toThrow(
    new UsageError(`--trace and ${option} exclude each other: ${why}`),
  );
});
